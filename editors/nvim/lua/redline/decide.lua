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
  local what = argument.hunk and ('this change of %s. The text is unchanged.'):format(path)
    or path and ('all changes of %s. The file is unchanged.'):format(path)
    or ('plan %d. Nothing more of it is applied.'):format(argument.plan)
  client.say('rejected ' .. what)
end

---@param command 'approve'|'reject'|'undo'
---@param argument table
local function decide(command, argument)
  local before = require('redline.say').heard
  client.call(command, argument, function(_, err)
    if command == 'reject' and not err then
      rejected(argument, before)
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
  local run = n > 0 and ('Approve the edits and run %s'):format(table.concat(lines, '; ')) or nil
  local failing = trials.failing(p)
  local fix = failing and ('Fix it: %s %s'):format(plans.command_line(failing), failing.result)
  local look = unseen and 'Show the plan first' or nil
  local choices = { run and 'Approve the edits only' or 'Approve the plan' }
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

---@param command 'approve'|'reject'
---@param scope 'hunk'|'file'|'plan'
---@param reason? string
local function run(command, scope, reason)
  if scope == 'plan' then
    which(function(p)
      if command == 'reject' then
        decide(command, { plan = p.plan, revision = p.revision, hash = p.hash, reason = reason })
      else
        with_commands(p, function(argument)
          decide(command, argument)
        end)
      end
    end, nil, 'no plan waits for you.')
    return
  end
  local here = hunks.all_at()
  if #here == 0 and scope == 'file' then
    here = hunks.list()
  end
  here = hunks.by_plan(here)
  if #here == 0 then
    client.say(
      scope == 'hunk'
          and 'no change at the cursor. `:Redline next` goes to one; `:Redline ' .. command .. ' plan` means all.'
        or 'no changes in this file wait for you.'
    )
    return
  end
  one_of(here, function(h)
    decide(command, {
      plan = h.plan,
      revision = h.revision,
      hash = h.hash,
      path = h.path,
      hunk = scope == 'hunk' and h.hunk or nil,
      reason = reason,
    })
  end)
end

---@param scope? 'hunk'|'file'|'plan'
function M.approve(scope)
  run('approve', scope or 'hunk')
end

---@param scope? 'hunk'|'file'|'plan'
---@param reason? string
function M.reject(scope, reason)
  run('reject', scope or 'hunk', reason)
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
