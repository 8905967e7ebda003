-- Which parts of a change's lines differ: the server says it, so that every front draws the same.
local M = {}

---@alias redline.Part { [1]: integer, [2]: integer } bytes of a line from 0, without the end

---@param line string
---@param column integer from 0, in the encoding of the client
---@param encoding? string
---@return integer
local function byte(line, column, encoding)
  if encoding == 'utf-8' then
    return column
  elseif vim.fn.has('nvim-0.11') == 1 then
    return vim.str_byteindex(line, encoding or 'utf-16', column, false)
  end
  return vim.str_byteindex(line, column, encoding ~= 'utf-32')
end

---Returns what differs within the lines of a change, by the line, from 1. A line without parts
---is not an edit of another one.
---@param h redline.Hunk
---@param old string[] the lines of its old text
---@param new string[] those of its new text
---@return table<integer, redline.Part[]> old, table<integer, redline.Part[]> new
function M.parts(h, old, new)
  local was, comes = {}, {}
  for _, row in ipairs(h.rows or {}) do
    local a, b = row.old and old[row.old + 1], row.new and new[row.new + 1]
    if a and b then
      local before, after = {}, {}
      for _, c in ipairs(row.changes or {}) do
        before[#before + 1] = { byte(a, c[1], h.encoding), byte(a, c[2], h.encoding) }
        after[#after + 1] = { byte(b, c[3], h.encoding), byte(b, c[4], h.encoding) }
      end
      was[row.old + 1], comes[row.new + 1] = before, after
    end
  end
  return was, comes
end

return M
