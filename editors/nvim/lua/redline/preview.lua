-- The preview file of a plan. The server would have it opened with each new plan;
-- here that is done where the changes cannot all be seen in the text.
local M = {}

local wanted = {} ---@type table<integer, boolean> plans that the user wants to see, or that the model shows

---@param uri string
---@return integer?
local function plan_of(uri)
  return tonumber(uri:match('/plans/0*(%d+)%-r%d+%.md$'))
end

---@param p redline.PlanState
---@return boolean
local function needed(p)
  if p.textOnly or #(p.commands or {}) > 0 then
    return true
  end
  for _, f in ipairs(p.files or {}) do
    if f.action ~= 'update' then
      return true
    end
  end
  return false
end

-- The model shows the plan: that is told before the page is to be shown.
require('redline.events').on('view', function(event)
  local n = event.view == 'plan' and event.uri and plan_of(event.uri)
  if n then
    wanted[n] = true
  end
end)

-- window/showDocument, of this server.
function M.show_document(err, result, ctx, config)
  local builtin = vim.lsp.handlers['window/showDocument']
  if result and result.uri and require('redline.trace').is_page(result.uri) then
    return require('redline.trace').show_document(builtin, err, result, ctx, config)
  end
  local n = result and result.uri and plan_of(result.uri)
  local when = require('redline.config').get().preview
  if not n or wanted[n] or when == 'always' then
    if n then
      wanted[n] = nil
    end
    return builtin(err, result, ctx, config)
  end
  if when == 'needed' then
    require('redline.plans').fetch(function()
      local p = require('redline.plans').get(n)
      if p and needed(p) then
        builtin(err, result, ctx, config)
      end
    end)
  end
  return { success = true }
end

---@param n integer
function M.open(n)
  wanted[n] = true
  require('redline.client').call('show', { plan = n, view = 'plan' }, function(_, err)
    if err then
      wanted[n] = nil
    end
  end)
end

return M
