-- Makes `require('redline')` work where a plugin manager has cloned the whole repository,
-- also before Neovim has sourced plugin/redline.lua: puts editors/nvim onto the runtimepath.
local plugin = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h:h') .. '/editors/nvim'
vim.opt.runtimepath:append(plugin)
return dofile(plugin .. '/lua/redline/init.lua')
