-- The public functions of Redline, for other plugins and the user's configuration.
local M = {}

---Changes settings. Calling it is optional.
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

---Returns the text for a statusline: what Redline is doing, and how many changes wait for
---the user. Empty if there is nothing to show.
---@return string
function M.statusline()
  return package.loaded['redline.status'] and require('redline.status').text() or ''
end

return M
