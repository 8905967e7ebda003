-- Neovim 0.7 to 0.9: plain LSP. `:Redline` asks and cancels; code actions on the proposed
-- changes, which are diagnostics, do the rest.
local program = require('redline.program')

local client ---@type integer?
local warned = false

local function start(buf)
  if vim.bo[buf].buftype ~= '' or vim.api.nvim_buf_get_name(buf) == '' then
    return
  end
  local wanted = (vim.g.redline or {}).cmd or { 'redline', 'serve' }
  local cmd = program.command(wanted)
  if not cmd then
    if not warned then
      warned = true
      vim.notify('Redline: ' .. program.missing(wanted), vim.log.levels.WARN)
    end
    return
  end
  if not (client and vim.lsp.get_client_by_id(client)) then
    client = vim.lsp.start_client({
      name = 'redline',
      cmd = cmd,
      root_dir = vim.fn.getcwd(),
      on_init = function(started, answer)
        program.started(started.id, answer, cmd[1])
      end,
    })
  end
  if client then
    vim.lsp.buf_attach_client(buf, client)
  end
end

vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile' }, {
  group = vim.api.nvim_create_augroup('redline', {}),
  callback = function(event)
    start(event.buf)
  end,
})

local function missing()
  vim.notify('Redline: this needs Neovim 0.10 or newer. Use code actions or `.redline/chat.md` instead.')
end

-- The commands of newer versions: text that begins with one of these words is no request.
local verbs = {
  approve = vim.lsp.buf.code_action,
  reject = vim.lsp.buf.code_action,
  undo = vim.lsp.buf.code_action,
  plan = vim.lsp.buf.code_action,
  rework = vim.lsp.buf.code_action,
  fix = vim.lsp.buf.code_action,
  try = vim.lsp.buf.code_action,
  output = missing,
  hunk = vim.lsp.buf.hover,
  next = vim.diagnostic.goto_next,
  prev = vim.diagnostic.goto_prev,
  list = vim.diagnostic.setqflist,
  diff = missing,
  chat = missing,
  cancel = function()
    vim.lsp.buf.execute_command({ command = 'redline.cancel', arguments = {} })
  end,
  log = function()
    vim.cmd('tabedit ' .. vim.fn.fnameescape(vim.lsp.get_log_path()))
  end,
  start = function() end, -- the command starts it before
}

local function takes(verb, args)
  local one = #args == 1 and args[1] or ''
  if verb == 'approve' or verb == 'reject' then
    return #args == 0 or one == 'hunk' or one == 'file' or one == 'plan'
  elseif verb == 'undo' or verb == 'plan' then
    return #args == 0 or one:match('^%d+$') ~= nil
  end
  return #args == 0
end

vim.api.nvim_create_user_command('Redline', function(o)
  local params = vim.lsp.util.make_text_document_params()
  start(0)
  local verb = not o.bang and o.fargs[1] or ''
  if verbs[verb] and takes(verb, vim.list_slice(o.fargs, 2)) then
    verbs[verb]()
  elseif verbs[verb] then
    vim.notify(
      ('Redline: `:Redline %s` takes no more words in this version of Neovim. Write `/reject why`, `/rework feedback` or `/try 1 command` in `.redline/chat.md`. '):format(
        verb
      ) .. ('To send these words as a request: `:Redline! %s …`.'):format(verb)
    )
  elseif o.args ~= '' then
    local argument = { message = o.args, textDocument = params }
    if o.range > 0 then
      argument.range = { start = { line = o.line1 - 1, character = 0 }, ['end'] = { line = o.line2, character = 0 } }
    end
    vim.lsp.buf.execute_command({ command = 'redline.chat', arguments = { argument } })
  else
    vim.notify('Redline: say what to change, as in `:Redline rename Total to Sum`.')
  end
end, { nargs = '*', bang = true, range = true })
