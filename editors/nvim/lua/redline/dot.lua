-- Makes keys take a count, and `.` repeat them: as an operator whose motion does not matter.
local M = {}

local last ---@type fun()?

---What `.` calls.
function M.again()
  if last then
    last()
  end
end

---Returns what an `<expr>` mapping types to run a function now, and again with `.`.
---@param run fun(count: integer)
---@return string
function M.keys(run)
  local count = vim.v.count1
  last = function()
    run(count)
  end
  vim.go.operatorfunc = "v:lua.require'redline.dot'.again"
  return 'g@l'
end

return M
