-- Finds the word that a mistyped one probably means.
local M = {}

---@param a string
---@param b string
---@return boolean whether one letter added, left out, changed or swapped with its neighbour makes b of a
local function one_apart(a, b)
  local from, most = 0, math.min(#a, #b)
  while from < most and a:byte(from + 1) == b:byte(from + 1) do
    from = from + 1
  end
  local rest_a, rest_b = a:sub(from + 1), b:sub(from + 1)
  return rest_a:sub(2) == rest_b:sub(2) -- changed
    or rest_a:sub(2) == rest_b -- added
    or rest_a == rest_b:sub(2) -- left out
    or rest_a:sub(1, 2) == rest_b:sub(1, 2):reverse() and rest_a:sub(3) == rest_b:sub(3) -- swapped
end

---@param word string
---@param words string[]
---@return string? the first of words that is one letter from the word, in the order of the alphabet
function M.of(word, words)
  local sorted = vim.deepcopy(words)
  table.sort(sorted)
  for _, w in ipairs(sorted) do
    if w ~= word and one_apart(word:lower(), w) then
      return w
    end
  end
end

return M
