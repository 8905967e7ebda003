-- Wraps virtual lines at the width of the window: Neovim would cut them off, and users must
-- see what they approve.
local M = {}

---Returns the width of the text in the narrowest window of a buffer; nil if lines need no
---wrapping, because it is not visible or scrolls sideways.
---@param buf integer
---@return integer?
function M.width(buf)
  local width
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local info = vim.fn.getwininfo(win)[1]
    if info and vim.wo[win].wrap then
      -- Leave room for the sign column, which may appear with our signs.
      local room = math.max(info.width - info.textoff - 2, 20)
      width = math.min(width or room, room)
    end
  end
  return width
end

---@param line { [1]: string, [2]: string }[] pieces of text and their highlights
---@param width? integer
---@return { [1]: string, [2]: string }[][] the lines that it takes
function M.lines(line, width)
  local whole = 0
  for _, chunk in ipairs(line) do
    whole = whole + vim.fn.strdisplaywidth(chunk[1])
  end
  if not width or whole <= width then
    return { line }
  end
  local out, row, used = {}, {}, 0
  for _, chunk in ipairs(line) do
    local piece = ''
    for _, char in ipairs(vim.fn.split(chunk[1], '\\zs')) do
      local w = vim.fn.strdisplaywidth(char)
      if used + w > width then
        row[#row + 1] = { piece, chunk[2] }
        out[#out + 1] = row
        piece, row, used = '', {}, 0
      end
      piece, used = piece .. char, used + w
    end
    if piece ~= '' then
      row[#row + 1] = { piece, chunk[2] }
    end
  end
  out[#out + 1] = row
  return out
end

return M
