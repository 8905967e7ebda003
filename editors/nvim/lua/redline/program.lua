-- The program `redline`: where it is, and whether it is new enough.
local M = {}

---The oldest program that this plugin works with. Raise it with the first use of something
---that an older server does not have.
M.needs = '0.1.0'

---How to install the program.
M.install = '`npm install -g redline-lsp` or `uv tool install redline-lsp`'

local windows = vim.fn.has('win32') == 1

---Returns the folders in which package managers install programs. Not all of them are on
---every PATH, least of all if Neovim was started from a menu.
---@return string[]
local function folders()
  local env, home = vim.env, vim.fn.expand('~')
  local all = { env.GOBIN or '' }
  for _, dir in ipairs(vim.split(env.GOPATH or '', windows and ';' or ':')) do
    all[#all + 1] = dir ~= '' and dir .. '/bin' or ''
  end
  vim.list_extend(all, {
    home .. '/go/bin',
    home .. '/.local/bin', -- pipx, uv
    (env.MASON or vim.fn.stdpath('data') .. '/mason') .. '/bin',
    env.NPM_CONFIG_PREFIX and env.NPM_CONFIG_PREFIX .. (windows and '' or '/bin') or '',
  })
  if windows then
    vim.list_extend(all, { home .. '/scoop/shims', env.APPDATA and env.APPDATA .. '/npm' or '' })
  else
    vim.list_extend(all, {
      home .. '/.npm-global/bin',
      '/opt/homebrew/bin',
      '/usr/local/bin',
      '/home/linuxbrew/.linuxbrew/bin',
    })
  end
  return vim.tbl_filter(function(dir) -- a relative folder could be in the workspace
    return dir:match(windows and '^%a:[/\\]' or '^/') ~= nil
  end, all)
end

---Returns the command that starts the server, with the program's path if it is not on PATH.
---@param cmd string[] as in the settings
---@return string[]? nil if there is no such program
function M.command(cmd)
  if vim.fn.executable(cmd[1]) == 1 then
    return cmd
  end
  if cmd[1] ~= 'redline' then -- the user means this one
    return nil
  end
  for _, dir in ipairs(folders()) do
    local path = dir .. '/redline'
    if vim.fn.executable(path) == 1 then
      local found = vim.list_extend({}, cmd)
      found[1] = path
      return found
    end
  end
end

---Returns the message that there is no program.
---@param cmd string[] as in the settings
---@return string
function M.missing(cmd)
  if cmd[1] ~= 'redline' then
    return ('cannot find `%s`: set `cmd`. See `:checkhealth redline`.'):format(cmd[1])
  end
  return ('cannot find `redline`: install it with %s; see `:checkhealth redline`.'):format(M.install)
end

-- How to upgrade a program, by a part of its path: as `redline version --check` says it, which
-- an older program may not have.
local upgrades = {
  { '/node_modules/', '`npm install -g redline-lsp@latest`' },
  { '/npm/', '`npm install -g redline-lsp@latest`' },
  { '/uv/tools/', '`uv tool upgrade redline-lsp`' },
  { '/pipx/venvs/', '`pipx upgrade redline-lsp`' },
  { '/mason/', '`:MasonInstall redline-lsp`' },
  { '/Cellar/', '`brew upgrade redline`' },
  { '/scoop/', '`scoop update redline`' },
  { '/nix/store/', '`nix profile upgrade redline`' },
  { '/go/bin/', '`go install ./cmd/redline` in a newer checkout' },
  { '/Scripts/', '`pip install --upgrade redline-lsp`' },
}

---Returns how to upgrade a program.
---@param program string
---@return string
function M.upgrade(program)
  local path = vim.fn.resolve(vim.fn.exepath(program)):gsub('\\', '/')
  for _, way in ipairs(upgrades) do
    if path:find(way[1], 1, true) then
      return way[2]
    end
  end
  return 'the package manager that installed it'
end

---@param version string
---@return integer[]? all its major, minor and patch number
local function numbers(version)
  local major, minor, patch = version:match('^v?(%d+)%.(%d+)%.(%d+)')
  return major and { tonumber(major), tonumber(minor), tonumber(patch) } or nil
end

---Returns the sentence about a program that is too old. A program that was built from a
---checkout (`-dev`) never is.
---@param version string
---@param program string by which its path is found
---@return string? nil if it is new enough
function M.too_old(version, program)
  local has, needs = numbers(version), numbers(M.needs)
  if not has or not needs or version:find('-dev', 1, true) then
    return nil
  end
  for i = 1, 3 do
    if has[i] > needs[i] then
      return nil
    elseif has[i] < needs[i] then
      return ('Redline %s is too old for this plugin, which needs %s or later. Upgrade it with %s.'):format(
        version,
        M.needs,
        M.upgrade(program)
      )
    end
  end
end

---@type table<integer, string> the versions of the running servers, by the ids of their clients
M.running = {}

local told = false

---Remembers the version of a server that has started. Says once if it is too old.
---@param id integer of its client
---@param answer any the server's answer to `initialize`
---@param program string
function M.started(id, answer, program)
  local version = type(answer) == 'table' and type(answer.serverInfo) == 'table' and answer.serverInfo.version
  if type(version) ~= 'string' then
    return
  end
  M.running[id] = version
  local sentence = M.too_old(version, program)
  if sentence and not told then
    told = true
    local say = vim.fn.has('nvim-0.10') == 1 and require('redline.say').say or vim.notify
    say(sentence, vim.log.levels.WARN)
  end
end

return M
