-- Counts what the plugin does: every call of one of its functions, wherever it comes
-- from; and how soon after a key it asks for changes.

local calls

-- Waits until the plugin has the answers to what it asked because of what the
-- server had told: a first answer comes after all that was told, the plugin asks
-- soon after, and so a third one comes after the answers to that.
function Settle()
  for _ = 1, 3 do
    local answers = vim.lsp.buf_request_sync(0, 'workspace/executeCommand', { command = 'redline.state' }, 60000)
    assert(answers and next(answers), 'the server does not answer')
  end
end

-- Starts to count.
function Quiet()
  calls = {}
  jit.off() -- compiled code calls no hooks
  jit.flush()
  debug.sethook(function()
    local at = debug.getinfo(2, 'S')
    if at.source:find('editors/nvim/', 1, true) then
      local where = at.short_src .. ':' .. at.linedefined
      calls[where] = (calls[where] or 0) + 1
    end
  end, 'c')
end

-- What was called since, a line each.
function Calls()
  debug.sethook()
  jit.on()
  local lines = {}
  for where, n in pairs(calls) do
    lines[#lines + 1] = ('%s: %d times'):format(where, n)
  end
  table.sort(lines)
  return table.concat(lines, '\n')
end

local hasty

-- Starts to watch what is asked for, and when.
function Watch()
  hasty = {}
  local key = 0
  vim.on_key(function()
    key = vim.loop.hrtime()
  end)
  local client = vim.lsp.get_clients({ name = 'redline' })[1]
  local request = client.request
  client.request = function(...)
    for _, argument in ipairs({ ... }) do
      if type(argument) == 'table' and argument.command == 'redline.hunks' then
        local ms = (vim.loop.hrtime() - key) / 1e6
        if ms < 100 and vim.api.nvim_get_mode().mode == 'i' then -- half of a pause
          hasty[#hasty + 1] = ('%.0f ms'):format(ms)
        end
      end
    end
    return request(...)
  end
end

-- What was asked for less than half a pause after a key, a line each.
function Hasty()
  return table.concat(hasty, '\n')
end
