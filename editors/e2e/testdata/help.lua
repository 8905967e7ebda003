-- :help redline has every subcommand, map, setting and colour of the plugin, and no
-- other.
local wrong = {}

local page
for _, dir in ipairs(vim.api.nvim_list_runtime_paths()) do
  local path = dir .. '/doc/redline.txt'
  if vim.uv.fs_stat(path) then
    page = table.concat(vim.fn.readfile(path), '\n')
  end
end
assert(page, 'there is no doc/redline.txt')

local function section(heading)
  local from = assert(page:find('\n' .. heading .. ' +%*'), 'the help has no section ' .. heading)
  local to = page:find('\n===', from + 1, true) or #page
  return page:sub(from, to)
end

-- Both lists hold the same, and something.
local function same(what, told, there)
  for name in pairs(there) do
    if not told[name] then
      table.insert(wrong, ('the help does not have the %s %s'):format(what, name))
    end
  end
  for name in pairs(told) do
    if not there[name] then
      table.insert(wrong, ('the help has the %s %s, which there is not'):format(what, name))
    end
  end
  if vim.tbl_count(there) < 5 then
    table.insert(wrong, ('only %d of: %s'):format(vim.tbl_count(there), what))
  end
end

local function set(list)
  local all = {}
  for _, name in ipairs(list) do
    all[name] = true
  end
  return all
end

local function all_in(text, pattern)
  local found = {}
  for name in text:gmatch(pattern) do
    found[name] = true
  end
  return found
end

-- What :Redline completes, with what follows of it.
local there = {}
for _, name in ipairs(vim.fn.getcompletion('Redline ', 'cmdline')) do
  local takes = vim.fn.getcompletion('Redline ' .. name .. ' ', 'cmdline')
  there[name] = true
  local told = section('COMMANDS'):match(':Redline ' .. name .. ' %[(%l+|[%l|]+)%]')
    or section('COMMANDS'):match(':Redline ' .. name .. ' %[N%] (%l+|%l+)|')
    or ''
  if table.concat(takes, '|') ~= table.concat(vim.fn.sort(vim.split(told, '|')), '|') then
    table.insert(wrong, ('the help says that :Redline %s takes %q, it is %s'):format(name, told, table.concat(takes, ', ')))
  end
end
same('subcommand', all_in('\n' .. section('COMMANDS'), '\n:Redline (%l+)'), there)

local maps = {}
for _, map in ipairs(vim.list_extend(vim.api.nvim_get_keymap('n'), vim.api.nvim_get_keymap('o'))) do
  maps[map.lhs:match('^<Plug>%(redline%-([%l-]+)%)$') or ''] = true
end
maps[''] = nil
same('map', all_in(section('KEYS'), '<Plug>%(redline%-([%l-]+)%)'), maps)

-- The settings of the help are the defaults.
local block = assert(section('SETTINGS'):match('vim%.g%.redline = (%b{})'), 'the help has no vim.g.redline')
local told = assert(load('return ' .. block))()
local defaults = require('redline.config').get()
same('setting', set(vim.tbl_keys(told)), set(vim.tbl_keys(defaults)))
for name, value in pairs(defaults) do
  if not vim.deep_equal(value, told[name]) then
    table.insert(wrong, ('the help says that %s is %s, it is %s'):format(name, vim.inspect(told[name]), vim.inspect(value)))
  end
end

-- Every part of the plugin is loaded, so that every colour is defined.
for _, path in ipairs(vim.api.nvim_get_runtime_file('lua/redline/*.lua', true)) do
  local name = vim.fn.fnamemodify(path, ':t:r')
  if name ~= 'plain' and name ~= 'types' then
    require('redline.' .. name)
  end
end
same('colour', all_in(section('COLOURS'), 'Redline%u%a+'), set(vim.fn.getcompletion('Redline', 'highlight')))

-- What the help refers to is there.
local tags = all_in(page, '%*([^%s*|]+)%*')
for name in page:gmatch('|([:%a]*[Rr]edline[%a-]*)|') do
  if not tags[name] then
    table.insert(wrong, ('the help refers to |%s|, which there is not'):format(name))
  end
end
for line in page:gmatch('[^\n]+') do
  if vim.fn.strdisplaywidth(line) > 78 then
    table.insert(wrong, 'a line of the help is longer than 78: ' .. line)
  end
end

io.stdout:write(#wrong > 0 and table.concat(wrong, '\n') .. '\n' or 'the help has all of it\n')
vim.cmd('qa!')
