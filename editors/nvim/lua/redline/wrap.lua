-- Virtual lines that go on where the window ends: Neovim cuts them off there, and
-- what is approved has to be seen.
local M = {}

---How wide the text of a buffer is where it is shown narrowest; nil where nothing has
---to go on: it is not shown, or scrolls sideways.
---@param buf integer
---@return integer?
function M.width(buf)
  local width
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local info = vim.fn.getwininfo(win)[1]
    if info and vim.wo[win].wrap then
      -- The sign column may come with the signs that are drawn.
      local room = math.max(info.width - info.textoff - 2, 20)
      width = math.min(width or room, room)
    end
  end
  return width
end

---@param line { [1]: string, [2]: string }[] pieces of text and their highlights
---@param width? integer
---@return { [1]: string, [2]: string }[][] as many lines as it takes
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
