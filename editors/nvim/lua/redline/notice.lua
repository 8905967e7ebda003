-- Shows a message that is too long for the last line in a float above it, or at the top if that would hide
-- the line of the cursor, until a key is pressed.
local corner = require('redline.corner')

local M = {}

local win, buf ---@type integer?, integer?
local edge = 'S' ---@type 'N'|'S'
local shown ---@type { text: string, highlight: string?, since: integer }?
local keys = vim.api.nvim_create_namespace('redline.notice')

-- Keys that were on their way when the message came do not close it, in milliseconds.
local at_least = 1000

---@return { edge: 'N'|'S', rows: integer }? where it stands, and how many rows of the screen it takes
function M.stands()
  if win and vim.api.nvim_win_is_valid(win) then
    return { edge = edge, rows = vim.api.nvim_win_get_height(win) }
  end
end

local function follow()
  if package.loaded['redline.progress'] then
    require('redline.progress').moved()
  end
end

function M.close()
  if not shown then
    return
  end
  shown = nil
  vim.on_key(nil, keys)
  if win and vim.api.nvim_win_is_valid(win) then
    pcall(vim.api.nvim_win_close, win, true)
  end
  win = nil
  follow()
end

---@param text string
---@param highlight? string of a warning or an error
---@return boolean whether it is open; it cannot be in the command-line window
local function show(text, highlight)
  if not buf or not vim.api.nvim_buf_is_valid(buf) then
    buf = vim.api.nvim_create_buf(false, true)
    vim.bo[buf].bufhidden = 'hide'
  end
  local lines = require('redline.say').pieces(text, math.max(vim.o.columns - 2, 20))
  local most = math.max(math.floor(vim.o.lines / 3), 3)
  if #lines > most then
    lines = vim.list_slice(lines, 1, most - 1)
    lines[most] = '… (:messages has all of it)'
  end
  vim.api.nvim_buf_set_lines(
    buf,
    0,
    -1,
    true,
    vim.tbl_map(function(line)
      return ' ' .. line
    end, lines)
  )
  local row
  edge, row = corner.place(#lines)
  local ok, opened = pcall(vim.api.nvim_open_win, buf, false, {
    relative = 'editor',
    anchor = edge .. 'W',
    row = row,
    col = 0,
    width = vim.o.columns,
    height = #lines,
    style = 'minimal',
    focusable = false,
    noautocmd = true,
    zindex = 46, -- above the progress, below completion and questions
  })
  win = ok and opened or nil
  if win then
    local group = highlight or 'RedlineProgress'
    vim.wo[win].winhighlight = ('Normal:%s,NormalFloat:%s'):format(group, group)
  end
  return ok
end

---Opens the float. The next key closes it, if there was time to read.
---@param text string
---@param highlight? string of a warning or an error
---@return boolean whether it is open
function M.open(text, highlight)
  M.close()
  require('redline.colours').follow()
  if not show(text, highlight) then
    return false
  end
  shown = { text = text, highlight = highlight, since = vim.uv.now() }
  follow()
  vim.on_key(function(_, typed)
    if shown and typed ~= '' and vim.uv.now() - shown.since >= at_least then
      vim.on_key(nil, keys)
      vim.schedule(M.close)
    end
  end, keys)
  return true
end

local group = vim.api.nvim_create_augroup('redline.notice', {})

vim.api.nvim_create_autocmd('VimResized', {
  group = group,
  callback = function()
    local last = shown
    if last and win and vim.api.nvim_win_is_valid(win) then
      pcall(vim.api.nvim_win_close, win, true)
      show(last.text, last.highlight)
    end
  end,
})

---Moves the float out of the way of the cursor, or of the change there.
function M.avoid()
  if not (shown and win and vim.api.nvim_win_is_valid(win)) then
    return
  end
  local before, row = edge
  edge, row = corner.place(vim.api.nvim_win_get_height(win))
  if edge ~= before then
    vim.api.nvim_win_set_config(win, { relative = 'editor', anchor = edge .. 'W', row = row, col = 0 })
    follow()
  end
end

vim.api.nvim_create_autocmd({ 'CursorMoved', 'CursorMovedI', 'WinScrolled' }, { group = group, callback = M.avoid })

return M
