-- Trials: commands that run on the texts that a plan would leave, before a decision.
local client = require('redline.client')
local events = require('redline.events')
local plans = require('redline.plans')

local M = {}

---@type table<string, integer> the plan of a trial that the user has started, by turn; 0 until a result names it
local mine = {}

---@param code any
---@return string
local function exit(code)
  return type(code) == 'number' and ('exit code %d'):format(code) or 'did not exit'
end

---@param ms integer
---@return string
local function took(ms)
  if ms < 10000 then
    return ('%.1f s'):format(ms / 1000)
  end
  local s = math.floor(ms / 1000 + 0.5)
  return s < 60 and ('%d s'):format(s) or ('%d min %d s'):format(math.floor(s / 60), s % 60)
end

---Returns the result of a trial: `fails now, after 2.3 s`.
---@param t redline.TrialState
---@return string
function M.outcome(t)
  return ('%s, after %s%s'):format(t.result, took(t.durationMs), t.current and '' or ', of an earlier text')
end

---@param p redline.PlanState
---@return redline.TrialState[] those to show with the plan
function M.shown(p)
  return vim.tbl_filter(function(t)
    return t.shown == true
  end, p.trials or {})
end

---Returns how many errors a plan adds, as language servers report: `adds 2 errors`; nil for none.
---@param p redline.PlanState
---@return string?
local function adds(p)
  local problems = type(p.problems) == 'table' and p.problems or { added = {} }
  local errors = #vim.tbl_filter(function(one)
    return one.severity == 'error'
  end, problems.added)
  local more = type(problems.more) == 'number' and errors == #problems.added
  if errors > 0 then
    return ('adds %s%d error%s'):format(more and 'more than ' or '', errors, errors == 1 and '' or 's')
  end
end

---Returns the current trials and the added errors, for a prompt: ` (sh check.sh passed; adds 2 errors)`; '' for none.
---@param p redline.PlanState
---@return string
function M.summary(p)
  local said = {}
  for _, t in ipairs(M.shown(p)) do
    if t.current then
      said[#said + 1] = ('`%s` %s'):format(plans.command_line(t), t.result)
    end
  end
  said[#said + 1] = adds(p)
  return #said > 0 and (' (%s)'):format(table.concat(said, '; ')) or ''
end

---Returns the trial that the plan can be fixed for: current and failed.
---@param p redline.PlanState
---@return redline.TrialState?
function M.failing(p)
  for _, t in ipairs(M.shown(p)) do
    if t.current and t.verdict ~= 'passed' then
      return t
    end
  end
end

---Returns a trial as text.
---@param p redline.PlanState
---@param t redline.TrialState
---@return string[]
function M.report(p, t)
  local out = {
    '$ ' .. plans.command_line(t),
    ('Trial on plan %d, revision %d: %s (%s).'):format(p.plan, t.revision, M.outcome(t), exit(t.exitCode)),
  }
  if type(t.problem) == 'string' and t.problem ~= '' then
    out[#out + 1] = t.problem
  end
  if type(t.baseline) == 'table' then
    out[#out + 1] = ("Without the plan's edits: %s, after %s."):format(
      exit(t.baseline.exitCode),
      took(t.baseline.durationMs)
    )
  end
  out[#out + 1] = ''
  local visible = require('redline.marks').visible
  local text = (t.output or ''):gsub('\r\n?', '\n'):gsub('%s+$', '')
  for _, line in ipairs(vim.split(text == '' and 'No output.' or text, '\n', { plain = true })) do
    out[#out + 1] = (visible(line))
  end
  return out
end

---@type table<string, integer> the buffers with reports, by their names
local reports = {}

---Returns the buffer with the report of a trial.
---@param p redline.PlanState
---@param t redline.TrialState
---@return integer
function M.buffer(p, t)
  local name = ('redline://plan/%d/trial/%s'):format(p.plan, t.id)
  local key = ('%d %s'):format((client.of() or { id = 0 }).id, name)
  local buf = reports[key]
  if not buf or not vim.api.nvim_buf_is_valid(buf) then
    buf = vim.api.nvim_create_buf(false, true)
    reports[key] = buf
    pcall(vim.api.nvim_buf_set_name, buf, name) -- another workspace may have a buffer of this name
    vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buf, desc = 'Redline: close the output' })
  end
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, 0, -1, true, M.report(p, t))
  vim.bo[buf].modifiable = false
  return buf
end

---Opens the output of a trial, below.
---@param p redline.PlanState
---@param t redline.TrialState
local function open(p, t)
  local buf = M.buffer(p, t)
  local win = vim.fn.win_findbuf(buf)[1]
  if win and vim.api.nvim_win_get_tabpage(win) == vim.api.nvim_get_current_tabpage() then
    vim.api.nvim_set_current_win(win)
    return
  end
  local height = math.min(vim.api.nvim_buf_line_count(buf), math.floor(vim.o.lines * 0.4))
  vim.cmd(('botright %dsplit'):format(math.max(height, 3)))
  vim.api.nvim_win_set_buf(0, buf)
  vim.wo[0].number, vim.wo[0].relativenumber, vim.wo[0].signcolumn, vim.wo[0].winfixheight = false, false, 'no', true
end

---Calls done with a numbered plan, or the one that the user means.
---@param number? integer
---@param wanted fun(p: redline.PlanState): boolean
---@param none string
---@param done fun(p: redline.PlanState)
local function meant(number, wanted, none, done)
  if not number then
    require('redline.decide').which(done, wanted, none)
    return
  end
  plans.fetch(function()
    local p = plans.get(number)
    if not p then
      client.say(('there is no plan %d.'):format(number))
    elseif not wanted(p) then
      client.say(none)
    else
      done(p)
    end
  end)
end

---Shows the output of a plan's trials.
---@param number? integer
function M.output(number)
  meant(
    number,
    function(p)
      return #M.shown(p) > 0
    end,
    'nothing was tried yet. `:Redline try` runs a trial.',
    function(p)
      local list = M.shown(p)
      if #list == 1 then
        open(p, list[1])
        return
      end
      vim.ui.select(list, {
        prompt = 'Which output?',
        format_item = function(t)
          return ('%s: %s'):format(plans.command_line(t), M.outcome(t))
        end,
      }, function(t)
        if t then
          open(p, t)
        end
      end)
    end
  )
end

---Reworks a plan to fix what failed: a trial, or the execution of the approved plan.
---@param number integer
function M.fix(number)
  meant(
    number,
    function(p)
      return p.state == 'failed' or M.failing(p) ~= nil
    end,
    ('nothing to fix: no current trial of plan %d failed.'):format(number),
    function(p)
      local trial = p.state ~= 'failed' and M.failing(p).id or nil
      client.ask('rework', { plan = p.plan, trial = trial })
    end
  )
end

---Calls done once trials are allowed; asks the user if they have not decided yet. The
---server checks the rest.
---@param done fun()
local function allowed(done)
  if plans.trials() ~= 'ask' then
    done()
    return
  end
  local allow = 'Allow trials in this workspace'
  vim.ui.select({ allow, 'Do not allow' }, {
    prompt = 'A trial runs code of this workspace in isolation: it cannot change your files or reach the network.',
  }, function(choice)
    if choice == allow then
      client.call('allowTrials', {}, function(result)
        if result and result.allowed then
          done()
        end
      end)
    end
  end)
end

---Tries a command on a plan, by default the plan's own commands.
---@param number? integer
---@param command? string
function M.try(number, command)
  meant(
    number,
    plans.is_open,
    number and ('plan %d is already decided.'):format(number) or 'no plan waits for you.',
    function(p)
      allowed(function()
        client.call('try', { plan = p.plan, command = command }, function(result)
          if result then
            client.say(
              ('trying %s on plan %d; `:Redline cancel` stops it.'):format(
                command and ('`%s`'):format(command) or 'its commands',
                p.plan
              )
            )
          end
        end)
      end)
    end
  )
end

-- Shows the results of the user's trials; those of the model are in the chat.
events.on('turn.started', function(e)
  if (e.summary or ''):match('^/try%f[%W]') then
    mine[e.turn] = 0
  end
end)

events.on('trial', function(e)
  local t = e.trial
  if t and mine[e.turn] then
    local hint = (t.verdict == 'passed' or t.output == '') and '' or ' See `:Redline output`.'
    client.say( -- the result first: the line may be cut
      ('%s: `%s`, after %s.%s'):format(t.result, plans.command_line(t), took(t.durationMs), hint),
      t.verdict ~= 'passed' and vim.log.levels.WARN or nil
    )
  end
end)

events.on('turn.finished', function(e)
  mine[e.turn] = nil
end)

return M
