-- The plans that the server has told of, by number.
local client = require('redline.client')
local events = require('redline.events')

local M = {}

---@type table<integer, redline.PlanState>
local plans = {}

events.on('plan', function(event)
  if event.plan then
    plans[event.plan.plan] = event.plan
  end
end)

local open = { drafting = true, awaiting_approval = true, reviewing = true, executing = true, failed = true }

---@param p redline.PlanState
function M.is_open(p)
  return open[p.state] == true
end

---Has the server tell all plans, and calls done with the open ones, oldest first.
---@param done fun(list: redline.PlanState[])
function M.fetch(done)
  client.call('state', {}, function(state)
    plans = {}
    for _, p in ipairs(state and state.plans or {}) do
      plans[p.plan] = p
    end
    done(M.list())
  end)
end

---@param all? boolean also plans that are done
---@return redline.PlanState[] oldest first
function M.list(all)
  local list = {}
  for _, p in pairs(plans) do
    if all or M.is_open(p) then
      list[#list + 1] = p
    end
  end
  table.sort(list, function(a, b)
    return a.plan < b.plan
  end)
  return list
end

---@param n integer
---@return redline.PlanState?
function M.get(n)
  return plans[n]
end

---@param p redline.PlanState
---@return boolean
function M.has_applied(p)
  for _, f in ipairs(p.files or {}) do
    if f.status == 'applied' then
      return true
    end
    for _, h in ipairs(f.hunks or {}) do
      if h.status == 'applied' then
        return true
      end
    end
  end
  return false
end

---@param p redline.PlanState
---@return integer how many of its commands are undecided
function M.commands(p)
  local n = 0
  for _, c in ipairs(p.commands or {}) do
    if c.status == 'pending' then
      n = n + 1
    end
  end
  return n
end

return M
