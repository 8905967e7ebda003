-- Does Redline's main job in Neovim the way a user does, and ends Neovim with
-- an error when something is not as it should be. It uses nothing that the
-- user's configuration and Neovim 0.7 do not have.

local out = function(text) io.stdout:write(text .. '\n') end

local lines = function() return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n') .. '\n' end

-- proposed returns the diagnostics of the changes that a plan proposes here.
local proposed = function(plan)
  return vim.tbl_filter(function(d)
    return d.source == 'redline' and d.message:find('change %d+ of %d+, plan ' .. plan .. '%f[%D]')
  end, vim.diagnostic.get(0))
end

local fail = function(what)
  out('FAILED: ' .. what)
  out('buffer:\n' .. lines())
  out('diagnostics: ' .. vim.inspect(vim.diagnostic.get(0)))
  out('messages: ' .. vim.fn.execute('messages'))
  local log = io.open(vim.lsp.get_log_path())
  if log then out('log: ' .. log:read('*a')) end
  vim.cmd('cquit 1')
end

-- await waits until the condition holds.
local await = function(what, condition)
  if not vim.wait(60000, condition, 20) then fail('waited in vain until ' .. what) end
  out('ok: ' .. what)
end

local expect = function(what, got, want)
  if got ~= want then fail(what .. ': got ' .. vim.inspect(got) .. ', want ' .. vim.inspect(want)) end
  out('ok: ' .. what)
end

-- act opens the code actions at the cursor and takes the first whose title
-- begins with what is given. A change that is still being verified is not
-- offered yet, so it looks again until it is.
local act = function(title)
  local offered, taken
  local answered = true
  vim.ui.select = function(items, options, choose)
    answered, offered = true, {}
    for i, item in ipairs(items) do
      local shown = (options.format_item or tostring)(item)
      table.insert(offered, shown)
      if not taken and vim.startswith(shown, 'Redline: ' .. title) then taken = i end
    end
    choose(taken and items[taken] or nil, taken)
  end
  local found = vim.wait(60000, function()
    if answered and not taken then
      answered = false
      vim.lsp.buf.code_action()
    end
    return taken
  end, 50)
  if not found then fail('no code action "' .. title .. '" among ' .. vim.inspect(offered)) end
  out('ok: took the code action "' .. title .. '"')
end

local go = function(diagnostic)
  vim.api.nvim_win_set_cursor(0, { diagnostic.lnum + 1, 0 })
end

local drive = function()
  local original = lines()
  await('the server is attached', function()
    local clients = vim.lsp.get_clients and vim.lsp.get_clients({ bufnr = 0 }) or vim.lsp.buf_get_clients(0)
    for _, client in pairs(clients) do
      if client.name == 'redline' and client.server_capabilities.executeCommandProvider then return true end
    end
    return false
  end)

  -- In the buffer: ask, see, approve one change and then the rest, undo.
  vim.cmd('Redline rename greet to salute in *.go')
  await('the changes are proposed', function() return #proposed(1) > 0 end)
  expect('nothing has changed before approval', lines(), original)
  expect('nothing is written before approval', table.concat(vim.fn.readfile('main.go', 'b'), '\n'), original)
  local hover = vim.lsp.buf_request_sync(0, 'textDocument/hover', {
    textDocument = vim.lsp.util.make_text_document_params(), position = { line = proposed(1)[1].lnum, character = 0 },
  }, 10000)
  local shown = vim.inspect(hover)
  if not shown:find('```diff', 1, true) or not shown:find('salute', 1, true) then fail('no diff in the hover: ' .. shown) end
  out('ok: the hover shows the diff')

  local count = #proposed(1)
  go(proposed(1)[1])
  act('approve this change')
  await('one change is applied', function() return lines():find('salute', 1, true) and #proposed(1) == count - 1 end)
  if not lines():find('greet', 1, true) then fail('more than one change is applied') end
  go(proposed(1)[1])
  act('approve plan 1')
  local changed = original:gsub('greet', 'salute')
  await('the whole plan is applied', function() return lines() == changed end)

  -- In a file that was not open.
  await('the other file has a buffer', function() return vim.fn.bufnr('other.go') >= 0 end)
  local other = vim.fn.bufnr('other.go')
  await('the file that was not open is changed too', function()
    return table.concat(vim.api.nvim_buf_get_lines(other, 0, -1, false), '\n') .. '\n' == changed
  end)
  expect('what was applied is not saved', table.concat(vim.fn.readfile('main.go', 'b'), '\n'), original)

  -- Undo is the editor's own: each approval is one step.
  vim.cmd('silent undo')
  if not lines():find('greet', 1, true) then fail('undo has not taken back the second approval') end
  vim.cmd('silent undo')
  expect('undo takes the changes back', lines(), original)
  vim.cmd('silent redo')
  vim.cmd('silent redo')
  expect('redo makes them again', lines(), changed)

  -- A comment asks, and is gone once its plan is applied.
  vim.api.nvim_buf_set_lines(0, 4, 4, false, { '\t// redline: rename salute to wave', '\t// in main.go' })
  vim.api.nvim_win_set_cursor(0, { 6, 3 })
  act('plan this request')
  await('the comment is planned', function() return #proposed(2) > 0 end)
  go(proposed(2)[1])
  act('approve plan 2')
  local waved = changed:gsub('salute', 'wave')
  await('the comment is gone and its plan applied', function() return lines() == waved end)

  vim.cmd('silent wall')
  out('the main job is done')
  vim.cmd('qall!')
end

local ok, err = xpcall(drive, debug.traceback)
if not ok then fail(err) end
