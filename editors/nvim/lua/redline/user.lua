-- Tells other plugins and the user's configuration what happens, by `User` autocommands.
local events = require('redline.events')

local M = {}

---@type table<string, { revision: integer, state: string, left: integer }> what was told of each plan, by client and number
local known = {}

---@param p redline.PlanState
---@return integer how many changes and commands of it are undecided
local function undecided(p)
  local n = require('redline.plans').commands(p)
  for _, f in ipairs(p.files or {}) do
    for _, h in ipairs(f.hunks or {}) do
      if h.status == 'pending' or h.status == 'stale' then
        n = n + 1
      end
    end
  end
  return n
end

---@param name string
---@param p redline.PlanState
---@param left integer
local function fire(name, p, left)
  vim.schedule(function()
    vim.api.nvim_exec_autocmds('User', {
      pattern = name,
      modeline = false,
      data = { plan = p.plan, revision = p.revision, state = p.state, goal = p.goal, undecided = left },
    })
  end)
end

-- A plan is ready when it first waits, and with each new revision. It was decided on when fewer
-- of its changes and commands wait, or when it is over.
events.on('plan', function(e)
  local p = e.plan
  if not p or p.plan == 0 or p.state == 'drafting' or p.state == 'executing' then
    return -- it is not known yet what comes of it
  end
  local key, left = ('%d %d'):format(e.client, p.plan), undecided(p)
  local was = known[key]
  known[key] = { revision = p.revision, state = p.state, left = left }
  if not was or was.revision ~= p.revision then
    if require('redline.plans').is_open(p) then
      fire('RedlinePlanReady', p, left)
    end
  elseif left < was.left or p.state ~= was.state and not require('redline.plans').is_open(p) then
    fire('RedlinePlanDecided', p, left)
  end
end)

return M
