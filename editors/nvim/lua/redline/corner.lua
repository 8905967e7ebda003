-- Finds the place of a float at the edge of the screen: at the bottom, or at the top if it would hide the
-- line of the cursor, or the change there.
local M = {}

---Returns the rows of the screen, from 1, from the cursor to the end of the change there; nil if the cursor
---is not in the text.
---@return integer? first, integer? last
local function used()
  local win = vim.api.nvim_get_current_win()
  if vim.api.nvim_win_get_config(win).relative ~= '' then
    return nil
  end
  local cursor = vim.api.nvim_win_get_cursor(win)
  local line, count = cursor[1], vim.api.nvim_buf_line_count(0)
  local first = vim.fn.screenpos(win, line, cursor[2] + 1).row
  local start = vim.fn.screenpos(win, line, 1).row
  if first == 0 or start == 0 then
    return nil
  end
  local last = line
  for _, h in ipairs(require('redline.hunks').all_at()) do
    last = math.min(math.max(last, (select(2, require('redline.hunks').lines(h)))), count)
  end
  local function height(from, to)
    return vim.api.nvim_win_text_height(win, { start_row = from - 1, end_row = to and to - 1 or nil })
  end
  -- The lines that are drawn below the last one count as part of the line after it.
  local rows = height(line, last < count and last or nil).all - height(line, line).fill
  if last < count then
    rows = rows + height(last + 1, last + 1).fill
  end
  local bottom = vim.fn.win_screenpos(win)[1] + vim.api.nvim_win_get_height(win) - 1
  return first, math.max(first, math.min(start + rows - 1, bottom))
end

---Returns the edge at which a float stands, and its row for that edge.
---@param height integer
---@param other? { edge: 'N'|'S', rows: integer } a float that stands there already
---@return 'N'|'S' edge, integer row
function M.place(height, other)
  local bottom = vim.o.lines
    - math.max(vim.o.cmdheight, vim.fn.mode() == 'c' and 1 or 0)
    - (vim.o.laststatus > 0 and 1 or 0)
  local tabs = vim.o.showtabline
  local top = (tabs == 2 or tabs == 1 and #vim.api.nvim_list_tabpages() > 1) and 1 or 0
  if other and other.edge == 'S' then
    bottom = bottom - other.rows
  elseif other then
    top = top + other.rows
  end
  local first, last = used()
  if first and last > bottom - height and first <= bottom and first > top + height then
    return 'N', top
  end
  return 'S', bottom
end

return M
