-- `:checkhealth redline`
local M = {}

function M.check()
  local client = require('redline.client')
  local config = require('redline.config').get()
  local health = vim.health

  health.start('Neovim')
  if vim.fn.has('nvim-0.10') == 1 then
    health.ok('Neovim ' .. tostring(vim.version()))
  else
    health.warn(
      'Neovim is older than 0.10: Redline uses plain LSP only',
      { 'Use code actions on the proposed changes.' }
    )
  end

  health.start('The program')
  local program = config.cmd[1]
  if vim.fn.executable(program) == 0 then
    health.error(('cannot find `%s`'):format(program), {
      'Run `go install ./cmd/redline` in a checkout of Redline and put `$(go env GOPATH)/bin` on your PATH,',
      "or set its path: vim.g.redline = { cmd = { '/path/to/redline', 'serve' } }",
    })
    return
  end
  local out = vim.system({ program, 'version' }, { text = true }):wait(5000)
  if out.code == 0 then
    health.ok(vim.fn.exepath(program) .. ': ' .. vim.trim(out.stdout))
  else
    health.error(('`%s version` failed: %s'):format(program, vim.trim(out.stderr or '')))
  end

  health.start('The server')
  local clients = vim.lsp.get_clients({ name = client.name })
  if #clients == 0 then
    health.info('not running: it starts with the first file of a workspace, or with `:Redline start`')
  end
  for _, c in ipairs(clients) do
    local state = c.request_sync
      and vim.fn.has('nvim-0.11') == 1
      and c:request_sync(
        'workspace/executeCommand',
        { command = 'redline.state', arguments = { vim.empty_dict() } },
        3000
      )
    local model = state and state.result and state.result.model
    health.ok(
      ('running for %s%s'):format(c.config.root_dir or 'this session', model and (', model ' .. model.name) or '')
    )
    if model and model.provider == 'builtin' then
      health.info(
        'the built-in model understands a few instructions only: run `redline setup` in a terminal to set up another'
      )
    end
  end
  health.info('run `redline doctor` in a terminal for the rest of the configuration; `:Redline log` opens the log')
end

return M
