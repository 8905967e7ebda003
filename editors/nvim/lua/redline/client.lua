-- The language server of a buffer: started once for each workspace, and restarted when
-- it crashes.
local config = require('redline.config')
local program = require('redline.program')

local M = {}

M.name = 'redline'

M.model = nil ---@type string? what the user has chosen instead of the model of their settings

-- A server that crashes more often than this within this time is not restarted.
local most_restarts, restart_window = 3, 5 * 60 * 1000

local warned = false
local crashes = {} ---@type integer[] when, in milliseconds

---@param text string
---@param level? integer
---@param hint? string a sentence that may be left out
local function say(text, level, hint)
  require('redline.say').say('Redline: ' .. text, level, hint)
end
M.say = say

---@param buf integer
---@return boolean
local function wanted(buf)
  local name = vim.api.nvim_buf_get_name(buf)
  return vim.bo[buf].buftype == ''
    and name ~= ''
    and not name:match('^%a[%w+.-]*://') -- such as the pages of other plugins
    and vim.fn.isdirectory(name) == 0
    and vim.api.nvim_buf_is_loaded(buf)
end

---@param buf integer
---@return string
local function root(buf)
  local file = vim.api.nvim_buf_get_name(buf)
  return vim.fs.root(file, { '.redline', '.git' }) or vim.fn.getcwd()
end

local function capabilities()
  return vim.tbl_deep_extend('force', vim.lsp.protocol.make_client_capabilities(), {
    experimental = { redline = { events = true, answers = true, diffModes = true } },
  })
end

---@type table<integer, table<integer, true>> the buffers of each client, by its id
local attached = {}

---@type table<integer, string> the folders of the servers that were started without a file, by their clients' ids
local bare = {}

---Calls done once Neovim has forgotten an ended client: before that, older versions
---would attach buffers to it again.
---@param id integer
---@param done fun()
local function forgotten(id, done)
  if vim.lsp.get_client_by_id(id) then
    vim.defer_fn(function()
      forgotten(id, done)
    end, 10)
  else
    done()
  end
end

---@type table<integer, true> the clients that we are stopping, by their ids
local stopping = {}

---@type table<integer, (fun(client: vim.lsp.Client))[]> requests to send once a server has started, by its client's id
local queued = {}

-- Handles the end of a server. Attaches its buffers again if it crashed.
local function ended(code, signal, id)
  vim.schedule(function()
    local buffers = vim.tbl_keys(attached[id] or {})
    local function leave() -- for good
      for _, buf in ipairs(buffers) do
        require('redline.keys').follow(buf, false)
      end
    end
    local told = stopping[id]
    local folder = bare[id]
    attached[id], stopping[id], queued[id], bare[id] = nil, nil, nil, nil
    program.running[id] = nil
    require('redline.plans').forget(id)
    require('redline.hunks').forget()
    require('redline.status').reset()
    require('redline.progress').reset()
    if vim.v.exiting ~= vim.NIL or (code == 0 and signal == 0) or told then
      leave()
      return
    end
    local now = vim.uv.now()
    crashes = vim.tbl_filter(function(at)
      return now - at < restart_window
    end, crashes)
    crashes[#crashes + 1] = now
    if #crashes > most_restarts then
      leave()
      say('the server keeps ending: see `:Redline log`. `:Redline start` tries again.', vim.log.levels.ERROR)
      return
    end
    say('the server ended and is restarting; your plans are kept. See `:Redline log`.', vim.log.levels.WARN)
    forgotten(id, function()
      for _, buf in ipairs(buffers) do
        if vim.api.nvim_buf_is_valid(buf) then
          M.attach(buf, true)
        end
      end
      if folder and #buffers == 0 then
        M.attach(vim.api.nvim_get_current_buf(), true)
      end
    end)
  end)
end

-- Sends what waited for a server.
local function flush(client)
  for _, send in ipairs(queued[client.id] or {}) do
    send(client)
  end
  queued[client.id] = nil
end

---Starts a server for a folder, without a file.
---@param configuration vim.lsp.ClientConfig
---@return integer? id of the client
local function start_bare(configuration)
  local id
  if vim.fn.has('nvim-0.11') == 1 then
    id = vim.lsp.start(configuration, { attach = false, silent = true })
  else
    id = vim.lsp.start_client(configuration) ---@diagnostic disable-line: deprecated
  end
  if id then
    attached[id], bare[id] = attached[id] or {}, configuration.root_dir
  end
  return id
end

---Attaches the server to a buffer, and starts it if needed. If the user wants it where there is no
---file, such as in an empty buffer, it is started for Neovim's folder.
---@param buf integer
---@param asked? boolean start it also if auto_start is off, because the user wants it
---@return integer? id of the client
---@return boolean? told whether the user was told why not
function M.attach(buf, asked)
  local o = config.get()
  local fits = wanted(buf)
  if not asked and not (fits and o.auto_start) then
    return nil
  elseif not fits then
    if next(bare) or M.of(buf) then
      return next(bare) -- it may be starting
    end
  end
  local cmd = program.command(o.cmd)
  if not cmd then
    if asked or not warned then
      say(program.missing(o.cmd), vim.log.levels.WARN)
    end
    warned = true
    return nil, true
  end
  local events = require('redline.events')
  local configuration = {
    name = M.name,
    cmd = cmd,
    cmd_env = M.model and { REDLINE_MODEL = M.model } or nil,
    root_dir = fits and root(buf) or vim.fs.root(vim.fn.getcwd(), { '.redline', '.git' }) or vim.fn.getcwd(),
    capabilities = capabilities(),
    handlers = {
      ['redline/event'] = function(_, event, ctx)
        event.client = ctx.client_id
        events.emit(event)
      end,
      ['textDocument/publishDiagnostics'] = function(err, result, ...)
        vim.lsp.handlers['textDocument/publishDiagnostics'](err, result, ...)
        if result then
          require('redline.hunks').published(result.uri)
        end
      end,
      ['workspace/applyEdit'] = function(err, result, ...)
        result.label = nil -- Neovim would print it for each file, and wait for a key
        -- A file that another Neovim has open would fail with E325 as it is loaded, and the edit with it.
        local shortmess = vim.o.shortmess
        vim.o.shortmess = shortmess .. 'A'
        local ok, answer = pcall(vim.lsp.handlers['workspace/applyEdit'], err, result, ...)
        vim.o.shortmess = shortmess
        if not ok then
          error(answer, 0)
        end
        return answer
      end,
      ['window/showMessage'] = require('redline.say').show_message,
      ['window/showDocument'] = require('redline.preview').show_document,
    },
    on_init = function(client, answer)
      program.started(client.id, answer, cmd[1])
      if bare[client.id] then
        require('redline.hunks').watch(client)
        flush(client)
      end
    end,
    on_attach = function(client, buffer)
      flush(client)
      require('redline.keys').follow(buffer, true)
      require('redline.hunks').watch(client)
      require('redline.hunks').refresh(buffer) -- a plan may be waiting already
    end,
    on_exit = ended,
  }
  if not fits then
    return start_bare(configuration)
  end
  local id = vim.lsp.start(configuration, { bufnr = buf, silent = true })
  if id then
    attached[id] = attached[id] or {}
    attached[id][buf] = true
  end
  return id
end

local recent ---@type integer? the client of the last request

---Returns the server of a buffer: that of its workspace, or for other buffers, such as
---the chat, the server of the last request.
---@param buf? integer default: the current one
---@return vim.lsp.Client?
function M.of(buf)
  buf = buf or vim.api.nvim_get_current_buf()
  local all = vim.lsp.get_clients({ name = M.name })
  local of = vim.lsp.get_clients({ name = M.name, bufnr = buf })[1]
  if of or not wanted(buf) then
    local last = recent and vim.lsp.get_client_by_id(recent)
    return of or vim.tbl_contains(all, last) and last or all[1]
  end
end

---Sends a request to the server of a buffer, and starts one if needed.
---@param method string
---@param params table
---@param done fun(err: any, result: any, context: any)
---@param buf? integer default: the current one
---@return boolean sent now or once the server has started; if false, a message has said why
function M.request(method, params, done, buf)
  buf = buf or vim.api.nvim_get_current_buf()
  local function send(client)
    recent = client.id
    if vim.fn.has('nvim-0.11') == 1 then
      client:request(method, params, done, buf)
    else
      client.request(method, params, done, buf)
    end
  end
  if vim.api.nvim_buf_get_name(buf) == '' and vim.bo[buf].buftype == '' then
    require('redline.keys').follow(buf, true) -- an empty buffer has no server, and yet uses one
  end
  local client = M.of(buf)
  if client then
    send(client)
    return true
  end
  local id, told = M.attach(buf, true)
  client = id and M.of(buf)
  if client then
    send(client)
  elseif id then -- it is starting
    queued[id] = queued[id] or {}
    table.insert(queued[id], send)
  elseif not told then
    say('no server runs here. Open a file of the workspace first.', vim.log.levels.WARN)
  end
  return id ~= nil
end

---Calls a command of the server, which shows refusals itself.
---@param command string without "redline."
---@param argument table
---@param done? fun(result: any, err: any, id: integer?) id is that of the server: the current buffer may belong to another one by then
---@param buf? integer of whose workspace; default: the current one
---@return boolean sent as in request
function M.call(command, argument, done, buf)
  return M.request('workspace/executeCommand', {
    command = 'redline.' .. command,
    arguments = { next(argument) and argument or vim.empty_dict() },
  }, function(err, result, context)
    if done then
      done(result, err, context and context.client_id)
    end
  end, buf)
end

---Calls a command that runs the model, and shows its progress.
---@param command string without "redline."
---@param argument table
---@param buf? integer of whose workspace; default: the current one
function M.ask(command, argument, buf)
  local answered = require('redline.progress').begin()
  if not M.call(command, argument, function(result, _, id)
    answered(result, id)
  end, buf) then
    answered()
  end
end

---Restarts the server for the buffers that it had.
function M.restart()
  crashes = {}
  local buffers = {}
  for _, client in ipairs(vim.lsp.get_clients({ name = M.name })) do
    vim.list_extend(buffers, vim.tbl_keys(attached[client.id] or {}))
    stopping[client.id] = true
    if vim.fn.has('nvim-0.11') == 1 then
      client:stop()
    else
      client.stop()
    end
  end
  if #buffers == 0 then
    buffers = { vim.api.nvim_get_current_buf() }
  end
  vim.wait(2000, function()
    return #vim.lsp.get_clients({ name = M.name }) == 0
  end, 20)
  for _, buf in ipairs(buffers) do
    M.attach(buf, true)
  end
end

---Opens Neovim's log of language servers at its end.
function M.log()
  local file = vim.lsp.log and vim.lsp.log.get_filename and vim.lsp.log.get_filename() or vim.lsp.get_log_path()
  vim.cmd.tabedit(vim.fn.fnameescape(file))
  vim.cmd.normal({ 'G', bang = true })
end

return M
