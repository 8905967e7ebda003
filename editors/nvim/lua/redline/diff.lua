-- Compares a file with its proposed text, in a tab of its own. The right side is the live
-- text with all pending changes applied; it follows both.
local client = require('redline.client')
local hunks = require('redline.hunks')
local marks = require('redline.marks')

local M = {}

---@type table<integer, integer> the buffers of proposed texts, by those of their files
local beside = {}

---Returns the text of a buffer with its pending changes applied.
---@param buf integer
---@return string[]
function M.proposed(buf)
  local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, true)
  local list = hunks.list(buf)
  for i = #list, 1, -1 do
    local h = list[i]
    if h.status == 'pending' then
      local from, to = h.range.start.line, h.range['end'].line
      if h.range['end'].character > 0 then
        to = to + 1
      end
      local new = marks.lines_of(h.newText)
      local out = vim.list_slice(lines, 1, from)
      vim.list_extend(out, new)
      vim.list_extend(out, lines, to + 1)
      lines = out
    end
  end
  return lines
end

---@param buf integer
---@return boolean
function M.shown(buf)
  return beside[buf] ~= nil and vim.api.nvim_buf_is_valid(beside[buf])
end

---@param buf integer
function M.refresh(buf)
  local right = beside[buf]
  if not right or not vim.api.nvim_buf_is_valid(right) then
    beside[buf] = nil
    return
  end
  vim.bo[right].modifiable = true
  vim.api.nvim_buf_set_lines(right, 0, -1, true, M.proposed(buf))
  vim.bo[right].modifiable = false
  for _, win in ipairs(vim.fn.win_findbuf(right)) do
    vim.api.nvim_win_call(win, function()
      vim.cmd.diffupdate()
    end)
  end
end

---Closes all open diffs.
function M.close()
  for _, right in pairs(beside) do
    for _, win in ipairs(vim.fn.win_findbuf(right)) do
      local tab = vim.api.nvim_win_get_tabpage(win)
      if #vim.api.nvim_list_tabpages() > 1 then
        vim.cmd.tabclose(vim.api.nvim_tabpage_get_number(tab))
      end
    end
  end
end

function M.open()
  local buf = vim.api.nvim_get_current_buf()
  if #hunks.list(buf) == 0 then
    client.say('no changes in this file wait for you. `:Redline next` goes to the next file.')
    return
  end
  local file = vim.api.nvim_buf_get_name(buf)
  local cursor = vim.api.nvim_win_get_cursor(0)
  vim.cmd.tabnew()
  local scratch = vim.api.nvim_get_current_buf()
  vim.api.nvim_win_set_buf(0, buf)
  pcall(vim.api.nvim_buf_delete, scratch, {})
  local left = vim.api.nvim_get_current_win()
  local right = beside[buf]
  if not right or not vim.api.nvim_buf_is_valid(right) then
    right = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(right, 'redline://proposed/' .. vim.fn.fnamemodify(file, ':.'))
    vim.bo[right].bufhidden = 'wipe'
    vim.bo[right].filetype = vim.bo[buf].filetype
    vim.bo[right].modifiable = false
    beside[buf] = right
    vim.api.nvim_create_autocmd('BufWipeout', {
      buffer = right,
      callback = function()
        beside[buf] = nil
        hunks.refresh(buf) -- draws the changes in full again
      end,
    })
    vim.keymap.set('n', 'q', '<Cmd>tabclose<CR>', { buffer = right, desc = 'Redline: close the diff' })
  end
  vim.cmd('rightbelow vertical sbuffer ' .. right)
  M.refresh(buf)
  marks.draw(buf, hunks.list(buf))
  vim.cmd.diffthis()
  vim.api.nvim_set_current_win(left)
  vim.cmd.diffthis()
  pcall(vim.api.nvim_win_set_cursor, left, cursor)
end

return M
