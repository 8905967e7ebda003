-- Lets the tests type commands of Redline and see nothing but the text.

vim.api.nvim_create_user_command('Ask', function(o)
  local command, argument = o.args:match('^(%S+) (.*)$')
  vim.lsp.buf_request(0, 'workspace/executeCommand', {
    command = command, arguments = { vim.fn.json_decode(argument) },
  }, function() end)
end, { nargs = 1 })

vim.diagnostic.config({ virtual_text = false, virtual_lines = false, signs = false, underline = false })
for _, name in ipairs({ 'window/showMessage', 'window/logMessage' }) do
  vim.lsp.handlers[name] = function() return vim.NIL end
end
