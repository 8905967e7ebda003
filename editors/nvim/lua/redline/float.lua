-- Shows the changes at the cursor in a float, one of each plan, with their diffs.
local client = require('redline.client')
local hunks = require('redline.hunks')
local marks = require('redline.marks')

local M = {}

---@param h redline.Hunk
---@return string[]
function M.lines(h)
  local first, last = hunks.lines(h)
  local where = first == last and ('line %d'):format(first) or ('lines %d to %d'):format(first, last)
  local out = { ('%s, %s (plan %d, %s)'):format(h.path, where, h.plan, h.hunk) }
  if h.status == 'stale' then
    out[#out + 1] = 'stale: ' .. (h.reason or 'its lines have changed')
  elseif h.match and h.match ~= 'exact' and h.match ~= '' then
    out[#out + 1] = 'matched by: ' .. h.match
  end
  out[#out + 1] = ''
  for _, line in ipairs(marks.lines_of(h.oldText)) do
    out[#out + 1] = '-' .. marks.visible(line)
  end
  for _, line in ipairs(marks.lines_of(h.newText)) do
    out[#out + 1] = '+' .. marks.visible(line)
  end
  return out
end

function M.open()
  local lines = {}
  for i, h in ipairs(hunks.by_plan(hunks.all_at())) do
    if i > 1 then
      lines[#lines + 1] = ''
    end
    vim.list_extend(lines, M.lines(h))
  end
  if #lines == 0 then
    client.say('no change at the cursor. `:Redline next` goes to one.')
    return
  end
  vim.lsp.util.open_floating_preview(lines, 'diff', {
    border = 'rounded',
    focus_id = 'redline',
    max_height = math.floor(vim.o.lines * 0.6),
    wrap = false,
  })
end

return M
