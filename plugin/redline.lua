-- Loads Neovim's plugin where a plugin manager has cloned the whole repository: the plugin
-- is in editors/nvim.
local root = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h')
dofile(root .. '/lua/redline/init.lua')
vim.cmd('source ' .. vim.fn.fnameescape(root .. '/editors/nvim/plugin/redline.lua'))
