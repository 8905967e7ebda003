-- The plans of all servers, by number: each workspace has its own.
local client = require('redline.client')
local events = require('redline.events')

local M = {}

---@type table<integer, table<integer, redline.PlanState>> by client and number
local all = {}

-- Returns the plans in the workspace of the current buffer.
local function here()
  local c = client.of()
  return c and all[c.id] or {}
end

events.on('plan', function(event)
  if event.plan and event.client then
    all[event.client] = all[event.client] or {}
    all[event.client][event.plan.plan] = event.plan
  end
end)

---@type table<integer, 'none'|'ask'|'allowed'> whether trials are allowed, by client
local trials = {}

events.on('trials', function(event)
  if event.client then
    trials[event.client] = event.trials
  end
end)

---@return 'none'|'ask'|'allowed' whether trials are allowed in the workspace of the current buffer
function M.trials()
  local c = client.of()
  return c and trials[c.id] or 'none'
end

---Forgets the plans of a server that has ended.
---@param id integer
function M.forget(id)
  all[id], trials[id] = nil, nil
end

local open = { drafting = true, awaiting_approval = true, reviewing = true, executing = true, failed = true }

---Reports whether a plan is undecided, or can be tried again.
---@param p redline.PlanState
---@return boolean?
function M.is_open(p)
  return open[p.state] == true
end

---Fetches all plans, and calls done with the open ones, oldest first.
---@param done fun(list: redline.PlanState[])
function M.fetch(done)
  client.call('state', {}, function(state, _, id)
    if id then
      all[id] = {}
      trials[id] = state and state.trials
      for _, p in ipairs(state and state.plans or {}) do
        all[id][p.plan] = p
      end
    end
    done(M.list())
  end)
end

---@param done? boolean include finished plans
---@return redline.PlanState[] oldest first
function M.list(done)
  local list = {}
  for _, p in pairs(here()) do
    if done or M.is_open(p) then
      list[#list + 1] = p
    end
  end
  table.sort(list, function(a, b)
    return a.plan < b.plan
  end)
  return list
end

---@param f redline.FileState
---@return boolean whether a change of the file is undecided
function M.undecided(f)
  for _, h in ipairs(f.hunks or {}) do
    if h.status == 'pending' or h.status == 'stale' then
      return true
    end
  end
  return false
end

---@param f redline.FileState
---@return boolean whether anything of the file is undecided, such as that it is created
function M.waits(f)
  return f.status == 'pending' or M.undecided(f)
end

---Returns the number of a change among all changes of its plan, as its diagnostic has it.
---@param plan integer
---@param hunk string
---@return string? such as `change 2 of 5`; nil if it is not known
function M.place(plan, hunk)
  local p, of, at = M.get(plan), 0, nil ---@type redline.PlanState?, integer, integer?
  for _, f in ipairs(p and p.files or {}) do
    for _, h in ipairs(f.hunks or {}) do
      of = of + 1
      at = h.id == hunk and of or at
    end
  end
  return at and ('change %d of %d'):format(at, of) or nil
end

---@param n integer
---@return redline.PlanState?
function M.get(n)
  return here()[n]
end

---@param p redline.PlanState
---@return boolean whether an undo would take something back, of any revision
function M.has_applied(p)
  return p.undoable == true
end

---Returns a command as it is shown: its folder first, so that a long line cannot hide it.
---@param c redline.CommandState|redline.TrialState
---@return string
function M.command_line(c)
  local visible = require('redline.marks').visible
  if not c.cwd or c.cwd == '' then
    return visible(c.command)
  end
  local folder = c.cwd:find('^[%w_./@+-]+$') and c.cwd or vim.json.encode(c.cwd)
  return ('in %s: %s'):format(visible(folder), visible(c.command))
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

---Returns the title of a plan among several: `plan 2: rename a to b`.
---@param number integer
---@return string
function M.title(number)
  local p = M.get(number)
  local goal = p and vim.split(p.goal or '', '\n')[1] or ''
  if vim.fn.strchars(goal) > 50 then
    goal = vim.fn.strcharpart(goal, 0, 49) .. '…'
  end
  return goal == '' and ('plan %d'):format(number) or ('plan %d: %s'):format(number, goal)
end

return M
