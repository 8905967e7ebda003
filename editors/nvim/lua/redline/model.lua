-- Which model the servers of this Neovim ask: that of the user's settings, or one chosen here. It goes to
-- the server as `REDLINE_MODEL`, since a server takes no settings from an editor.
local client = require('redline.client')
local program = require('redline.program')

local M = {}

---Runs the program and calls done with what it prints.
---@param arguments string[]
---@param done fun(out: string)
local function run(arguments, done)
  local cmd = program.command(require('redline.config').get().cmd)
  if not cmd then
    client.say(program.missing(require('redline.config').get().cmd), vim.log.levels.WARN)
    return
  end
  vim.system(
    vim.list_extend({ cmd[1] }, arguments),
    { text = true },
    vim.schedule_wrap(function(ended)
      done(ended.stdout or '')
    end)
  )
end

---Returns the value of a setting as `redline doctor --config` prints it.
---@param printed string
---@param name string
---@return string? nil for none
local function value(printed, name)
  local found = ('\n' .. printed):match('\n' .. vim.pesc(name) .. ' +(%S.-)  ')
  return found and not vim.startswith(found, '(') and found or nil
end

-- Runs `redline setup` in a terminal below, and starts the server again with what was set up.
local function set_up()
  local cmd = program.command(require('redline.config').get().cmd)
  if not cmd then
    client.say(program.missing(require('redline.config').get().cmd), vim.log.levels.WARN)
    return
  end
  vim.cmd('botright new')
  local options = {
    term = true,
    on_exit = function(_, code)
      if code == 0 then
        vim.schedule(client.restart)
      end
    end,
  }
  if vim.fn.has('nvim-0.11') == 1 then
    vim.fn.jobstart({ cmd[1], 'setup' }, options)
  else
    options.term = nil
    vim.fn.termopen({ cmd[1], 'setup' }, options) ---@diagnostic disable-line: deprecated
  end
  vim.cmd.startinsert()
end

---@param name string
local function use(name)
  if require('redline.status').busy() then
    client.say('a turn is running: `:Redline cancel` stops it, then choose the model.')
    return
  end
  client.model = name
  client.restart()
  client.call('state', {}, function(state)
    if state and state.model then
      client.say(('the model is %s, until you leave Neovim.'):format(state.model.name))
    end
  end)
end

---Calls done with the names of the models that the endpoint lists.
---@param printed string by `redline doctor --config`
---@param done fun(names: string[]?)
local function listed(printed, done)
  local arguments = { 'setup', '--models', '--json', '--provider', value(printed, 'model.provider') or 'other' }
  for flag, name in pairs({ ['--base-url'] = 'model.base_url', ['--api-key-env'] = 'model.api_key_env' }) do
    local of = value(printed, name)
    if of then
      vim.list_extend(arguments, { flag, of })
    end
  end
  run(arguments, function(out)
    local ok, answer = pcall(vim.json.decode, out)
    done(ok and type(answer) == 'table' and answer.models or nil)
  end)
end

---Chooses the model, and starts the server again with it. Without an endpoint it runs the setup.
---@param name? string default: the user chooses, or writes a name where the endpoint lists none
function M.choose(name)
  if name then
    use(name)
    return
  end
  run({ 'doctor', '--config' }, function(printed)
    if not (value(printed, 'model.base_url') or value(printed, 'model.provider')) then
      set_up()
      return
    end
    listed(printed, function(names)
      if not names or #names == 0 then
        vim.ui.input({ prompt = 'The endpoint lists no models. Name of the model: ' }, function(text)
          if text and vim.trim(text) ~= '' then
            use(vim.trim(text))
          end
        end)
        return
      end
      vim.ui.select(names, { prompt = 'Which model?' }, function(chosen)
        if chosen then
          use(chosen)
        end
      end)
    end)
  end)
end

return M
