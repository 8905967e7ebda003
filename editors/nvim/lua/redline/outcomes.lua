-- Says what becomes of a plan besides what the server says itself: that a command has succeeded, and
-- that an undo in the editor has taken back what was applied.
local client = require('redline.client')
local events = require('redline.events')
local plans = require('redline.plans')

local M = {}

---@class redline.Known
---@field hunks table<string, string> the status of each change, by its id
---@field commands table<string, string> the same of each command
---@field revision integer

local known = {} ---@type table<string, redline.Known> by client and plan

---@type table<integer, 'asked'|'answered'|'seen'> undos that we have asked for, by plan
local undos = {}

---Notes that the user takes back a plan by our command, of which the server says what became.
---@param plan integer
function M.expect(plan)
  undos[plan] = 'asked'
end

---Notes that the server has answered.
---@param plan integer
function M.answered(plan)
  undos[plan] = undos[plan] == 'asked' and 'answered' or nil
end

---@param p redline.PlanState
---@return redline.Known
local function read(p)
  local now = { hunks = {}, commands = {}, revision = p.revision }
  for _, f in ipairs(p.files or {}) do
    for _, h in ipairs(f.hunks or {}) do
      now.hunks[h.id] = h.status
    end
  end
  for _, c in ipairs(p.commands or {}) do
    now.commands[c.id] = c.status
  end
  return now
end

-- Says how many changes wait again, unless the undo was ours.
---@param plan integer
---@param n integer
local function undone(plan, n)
  if undos[plan] then
    undos[plan] = undos[plan] == 'asked' and 'seen' or nil
    return
  end
  vim.schedule(function()
    client.say(
      n == 1 and ('1 change of plan %d is undone and waits again.'):format(plan)
        or ('%d changes of plan %d are undone and wait again.'):format(n, plan)
    )
  end)
end

events.on('plan', function(e)
  local p = e.plan
  if not p or p.plan == 0 or p.state == 'executing' then
    return
  end
  local key, now = ('%d %d'):format(e.client, p.plan), read(p)
  local was = known[key]
  known[key] = now
  if not was or was.revision ~= now.revision then
    return
  end
  for _, c in ipairs(p.commands or {}) do
    if c.status == 'succeeded' and was.commands[c.id] ~= 'succeeded' then
      vim.schedule(function()
        client.say(('`%s` succeeded.'):format(plans.command_line(c)))
      end)
    end
  end
  local n = 0
  for id, status in pairs(now.hunks) do
    if status == 'pending' and was.hunks[id] == 'applied' then
      n = n + 1
    end
  end
  if n > 0 then
    undone(p.plan, n)
  end
end)

return M
