-- Passes the server's events (`redline/event`) to their listeners: the chat, the
-- statusline, the plans.
local M = {}

---@type table<string, fun(event: redline.Event)[]>
local listeners = {}

---@param kind string as in docs/reference/commands.md, "*" for all
---@param listener fun(event: redline.Event)
function M.on(kind, listener)
  listeners[kind] = listeners[kind] or {}
  table.insert(listeners[kind], listener)
end

local first = true

---@param event redline.Event
function M.emit(event)
  if first then
    first = false
    require('redline.plans')
    require('redline.status')
    require('redline.progress')
    require('redline.preview')
    require('redline.chat')
    require('redline.trials')
    require('redline.diffmode')
    require('redline.user')
    require('redline.outcomes')
  end
  for _, kind in ipairs({ event.kind, '*' }) do
    for _, listener in ipairs(listeners[kind] or {}) do
      listener(event)
    end
  end
end

return M
