-- Decisions: each is bound by a hash to what this buffer shows.
local client = require('redline.client')
local hunks = require('redline.hunks')
local plans = require('redline.plans')

local M = {}

---Calls done with one plan: that of the changes at the cursor, of those in the buffer,
---of this preview, or the only one; otherwise the user chooses.
---@param done fun(plan: redline.PlanState)
---@param wanted? fun(p: redline.PlanState): boolean
---@param none string the message if there is none
local function which(done, wanted, none)
  plans.fetch(function()
    local here = hunks.by_plan(hunks.all_at())
    if #here == 0 then
      here = hunks.by_plan(hunks.list())
    end
    local number = #here == 1 and here[1].plan or nil
    if #here == 0 then
      number = tonumber(vim.api.nvim_buf_get_name(0):match('%.redline/plans/0*(%d+)%-r%d+%.md$'))
    end
    local list = vim.tbl_filter(wanted or plans.is_open, plans.list(true))
    for _, p in ipairs(list) do
      if p.plan == number then
        done(p)
        return
      end
    end
    if #list == 0 then
      client.say(none)
    elseif #list == 1 then
      done(list[1])
    else
      vim.ui.select(list, {
        prompt = 'Which plan?',
        format_item = function(p)
          return ('plan %d (%s): %s'):format(p.plan, p.state:gsub('_', ' '), p.goal)
        end,
      }, function(p)
        if p then
          done(p)
        end
      end)
    end
  end)
end
M.which = which

---Confirms a rejection, which no text shows, unless the server has done so.
---@param argument table
---@param before string the last message of the server before the rejection
local function rejected(argument, before)
  local say = require('redline.say')
  if say.heard ~= before and say.heard:find('reject', 1, true) then
    return
  end
  local path = argument.path and require('redline.marks').visible(argument.path)
  local p = plans.get(argument.plan)
  local partly = not path and not argument.hunks and p and plans.has_applied(p)
  local what = argument.hunks and ('%d changes. The text is unchanged.'):format(#argument.hunks)
    or argument.hunk and ('this change of %s. The text is unchanged.'):format(path)
    or path and ('all changes of %s. The file is unchanged.'):format(path)
    or partly and ('the rest of plan %d. What you approved stays.'):format(argument.plan)
    or ('plan %d. Your files are unchanged.'):format(argument.plan)
  client.say('rejected ' .. what, nil, partly and '`:Redline undo` takes it back.' or nil)
end

---@param command 'approve'|'reject'|'undo'
---@param argument table
---@param done? fun() called once it is decided
local function decide(command, argument, done)
  local before = require('redline.say').heard
  local outcomes = require('redline.outcomes')
  outcomes.expect(argument.plan, command == 'undo')
  client.call(command, argument, function(_, err, id)
    if command == 'undo' then
      outcomes.answered(argument.plan, id, err ~= nil)
    end
    if command == 'reject' and not err then
      rejected(argument, before)
    end
    if done and not err then
      done()
    end
    local data = err and err.data
    if command == 'approve' and data and data.kind == 'stale' and not argument.hunk then
      vim.ui.select({ 'Approve the rest', 'Approve nothing' }, {
        prompt = 'Some changes are stale, because their lines have changed:',
      }, function(choice)
        if choice == 'Approve the rest' then
          decide(command, vim.tbl_extend('force', argument, { skipStale = true }))
        end
      end)
    end
  end)
end

---@param p redline.PlanState
---@param done fun(argument: table)
local function with_commands(p, done)
  local n = plans.commands(p)
  local preview, trials = require('redline.preview'), require('redline.trials')
  local argument = { plan = p.plan, revision = p.revision, hash = p.hash }
  local unseen = preview.unseen(p)
  if n == 0 and not unseen then
    done(argument)
    return
  end
  local lines = {}
  for _, c in ipairs(p.commands or {}) do
    if not vim.tbl_contains({ 'succeeded', 'rejected', 'running' }, c.status) then
      lines[#lines + 1] = plans.command_line(c)
    end
  end
  local edits = vim.iter(p.files or {}):any(plans.waits)
  local run = n > 0
      and (edits and 'Approve the edits and run %s' or 'Approve and run %s'):format(table.concat(lines, '; '))
    or nil
  local failing = trials.failing(p)
  local fix = failing and ('Fix it: %s %s'):format(plans.command_line(failing), failing.result)
  local look = unseen and 'Show the plan first' or nil
  local choices = {}
  if edits or not run then
    choices[1] = run and 'Approve the edits only' or 'Approve the plan'
  end
  for _, choice in pairs({ run, look, fix }) do
    choices[#choices + 1] = choice
  end
  local prompt = ('Plan %d%s%s'):format(p.plan, unseen and ' ' .. unseen or '', trials.summary(p))
  vim.ui.select(choices, { prompt = prompt }, function(choice)
    if not choice then
      return
    elseif choice == fix then
      trials.fix(p.plan)
    elseif choice == look then
      preview.open(p.plan)
    else
      if run then
        argument.allowCommands = choice == run -- false runs none, not even those that a rule allows
      end
      done(argument)
    end
  end)
end

---Calls done with the only change, or lets the user choose one.
---@param list redline.Hunk[] of different plans
---@param done fun(h: redline.Hunk)
local function one_of(list, done)
  if #list == 1 then
    done(list[1])
    return
  end
  vim.ui.select(list, {
    prompt = 'Several plans change this. Which one?',
    format_item = function(h)
      return plans.title(h.plan)
    end,
  }, function(h)
    if h then
      done(h)
    end
  end)
end

---@class redline.Scope
---@field count? integer how many changes, from the one at the cursor on
---@field range? { [1]: integer, [2]: integer } all changes of these lines, from 1
---@field reason? string of a rejection

---Decides on changes of one plan, all at once.
---@param command 'approve'|'reject'
---@param list redline.Hunk[]
---@param reason? string
local function decide_on(command, list, reason)
  local h = list[1]
  local argument = { plan = h.plan, revision = h.revision, hash = h.hash, reason = reason }
  if #list == 1 then
    argument.path, argument.hunk = h.path, h.hunk
  else
    argument.hunks = vim.tbl_map(function(of)
      return of.hunk
    end, list)
  end
  decide(command, argument, require('redline.move').from_here(list))
end

-- Says that there is no change where the user has asked for a decision.
---@param command string
---@param scope 'hunk'|'file'
---@param range? any
local function nothing_here(command, scope, range)
  plans.fetch(function(list)
    if #list == 0 then
      client.say('no change waits for you.')
    elseif scope == 'file' then
      client.say('no changes in this file wait for you.')
    else
      client.say(
        range and 'no change in these lines.' or 'no change at the cursor.',
        nil,
        ('`:Redline next` goes to one; `:Redline %s plan` means all.'):format(command)
      )
    end
  end)
end

---Decides on changes by their lines: those of a range, or some from the cursor on.
---@param command 'approve'|'reject'
---@param o redline.Scope
local function by_lines(command, o)
  local buf, line = vim.api.nvim_get_current_buf(), vim.api.nvim_win_get_cursor(0)[1]
  local first, last = line, line
  if o.range then
    first, last = o.range[1], o.range[2]
  end
  local here, clear
  if require('redline.page').of(buf) then
    here, clear = require('redline.page').between(buf, first, last)
    if not clear then
      client.say('several changes meet in these lines: decide on them in the text, or on the file.')
      return
    end
  else
    here = hunks.between(buf, first, last)
  end
  if #here == 0 then
    nothing_here(command, 'hunk', o.range)
    return
  end
  one_of(hunks.by_plan(here), function(chosen)
    local function of_plan(list)
      return vim.tbl_filter(function(h)
        return h.plan == chosen.plan
      end, list)
    end
    local list = o.range and of_plan(here) or { chosen }
    if not o.range and (o.count or 1) > 1 then
      local after = of_plan(require('redline.move').all(buf))
      for i, h in ipairs(after) do
        if h.hunk == chosen.hunk then
          list = vim.list_slice(after, i, i + o.count - 1)
        end
      end
    end
    decide_on(command, list, o.reason)
  end)
end

---@param command 'approve'|'reject'
---@param scope 'hunk'|'file'|'plan'
---@param o redline.Scope
local function run(command, scope, o)
  if scope == 'plan' then
    which(function(p)
      if command == 'reject' then
        decide(command, { plan = p.plan, revision = p.revision, hash = p.hash, reason = o.reason })
      else
        with_commands(p, function(argument)
          decide(command, argument)
        end)
      end
    end, nil, 'no plan waits for you.')
    return
  elseif scope == 'hunk' then
    by_lines(command, o)
    return
  end
  local here = hunks.all_at()
  here = hunks.by_plan(#here > 0 and here or hunks.list())
  if #here == 0 then
    nothing_here(command, scope)
    return
  end
  one_of(here, function(h)
    decide(command, { plan = h.plan, revision = h.revision, hash = h.hash, path = h.path, reason = o.reason })
  end)
end

---@param scope? 'hunk'|'file'|'plan'
---@param o? redline.Scope
function M.approve(scope, o)
  run('approve', scope or 'hunk', o or {})
end

---@param scope? 'hunk'|'file'|'plan'
---@param o? redline.Scope
function M.reject(scope, o)
  run('reject', scope or 'hunk', o or {})
end

---Undoes what was applied of the newest plan, or of a numbered one.
---@param number? integer
function M.undo(number)
  plans.fetch(function()
    local list = vim.tbl_filter(plans.has_applied, plans.list(true))
    local p = number and plans.get(number) or list[#list]
    if p then
      decide('undo', { plan = p.plan })
    else
      client.say('nothing to undo.')
    end
  end)
end

---Rates the newest finished plan, or a numbered one.
---@param number? integer
---@param rating integer 1 to 5
function M.rate(number, rating)
  plans.fetch(function()
    local done = vim.tbl_filter(function(p)
      return not plans.is_open(p)
    end, plans.list(true))
    number = number or (done[#done] or {}).plan
    if not number then
      client.say('no plan is finished yet. `:Redline rate N good` rates plan N.')
      return
    end
    client.call('rate', { plan = number, rating = rating }, function(p)
      if p then
        client.say(('plan %d is rated %d of 5. `redline stats` shows all ratings.'):format(p.plan, p.rating))
      end
    end)
  end)
end

---@param feedback string
function M.rework(feedback)
  which(function(p)
    client.ask('rework', { plan = p.plan, feedback = feedback })
  end, nil, 'no plan waits for you.')
end

function M.cancel()
  client.call('cancel', {}, function(result)
    if result and #(result.cancelled or {}) == 0 then
      client.say('nothing is running.')
    end
  end)
end

---Opens the preview of a plan.
---@param number? integer
function M.plan(number)
  if number then
    require('redline.preview').open(number)
  else
    which(function(p)
      require('redline.preview').open(p.plan)
    end, nil, 'no plan waits for you.')
  end
end

return M
