-- Settings: setup() overrides vim.g.redline, which overrides the defaults.
local M = {}

---@type redline.Settings
local defaults = {
  cmd = { 'redline', 'serve' },
  auto_start = true,
  draw = true,
  max_lines = 30,
  signs = { change = '▎', insert = '▁', delete = '▎', stale = '!' },
  chat_width = 0.4,
  preview = 'never',
  keys = true,
  advance = true,
  progress = true,
}

---@type redline.Options
local given = {}

---Changes settings.
---@param options? redline.Options
function M.set(options)
  given = options or {}
end

---Returns the settings.
---@return redline.Settings
function M.get()
  return vim.tbl_deep_extend('force', defaults, vim.g.redline or {}, given)
end

return M
