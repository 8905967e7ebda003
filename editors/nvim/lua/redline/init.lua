-- Redline in Neovim: what other plugins and a user's own configuration may call.
local M = {}

---Changes settings. It need not be called.
---@param options? redline.Options
function M.setup(options)
  require('redline.config').set(options)
end

---Sends a request.
---@param message string
---@param range? { [1]: integer, [2]: integer } first and last line, from 1
function M.ask(message, range)
  require('redline.chat').send(message, range)
end

---What to show in a statusline: what is being done, and how many changes wait for
---you. Empty where there is nothing to say.
---@return string
function M.statusline()
  return package.loaded['redline.status'] and require('redline.status').text() or ''
end

return M
