-- How to show changes, as the user asked the model: side by side with `:Redline diff`, or
-- drawn in the text.
local events = require('redline.events')

local M = {}

local beside = false

---Opens the diff of the current buffer if wanted, but not while the user types or is in
---another window.
---@param buf integer
function M.follow(buf)
  if not beside or vim.api.nvim_get_current_buf() ~= buf or vim.fn.mode() ~= 'n' or vim.fn.getcmdwintype() ~= '' then
    return
  end
  local diff = require('redline.diff')
  if not diff.shown(buf) and #require('redline.hunks').list(buf) > 0 then
    diff.open()
  end
end

events.on('diff_mode', function(event)
  beside = event.mode == 'split'
  vim.schedule(function()
    if beside then
      M.follow(vim.api.nvim_get_current_buf())
    else
      require('redline.diff').close()
    end
  end)
end)

-- Notes a new revision of a plan: its changes come with the next diagnostics.
local due = false
local known = {} ---@type table<string, integer> the newest revision, by client and plan
events.on('plan', function(event)
  local p = event.plan
  local name = p and ('%d/%d'):format(event.client, p.plan)
  if name and known[name] ~= p.revision then
    known[name] = p.revision
    due = due or beside
  end
end)

---Handles new changes of a buffer.
---@param buf integer
function M.changed(buf)
  if due and beside then
    vim.schedule(function()
      if due and #require('redline.hunks').list(buf) > 0 and vim.api.nvim_get_current_buf() == buf then
        due = false
        M.follow(buf)
      end
    end)
  end
end

return M
