-- Does Redline's main job with the plugin of editors/nvim, by its command alone, and
-- ends Neovim with an error when something is not as it should be.

local out = function(text) io.stdout:write(text .. '\n') end

local lines = function() return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n') .. '\n' end

local marks = function()
  return vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_get_namespaces().redline or -1, 0, -1, { details = true })
end

local fail = function(what)
  out('FAILED: ' .. what)
  out('buffer:\n' .. lines())
  out('hunks: ' .. vim.inspect(require('redline.hunks').list()))
  out('messages: ' .. vim.fn.execute('messages'))
  local log = io.open(vim.lsp.log and vim.lsp.log.get_filename and vim.lsp.log.get_filename() or vim.lsp.get_log_path())
  if log then out('log: ' .. log:read('*a')) end
  vim.cmd('cquit 1')
end

local await = function(what, condition)
  if not vim.wait(60000, condition, 20) then fail('waited in vain until ' .. what) end
  out('ok: ' .. what)
end

local expect = function(what, got, want)
  if not vim.deep_equal(got, want) then fail(what .. ': got ' .. vim.inspect(got) .. ', want ' .. vim.inspect(want)) end
  out('ok: ' .. what)
end

-- What is said, and what is chosen in a question.
dofile(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':h') .. '/plugin_notes.lua')
local noted = Noted

local hunks = function() return require('redline.hunks').list() end
-- A decision is done once the server has seen the text: only then the next one counts.
local state = function(plan, want)
  await('plan ' .. plan .. ' is ' .. want, function()
    local p = require('redline.plans').get(plan)
    return p and p.state == want
  end)
end

local count = function(n) return function() return #hunks() == n end end
local buffer_named = function(part)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(buf):find(part, 1, true) then return buf end
  end
end
local text_of = function(buf) return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\n') end

-- What is drawn: the new lines, and how many lines are marked as going.
local drawn = function()
  local new, old = {}, 0
  for _, m in ipairs(marks()) do
    local details = m[4]
    if details.hl_group == 'RedlineDelete' then old = old + 1 end
    for _, line in ipairs(details.virt_lines or {}) do
      local text = ''
      for _, chunk in ipairs(line) do text = text .. chunk[1] end
      new[#new + 1] = vim.trim(text)
    end
  end
  return table.concat(new, '\n'), old
end

-- What is marked within lines: first of those that would go, then of those that would come.
local within = function()
  local old, new = {}, {}
  for _, m in ipairs(marks()) do
    if m[4].hl_group == 'RedlineDeleteText' then
      old[#old + 1] = vim.api.nvim_buf_get_text(0, m[2], m[3], m[4].end_row, m[4].end_col, {})[1]
    end
    for _, line in ipairs(m[4].virt_lines or {}) do
      for _, chunk in ipairs(line) do
        if chunk[2] == 'RedlineAddText' then new[#new + 1] = chunk[1] end
      end
    end
  end
  return vim.list_extend(old, new)
end

local signs = function()
  local list = {}
  for _, m in ipairs(marks()) do
    if m[4].sign_text then -- on each line of the mark
      for _ = m[2], m[4].end_row or m[2] do list[#list + 1] = vim.trim(m[4].sign_text) end
    end
  end
  return list
end

local noted_behind = function(part)
  for _, m in ipairs(marks()) do
    for _, chunk in ipairs(m[4].virt_text or {}) do
      if chunk[1]:find(part, 1, true) then return true end
    end
  end
  return false
end

local drive = function()
  local original = lines()
  local main = vim.api.nvim_get_current_buf()
  if package.loaded['redline.marks'] and #marks() > 0 then fail('something is drawn at the start') end
  await('the server is attached', function()
    local c = vim.lsp.get_clients({ bufnr = main, name = 'redline' })[1]
    return c and c.server_capabilities.executeCommandProvider
  end)

  -- An answer opens the transcript and leaves the cursor where it is.
  vim.cmd('Redline what can you do?')
  await('the answer is in the transcript', function()
    local buf = buffer_named('redline://chat')
    return buf and #vim.fn.win_findbuf(buf) == 1 and text_of(buf):find('built%-in model')
  end)
  expect('the cursor stays', vim.api.nvim_get_current_buf(), main)
  vim.cmd('only')

  -- Ask and see.
  vim.cmd('Redline rename greet to salute in *.go')
  await('the changes are there', count(2))
  expect('nothing has changed before approval', lines(), original)
  local new, old = drawn()
  if old ~= 3 or not new:find('salute', 1, true) then fail('drawn are ' .. old .. ' old lines and\n' .. new) end
  out('ok: the changes are drawn')
  expect('what differs within a line is marked, as it is and as it would be', within(), { 'greet', 'greet', 'greet', 'salute', 'salute', 'salute' })
  expect('each line that would go has a sign', signs(), { '▎', '▎', '▎' })
  await('the statusline counts them', function() return require('redline').statusline() == 'Redline: 4 changes' end)
  expect('no preview is opened, since all can be seen in the text', #vim.api.nvim_list_wins(), 1)

  -- Move.
  vim.cmd('normal! gg')
  vim.cmd('Redline next')
  local first = vim.fn.line('.')
  expect('next goes to the first change', first, hunks()[1].range.start.line + 1)
  vim.cmd('Redline next')
  expect('next goes to the second change', vim.fn.line('.'), hunks()[2].range.start.line + 1)
  vim.cmd('Redline prev')
  expect('prev goes back', vim.fn.line('.'), first)
  vim.cmd('Redline hunk')
  local float = vim.fn.win_getid(vim.fn.winnr('$'))
  await('the float shows the diff', function()
    for _, win in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(win).relative ~= '' then
        float = win
        return text_of(vim.api.nvim_win_get_buf(win)):find('+.*salute')
      end
    end
  end)
  vim.api.nvim_win_close(float, true)

  -- Beside what it would become.
  vim.cmd('Redline diff')
  local right = buffer_named('redline://proposed/main.go')
  expect('the diff has both sides', #vim.api.nvim_tabpage_list_wins(0), 2)
  expect('the right side is the proposed text', text_of(right) .. '\n', (original:gsub('greet', 'salute')))
  expect('the left side has signs only', ({ drawn() })[2], 0)
  vim.cmd('tabclose')
  await('it is drawn in full again', function() return ({ drawn() })[2] == 3 end)

  -- Typing moves a change, and what is drawn with it; typing into one makes it stale.
  vim.api.nvim_buf_set_lines(0, 0, 0, false, { '// a line on top' })
  await('the change has moved', function() return hunks()[1].range.start.line == first end)
  expect('its mark with it', vim.tbl_contains(vim.tbl_map(function(m) return m[2] end, marks()), first), true)
  vim.cmd('silent undo')
  await('it is back', function() return hunks()[1].range.start.line + 1 == first end)
  vim.api.nvim_buf_set_text(0, first - 1, 0, first - 1, 2, { '///' })
  await('a change whose lines were changed is stale', function() return noted_behind('stale: ') and vim.tbl_contains(signs(), '!') end)
  vim.cmd(tostring(first))
  vim.cmd('Redline approve')
  await('and cannot be approved', function() return noted('Rework the plan') or vim.fn.execute('messages'):find('Rework the plan', 1, true) end)
  expect('nothing of it is made', lines():find('salute', 1, true), nil)
  vim.cmd('silent undo')
  await('it waits again', function() return not noted_behind('stale: ') and #hunks() == 2 and hunks()[1].status == 'pending' end)

  -- Approve one, reject one.
  vim.cmd(tostring(first))
  vim.cmd('Redline approve')
  await('one change is applied', function() return #hunks() == 1 and lines():find('salute', 1, true) end)
  if not lines():find('greet', 1, true) then fail('more than one change is applied') end
  state(1, 'reviewing')
  await('the cursor moves to the other change', function() return vim.fn.line('.') == hunks()[1].range.start.line + 1 end)
  vim.cmd('Redline reject hunk it is fine as it is')
  await('the other is rejected', count(0))

  -- On to the next file.
  vim.cmd('Redline next')
  await('next goes to the other file', function() return vim.api.nvim_buf_get_name(0):find('other.go', 1, true) and #hunks() == 2 end)
  vim.cmd('Redline list')
  await('the quickfix list has the rest', function()
    local items = vim.fn.getqflist()
    return #items == 2 and vim.fn.bufname(items[1].bufnr):find('other.go', 1, true) and items[1].text:find('plan 1', 1, true)
  end)
  vim.cmd('cclose')

  -- The server is killed: it is started again, and the plan is still there.
  local pid = tonumber(vim.fn.system({ 'pgrep', '-n', '-P', tostring(vim.fn.getpid()), '-f', ' serve$' }))
  if not pid then fail('the server has no process') end
  vim.uv.kill(pid, 'sigkill')
  await('it is said that the server has ended', function() return noted('is restarting') end)
  await('the plan is still there', function()
    local c = vim.lsp.get_clients({ bufnr = 0, name = 'redline' })[1]
    return c and #hunks() == 2 and #marks() > 0
  end)

  vim.cmd('Redline approve plan')
  await('the rest is applied', function() return not lines():find('greet', 1, true) end)
  state(1, 'completed')
  vim.cmd('Redline undo')
  await('undo takes back this file', function() return not lines():find('salute', 1, true) end)
  await('and the other', function() return table.concat(vim.api.nvim_buf_get_lines(main, 0, -1, false), '\n') .. '\n' == original end)
  state(1, 'awaiting_approval')
  await('the changes wait again', count(2))
  vim.cmd('Redline reject plan')
  state(1, 'cancelled')
  await('nothing is left of it', count(0))

  -- A plan with a command takes no room from the text; its preview is opened when that is
  -- asked for, and the command runs only if allowed.
  local named = require('redline.plans').command_line
  expect('a command at the root', named({ id = 'o1', command = './build.sh', status = 'pending' }), './build.sh')
  expect('a command is named with its folder', named({ id = 'o1', command = './build.sh', cwd = 'evil', status = 'pending' }), 'in evil: ./build.sh')
  expect('a folder that reads like more is quoted', named({ id = 'o1', command = 'x', cwd = 'a: true', status = 'pending' }), 'in "a: true": x')
  Choose = 'Approve the edits only'
  vim.cmd('edit main.go')
  vim.cmd('Redline! replace "greet" with "wave" in main.go then run expr 40 + 2')
  await('the plan with the command is there', function() return (require('redline.plans').get(2) or {}).state == 'awaiting_approval' end)
  expect('no window is opened for it', #vim.api.nvim_list_wins(), 1)
  vim.cmd('Redline plan')
  await('the preview is opened', function()
    local buf = buffer_named('plans/0002-r1.md')
    return buf and #vim.fn.win_findbuf(buf) == 1
  end)
  vim.cmd('Redline approve plan')
  await('the edits are applied', function() return table.concat(vim.api.nvim_buf_get_lines(main, 0, -1, false), '\n'):find('wave', 1, true) end)
  state(2, 'reviewing')
  local printed = function() return text_of(buffer_named('redline://chat')):find('\n    42', 1, true) ~= nil end
  expect('the command has not run', printed(), false)
  vim.cmd('silent wall')
  Choose = 'and run'
  vim.cmd('Redline approve plan')
  await('the command runs once it is allowed, and what it prints is in the transcript', printed)
  state(2, 'completed')

  -- The chat, where the message is written.
  vim.cmd('only')
  vim.cmd('buffer ' .. main)
  vim.cmd('Redline chat')
  expect('the cursor is where the message is written', vim.api.nvim_buf_get_name(0):find('redline://message', 1, true) ~= nil, true)
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { '/status' })
  vim.cmd('write')
  await('the message is sent', function() return text_of(buffer_named('redline://chat')):find('/status', 1, true) end)
  await('and answered', function() return text_of(buffer_named('redline://chat')):find('plan 2', 1, true) or text_of(buffer_named('redline://chat')):find('Plan 2', 1, true) end)
  expect('the message is taken', vim.api.nvim_buf_get_lines(0, 0, -1, false), { '' })
  vim.cmd('Redline chat')

  -- A problem that somebody else reports.
  vim.cmd('buffer ' .. main)
  vim.cmd('Redline fix')
  await('it says that there is no problem', function() return noted('no problem is reported') end)
  local linter = vim.api.nvim_create_namespace('linter')
  vim.diagnostic.set(linter, main, { { lnum = vim.fn.line('.') - 1, col = 0, message = 'wave has no body', source = 'linter' } })
  vim.cmd('Redline fix')
  await('a fix is asked for', function() return text_of(buffer_named('redline://chat')):find('Fix this problem: wave has no body', 1, true) end)
  vim.cmd('only')

  -- What does not fit continues in the next line, and messages are whole sentences.
  expect('new lines go on below', require('redline.wrap').lines({ { 'abcde', 'A' }, { 'fg😀', 'B' } }, 4),
    { { { 'abcd', 'A' } }, { { 'e', 'A' }, { 'fg', 'B' } }, { { '😀', 'B' } } })
  local fact, hint = 'Redline: plan 1: 2 changes in 1 file applied. Not saved yet: a.go.', 'u takes them back.'
  local line = require('redline.say').line
  expect('a message that fits is as it is', line(fact, hint, 90), fact .. ' ' .. hint)
  expect('without room the hint goes first', line(fact, hint, 80), fact)
  expect('then the name in front', line(fact, hint, 60), 'Plan 1: 2 changes in 1 file applied. Not saved yet: a.go.')
  expect('no sentence is cut', line(fact, hint, 50), nil)

  -- Completion, and what the cursor is not on.
  expect('subcommands are completed', vim.fn.getcompletion('Redline ap', 'cmdline'), { 'approve' })
  expect('and scopes', vim.fn.getcompletion('Redline approve ', 'cmdline'), { 'file', 'hunk', 'plan' })
  vim.cmd('Redline approve')
  await('it says that nothing waits', function() return noted('no change waits for you') end)
  vim.cmd('checkhealth redline')
  expect('the health check finds no error', text_of(0):find('ERROR') == nil and text_of(0):find('running for') ~= nil, true)

  out('the main job is done')
  vim.cmd('qall!')
end

-- The plugin attaches to buffers once Neovim has started, which is after this file.
vim.api.nvim_create_autocmd('VimEnter', {
  callback = vim.schedule_wrap(function()
    local ok, err = xpcall(drive, debug.traceback)
    if not ok then fail(err) end
  end),
})
