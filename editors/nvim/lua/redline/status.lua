-- Builds the text for a statusline.
local events = require('redline.events')
local plans = require('redline.plans')

local M = {}

---@type table<string, string> running turns, and what each is doing
local running = {}

local function redraw()
  vim.schedule(function()
    vim.cmd.redrawstatus()
  end)
end

events.on('turn.started', function(e)
  running[e.turn] = 'working'
  redraw()
end)

---@param turn string
---@param doing? string
local function does(turn, doing)
  if running[turn] then
    running[turn] = (doing or 'working'):gsub('%s+', ' ')
    redraw()
  end
end

events.on('tool', function(e)
  does(e.turn, e.summary)
end)

-- What runs now: a tool may take minutes. While a model thinks, what came before it stays.
events.on('doing', function(e)
  if e.name ~= 'model' then
    does(e.turn, e.text)
  end
end)

-- What an outside agent does in its copy.
events.on('outside', function(e)
  if e.step then
    does(e.turn, e.step.summary)
  end
end)

events.on('turn.finished', function(e)
  running[e.turn] = nil
  redraw()
end)

events.on('plan', redraw)

---Forgets the turns of a server that has ended.
function M.reset()
  running = {}
end

---@return boolean
function M.busy()
  return next(running) ~= nil
end

---@return string
function M.text()
  local _, doing = next(running)
  local waits = 0
  for _, p in ipairs(plans.list()) do
    for _, f in ipairs(p.files or {}) do
      for _, h in ipairs(f.hunks or {}) do
        if h.status == 'pending' or h.status == 'stale' then
          waits = waits + 1
        end
      end
    end
  end
  local out = {}
  if doing then
    out[#out + 1] = vim.fn.strcharpart(doing, 0, 40) .. '…'
  end
  if waits > 0 then
    out[#out + 1] = waits == 1 and '1 change' or waits .. ' changes'
  end
  return #out > 0 and 'Redline: ' .. table.concat(out, ', ') or ''
end

return M
