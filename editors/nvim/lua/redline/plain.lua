-- Neovim 0.7 to 0.9: plain LSP. Requests and cancelling by `:Redline`, everything else
-- by code actions on the proposed changes, which are diagnostics there.
local client ---@type integer?

local function start(buf)
  if vim.bo[buf].buftype ~= '' or vim.api.nvim_buf_get_name(buf) == '' then
    return
  end
  local cmd = (vim.g.redline or {}).cmd or { 'redline', 'serve' }
  if vim.fn.executable(cmd[1]) == 0 then
    return
  end
  if not (client and vim.lsp.get_client_by_id(client)) then
    client = vim.lsp.start_client({ name = 'redline', cmd = cmd, root_dir = vim.fn.getcwd() })
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

vim.api.nvim_create_user_command('Redline', function(o)
  local params = vim.lsp.util.make_text_document_params()
  start(0)
  if o.args == 'cancel' then
    vim.lsp.buf.execute_command({ command = 'redline.cancel', arguments = {} })
  elseif o.args == 'log' then
    vim.cmd('tabedit ' .. vim.fn.fnameescape(vim.lsp.get_log_path()))
  elseif
    vim.tbl_contains({ 'approve', 'reject', 'undo', 'plan', 'rework' }, o.fargs[1])
    and #o.fargs < 3
    and not o.bang
  then
    vim.lsp.buf.code_action()
  elseif o.fargs[1] == 'next' and #o.fargs == 1 then
    vim.diagnostic.goto_next()
  elseif o.fargs[1] == 'prev' and #o.fargs == 1 then
    vim.diagnostic.goto_prev()
  elseif o.args ~= '' then
    local argument = { message = o.args, textDocument = params }
    if o.range > 0 then
      argument.range = { start = { line = o.line1 - 1, character = 0 }, ['end'] = { line = o.line2, character = 0 } }
    end
    vim.lsp.buf.execute_command({ command = 'redline.chat', arguments = { argument } })
  else
    vim.notify('Redline: say what should change, as in `:Redline rename Total to Sum`.')
  end
end, { nargs = '*', bang = true, range = true })
