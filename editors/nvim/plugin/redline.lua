-- Defines the command and the <Plug> maps, and starts the server. Everything else loads
-- when it is first used.
if vim.g.loaded_redline then
  return
end
vim.g.loaded_redline = 1

if vim.fn.has('nvim-0.10') == 0 then
  require('redline.plain')
  return
end

vim.api.nvim_create_user_command('Redline', function(o)
  require('redline.command').run(o)
end, {
  nargs = '*',
  bang = true,
  range = true,
  desc = 'Ask Redline for a change, or decide on one',
  complete = function(lead, line)
    return require('redline.command').complete(lead, line)
  end,
})

for name, call in pairs({
  ['next'] = { 'redline.move', 'next' },
  ['prev'] = { 'redline.move', 'prev' },
  ['approve-hunk'] = { 'redline.decide', 'approve', 'hunk' },
  ['approve-file'] = { 'redline.decide', 'approve', 'file' },
  ['approve-plan'] = { 'redline.decide', 'approve', 'plan' },
  ['reject-hunk'] = { 'redline.decide', 'reject', 'hunk' },
  ['reject-file'] = { 'redline.decide', 'reject', 'file' },
  ['reject-plan'] = { 'redline.decide', 'reject', 'plan' },
  ['undo'] = { 'redline.decide', 'undo' },
  ['hunk'] = { 'redline.float', 'open' },
  ['diff'] = { 'redline.diff', 'open' },
  ['chat'] = { 'redline.chat', 'toggle' },
  ['list'] = { 'redline.list', 'open' },
  ['fix'] = { 'redline.fix', 'plan' },
  ['try'] = { 'redline.trials', 'try' },
  ['output'] = { 'redline.trials', 'output' },
  ['cancel'] = { 'redline.decide', 'cancel' },
}) do
  vim.keymap.set('n', '<Plug>(redline-' .. name .. ')', function()
    local count = vim.v.count1
    if call[1] == 'redline.move' then
      require(call[1])[call[2]](count)
    elseif call[3] == 'hunk' then
      require(call[1])[call[2]](call[3], { count = count })
    else
      require(call[1])[call[2]](call[3])
    end
  end, { desc = 'Redline: ' .. name:gsub('-', ' ') })
end
for _, mode in ipairs({ 'o', 'x' }) do
  vim.keymap.set(mode, '<Plug>(redline-object)', function()
    return require('redline.move').object()
  end, { expr = true, desc = 'Redline: the old lines of this change' })
end

-- The pages of `.redline/` may be open in several editors: that is no reason to ask.
vim.api.nvim_create_autocmd('SwapExists', {
  group = vim.api.nvim_create_augroup('redline.pages', {}),
  pattern = { '*/.redline/plans/*.md', '*/.redline/traces/*.md' },
  callback = function()
    vim.v.swapchoice = 'e'
  end,
})

-- Attaches buffers only once Neovim has started, so that the server never delays the first
-- screen.
local group = vim.api.nvim_create_augroup('redline', {})
local function follow()
  vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile', 'BufFilePost' }, {
    group = group,
    callback = function(event)
      require('redline.client').attach(event.buf)
    end,
  })
  vim.schedule(function()
    require('redline.keys').guard()
    for _, buf in ipairs(vim.api.nvim_list_bufs()) do
      if vim.api.nvim_buf_is_loaded(buf) then
        require('redline.client').attach(buf)
      end
    end
  end)
end
if vim.v.vim_did_enter == 1 then
  follow()
else
  vim.api.nvim_create_autocmd('VimEnter', { group = group, once = true, callback = follow })
end
