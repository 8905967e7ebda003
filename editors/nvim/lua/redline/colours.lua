-- The colours of proposed changes: red and green, on dark and light backgrounds, even if
-- the colour scheme has none for diffs. Neovim's own DiffDelete colours only the letters,
-- and its DiffText is blue.
local M = {}

---@type table<string, { add: integer, delete: integer, add_text: integer, delete_text: integer, cterm: integer[] }>
local own = {
  dark = {
    add = 0x143d24,
    delete = 0x4a1a1f,
    add_text = 0x1f7a40,
    delete_text = 0x96303a,
    cterm = { 22, 52, 28, 88 },
  },
  light = {
    add = 0xc4ecce,
    delete = 0xf8cfd0,
    add_text = 0x84d697,
    delete_text = 0xf09a9e,
    cterm = { 194, 224, 157, 217 },
  },
}

local links = {
  RedlineSignChange = 'Changed',
  RedlineSignInsert = 'Added',
  RedlineSignDelete = 'Removed',
  RedlineSignStale = 'DiagnosticSignWarn',
  RedlineNote = 'Comment',
  RedlineProgress = 'NormalFloat',
}

---@param colour integer
---@return integer red, integer green, integer blue
local function rgb(colour)
  return math.floor(colour / 0x10000), math.floor(colour / 0x100) % 0x100, colour % 0x100
end

---Mixes two colours, with more of the second.
local function between(a, b)
  local out = 0
  local from, to = { rgb(a) }, { rgb(b) }
  for i = 1, 3 do
    out = out * 0x100 + math.floor(0.4 * from[i] + 0.6 * to[i])
  end
  return out
end

---@param name string
---@return integer? bg what a group has behind its letters
local function behind(name)
  local hl = vim.api.nvim_get_hl(0, { name = name, link = false })
  return hl.reverse and hl.fg or hl.bg
end

---Returns the colours of lines: the colour scheme's, if its diff colours are green and red.
---@param mine table
---@return integer add, integer delete, boolean theirs
local function lines(mine)
  local add, delete = behind('DiffAdd'), behind('DiffDelete')
  if add and delete then
    local r, g, b = rgb(add)
    local green = g > r and g > b
    r, g, b = rgb(delete)
    if green and r > g and r > b then
      return add, delete, true
    end
  end
  return mine.add, mine.delete, false
end

local set = {} ---@type table<string, vim.api.keyset.get_hl_info> the groups as define has set them

---@param name string
---@param hl vim.api.keyset.highlight
local function define(name, hl)
  local now = vim.api.nvim_get_hl(0, { name = name })
  if next(now) and not vim.deep_equal(now, set[name]) then
    return -- defined by the user or the colour scheme
  end
  vim.api.nvim_set_hl(0, name, hl)
  set[name] = vim.api.nvim_get_hl(0, { name = name })
end

local last ---@type string? the colour scheme that the groups were made for

---Defines the groups that neither the user nor the colour scheme defines.
function M.apply()
  local mine = own[vim.o.background] or own.dark
  local add, delete, theirs = lines(mine)
  define('RedlineAdd', { bg = add, ctermbg = mine.cterm[1] })
  define('RedlineDelete', { bg = delete, ctermbg = mine.cterm[2] })
  define('RedlineAddText', {
    bg = theirs and between(add, mine.add_text) or mine.add_text,
    ctermbg = mine.cterm[3],
    bold = true,
  })
  define('RedlineDeleteText', {
    bg = theirs and between(delete, mine.delete_text) or mine.delete_text,
    ctermbg = mine.cterm[4],
    bold = true,
  })
  for name, link in pairs(links) do
    define(name, { link = link })
  end
  last = vim.o.background .. (vim.g.colors_name or '')
end

---Defines the groups again if the colour scheme or background has changed. There is no
---event if Neovim detects the terminal's background by itself.
function M.follow()
  if last ~= vim.o.background .. (vim.g.colors_name or '') then
    M.apply()
  end
end

local group = vim.api.nvim_create_augroup('redline.colours', {})
vim.api.nvim_create_autocmd('ColorScheme', { group = group, callback = M.apply })
vim.api.nvim_create_autocmd('OptionSet', { group = group, pattern = 'background', callback = M.apply })
M.apply()

return M
