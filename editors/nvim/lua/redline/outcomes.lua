-- Reports on a plan what the server does not report itself: that a command has succeeded, and
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

---@type table<integer, 'asked'|'answered'> undos by our command, by plan; a file of them may come after the answer
local undos = {}

---@param k? redline.Known
---@return boolean
local function applied(k)
  return k ~= nil and vim.tbl_contains(vim.tbl_values(k.hunks), 'applied')
end

---Notes that the user decides on a plan by our command. The server itself reports how an undo ended.
---@param plan integer
---@param undo boolean
function M.expect(plan, undo)
  undos[plan] = undo and 'asked' or nil
end

---Notes that the server has answered to an undo.
---@param plan integer
---@param id? integer of the client
---@param failed boolean
function M.answered(plan, id, failed)
  local more = not failed and id and applied(known[('%d %d'):format(id, plan)])
  undos[plan] = more and 'answered' or nil
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

-- Says how many changes wait again.
---@param plan integer
---@param n integer
local function undone(plan, n)
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
  if n > 0 and not undos[p.plan] then
    undone(p.plan, n)
  elseif undos[p.plan] == 'answered' and not applied(now) then
    undos[p.plan] = nil
  end
end)

return M
