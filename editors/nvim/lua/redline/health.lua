-- `:checkhealth redline`
local M = {}

local client = require('redline.client')
local program = require('redline.program')

local function neovim()
  vim.health.start('Neovim')
  if vim.fn.has('nvim-0.10') == 1 then
    vim.health.ok('Neovim ' .. (vim.fn.execute('version'):match('NVIM v(%S+)') or '?'))
  else
    vim.health.warn(
      'Neovim is older than 0.10: Redline uses plain LSP only',
      { 'Use code actions on the proposed changes.' }
    )
  end
  local copies = {}
  for _, file in ipairs(vim.api.nvim_get_runtime_file('lua/redline/client.lua', true)) do
    local dir = vim.fn.resolve(vim.fn.fnamemodify(file, ':p:h:h:h'))
    if not vim.tbl_contains(copies, dir) then
      copies[#copies + 1] = dir
    end
  end
  if #copies > 1 then
    vim.health.warn('the plugin is installed more than once; the first one is used: ' .. table.concat(copies, ', '), {
      'Remove all but one: `redline uninstall` removes what `redline init nvim` wrote.',
    })
  else
    vim.health.ok('the plugin is in ' .. (copies[1] or 'an unknown folder'))
  end
end

---Checks the program.
---@return string? version
local function found()
  vim.health.start('The program')
  local wanted = require('redline.config').get().cmd
  local cmd = program.command(wanted)
  if not cmd then
    vim.health.error(('cannot find `%s`'):format(wanted[1]), {
      'Install it with ' .. program.install .. ', then run `:Redline start`.',
      'From a checkout of Redline: run `go install ./cmd/redline` there.',
      "If it is elsewhere, say where: vim.g.redline = { cmd = { '/path/to/redline', 'serve' } }",
    })
    return nil
  end
  local path = vim.fn.exepath(cmd[1])
  local out = vim.system({ path, 'version' }, { text = true }):wait(5000)
  if out.code ~= 0 then
    vim.health.error(('`%s version` failed: %s'):format(path, vim.trim(out.stderr or '')))
    return nil
  end
  local version = (out.stdout or ''):match('version (%S+)') or '?'
  local old = program.too_old(version, path)
  if old then
    vim.health.error(old)
  else
    vim.health.ok(('%s: %s'):format(path, vim.trim(out.stdout or '')))
    vim.health.ok(('new enough: this plugin needs %s or later'):format(program.needs))
  end
  return version
end

---@param c vim.lsp.Client
---@return table? the state of the server; nil if it does not answer
local function state(c)
  local params = { command = 'redline.state', arguments = { vim.empty_dict() } }
  local answer
  if vim.fn.has('nvim-0.11') == 1 then
    answer = c:request_sync('workspace/executeCommand', params, 3000)
  else
    answer = c.request_sync('workspace/executeCommand', params, 3000, vim.api.nvim_get_current_buf())
  end
  return answer and answer.result
end

---@param c vim.lsp.Client
---@param version? string of the program
local function running(c, version)
  local place = c.config.root_dir or 'this session'
  local s = state(c)
  if not s then
    vim.health.warn(('the server for %s does not answer'):format(place), { 'Run `:Redline start`.' })
    return
  end
  local own, model = program.running[c.id], s.model
  vim.health.ok(
    ('running for %s%s%s'):format(
      place,
      own and (', version ' .. own) or '',
      model and (', model ' .. tostring(model.name)) or ''
    )
  )
  if own and version and own ~= version then
    vim.health.warn(
      ('the server runs version %s, the program is now version %s'):format(own, version),
      { 'Run `:Redline start`: it restarts the server.' }
    )
  end
  if model and model.provider == 'builtin' then
    vim.health.info(
      'the built-in model understands a few instructions only: run `redline setup` in a terminal to set up another'
    )
  end
end

---Reports what is missing and what to do.
function M.check()
  neovim()
  local version = found()
  vim.health.start('The server')
  local clients = vim.lsp.get_clients({ name = client.name })
  if #clients == 0 then
    vim.health.info('not running: it starts with the first file of a workspace, or with `:Redline start`')
  end
  for _, c in ipairs(clients) do
    running(c, version)
  end
  vim.health.info('run `redline doctor` in a terminal for the rest of the configuration; `:Redline log` opens the log')
end

return M
