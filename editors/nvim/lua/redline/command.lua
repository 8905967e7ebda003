-- `:Redline`: a subcommand, or a request in plain words. Text that begins with the name of
-- a subcommand is a request only with a bang.
local M = {}

local scopes = { 'hunk', 'file', 'plan' }

---@param args string[]
local function scope_of(args)
  return args[1] and vim.tbl_contains(scopes, args[1]) and args[1] or nil
end

---@class redline.Subcommand
---@field run fun(args: string[], range?: { [1]: integer, [2]: integer })
---@field takes fun(args: string[]): boolean whether it accepts the arguments; otherwise they are refused
---@field form? string its arguments, as the help shows them; nil for none
---@field complete? string[]

local function nothing(args)
  return #args == 0
end

local function number(args)
  return #args == 0 or #args == 1 and args[1]:match('^%d+$') ~= nil
end

---@type table<string, redline.Subcommand>
local subcommands = {
  approve = {
    takes = function(args)
      return #args == 0 or #args == 1 and scope_of(args) ~= nil
    end,
    form = '[hunk|file|plan]',
    complete = scopes,
    run = function(args, range)
      require('redline.decide').approve(scope_of(args), { range = range })
    end,
  },
  reject = {
    takes = function(args) -- refuse a number: the user may mean a plan
      return #args == 0 or not args[1]:match('^%d+$')
    end,
    form = '[hunk|file|plan] [reason]',
    complete = scopes,
    run = function(args, range)
      local scope = scope_of(args)
      local reason = table.concat(args, ' ', scope and 2 or 1)
      require('redline.decide').reject(scope, { reason = reason ~= '' and reason or nil, range = range })
    end,
  },
  next = {
    takes = nothing,
    run = function()
      require('redline.move').next()
    end,
  },
  prev = {
    takes = nothing,
    run = function()
      require('redline.move').prev()
    end,
  },
  hunk = {
    takes = nothing,
    run = function()
      require('redline.float').open()
    end,
  },
  diff = {
    takes = nothing,
    run = function()
      require('redline.diff').open()
    end,
  },
  plan = {
    takes = number,
    form = '[N]',
    run = function(args)
      require('redline.decide').plan(tonumber(args[1]))
    end,
  },
  list = {
    takes = nothing,
    run = function()
      require('redline.list').open()
    end,
  },
  chat = {
    takes = nothing,
    run = function()
      require('redline.chat').toggle()
    end,
  },
  rework = {
    takes = function(args)
      return #args > 0
    end,
    form = '{feedback}',
    run = function(args)
      require('redline.decide').rework(table.concat(args, ' '))
    end,
  },
  with = {
    takes = function(args)
      return #args <= 1
    end,
    form = '[NAME|model]',
    run = function(args)
      require('redline.worker').choose(args[1])
    end,
  },
  agent = {
    takes = function(args)
      return #args <= 1
    end,
    form = '[NAME|none]',
    run = function(args)
      require('redline.agent').choose(args[1])
    end,
  },
  model = {
    takes = function(args)
      return #args <= 1
    end,
    form = '[NAME]',
    run = function(args)
      require('redline.model').choose(args[1])
    end,
  },
  fix = {
    takes = number,
    form = '[N]',
    run = function(args)
      if args[1] then
        require('redline.trials').fix(tonumber(args[1]))
      else
        require('redline.fix').plan()
      end
    end,
  },
  try = {
    takes = function()
      return true
    end,
    run = function(args)
      local n = args[1] and args[1]:match('^%d+$') and tonumber(args[1])
      local command = table.concat(args, ' ', n and 2 or 1)
      require('redline.trials').try(n or nil, command ~= '' and command or nil)
    end,
  },
  output = {
    takes = number,
    form = '[N]',
    run = function(args)
      require('redline.trials').output(tonumber(args[1]))
    end,
  },
  trace = {
    takes = function(args)
      return #args <= 1
    end,
    form = '[turn]',
    run = function(args)
      require('redline.trace').open(args[1])
    end,
  },
  compare = {
    takes = function(args)
      for i = 1, math.min(#args, 3) do
        if not args[i]:match('^r?%d+$') then
          return false
        end
      end
      return #args == 1 or #args == 3 or #args == 4
    end,
    form = 'N [rA rB [path]]',
    run = function(args)
      local n = {}
      for i = 1, 3 do
        n[i] = args[i] and tonumber((args[i]:gsub('^r', '')))
      end
      require('redline.compare').open(n[1], n[2], n[3], args[4])
    end,
  },
  rate = {
    takes = function(args)
      local word = args[#args]
      return (#args == 1 and not word:match('^%d+$') or #args == 2 and args[1]:match('^%d+$') ~= nil)
        and (word == 'good' or word == 'bad' or word:match('^[1-5]$') ~= nil)
    end,
    form = '[N] good|bad|1-5',
    complete = { 'good', 'bad' },
    run = function(args)
      local word = args[#args]
      local rating = ({ good = 5, bad = 1 })[word] or tonumber(word)
      require('redline.decide').rate(#args == 2 and tonumber(args[1]) or nil, rating)
    end,
  },
  undo = {
    takes = number,
    form = '[N]',
    run = function(args)
      require('redline.decide').undo(tonumber(args[1]))
    end,
  },
  cancel = {
    takes = nothing,
    run = function()
      require('redline.decide').cancel()
    end,
  },
  log = {
    takes = nothing,
    run = function()
      require('redline.client').log()
    end,
  },
  start = {
    takes = nothing,
    run = function()
      require('redline.client').restart()
    end,
  },
}

---Returns the subcommand that a request mistypes: one letter is wrong, and what follows would be its
---arguments. Words that would be free text are a request.
---@param name string
---@param rest string[]
---@return string?
function M.meant(name, rest)
  local meant = require('redline.nearest').of(name, vim.tbl_keys(subcommands))
  local sub = meant and subcommands[meant]
  if not sub then
    return nil
  end
  local free = sub.takes({ 'some', 'words', 'that', 'are', 'free' })
  return (#rest == 0 or not free and sub.takes(rest) or free and #rest == 1 and scope_of(rest) ~= nil) and meant or nil
end

---Returns the message about arguments that a subcommand does not accept.
---@param name string
---@param form? string
---@return string fact, string hint
function M.refusal(name, form)
  local usage = form and ('usage: `:Redline %s %s`.'):format(name, form)
    or ('`:Redline %s` takes no arguments.'):format(name)
  return usage, ('To send these words as a request: `:Redline! %s …`.'):format(name)
end

---@param o { args: string, fargs: string[], bang: boolean, range: integer, line1: integer, line2: integer }
function M.run(o)
  local name = o.fargs[1]
  local range = o.range > 0 and { o.line1, o.line2 } or nil
  local sub = name and not o.bang and subcommands[name]
  if sub then
    local rest = vim.list_slice(o.fargs, 2)
    if sub.takes(rest) then
      sub.run(rest, range)
    else
      local fact, hint = M.refusal(name, sub.form)
      require('redline.client').say(fact, nil, hint)
    end
    return
  end
  local meant = name and not o.bang and M.meant(name, vim.list_slice(o.fargs, 2))
  if meant then
    require('redline.client').say(
      ('there is no `:Redline %s`: did you mean `%s`?'):format(name, meant),
      nil,
      ('To send it as a request: `:Redline! %s`.'):format(name)
    )
    return
  end
  if vim.trim(o.args) ~= '' then
    require('redline.chat').send(o.args, range)
    return
  end
  local buf = vim.api.nvim_get_current_buf()
  vim.ui.input({ prompt = range and 'Redline, about these lines: ' or 'Redline: ' }, function(text)
    if text and vim.trim(text) ~= '' then
      require('redline.chat').send(text, range, buf)
    end
  end)
end

---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local words = vim.split(line:gsub('^%s*[^%a]*%a*%s*Redline', 'Redline'), '%s+')
  local candidates = {}
  if #words == 2 then
    candidates = vim.tbl_keys(subcommands)
  elseif #words == 3 and subcommands[words[2]] then
    candidates = subcommands[words[2]].complete or {}
  end
  candidates = vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, candidates)
  table.sort(candidates)
  return candidates
end

return M
