-- How the model was asked to show changes: beside each other in the diff of
-- `:Redline diff`, or in the text, where they are drawn.
local events = require('redline.events')

local M = {}

local beside = false

---Opens the diff of the current buffer if that is wanted. A user who types, or who is in
---another window than the file's, is left alone.
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

-- A plan is ready, or a further revision of it: its changes come with the next diagnostics.
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

---The changes of a buffer were read anew.
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
