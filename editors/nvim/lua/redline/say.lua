-- Shows the messages of the plugin and of the server.
local M = {}

M.heard = '' -- the last message of the server

local highlights = { [vim.log.levels.ERROR] = 'ErrorMsg', [vim.log.levels.WARN] = 'WarningMsg' }

-- Reports whether Neovim itself shows notifications, in its last line, and not a plugin.
-- Newer versions do not give the source of their own functions.
local function builtin()
  local source = debug.getinfo(vim.notify, 'S').source
  return source:match('^@vim/_') ~= nil or source:match('^=?%?$') ~= nil
end

---@param text string
---@param room integer
---@return string
local function cut(text, room)
  if vim.fn.strdisplaywidth(text) <= room then
    return text
  end
  local n = vim.fn.strchars(text)
  while n > 0 and vim.fn.strdisplaywidth(vim.fn.strcharpart(text, 0, n)) >= room do
    n = n - 1
  end
  return vim.fn.strcharpart(text, 0, n) .. '…'
end

---Cuts a text to a number of columns: its beginning, and its last sentence if both fit.
---@param text string
---@param room integer
---@return string
function M.fit(text, room)
  local last = text:match('.*%. (.+)$') or text:match('.*; (.+)$')
  if not last or vim.fn.strdisplaywidth(text) <= room or vim.fn.strdisplaywidth(last) > room - 20 then
    return cut(text, room)
  end
  return cut(text:sub(1, -#last - 2), room - vim.fn.strdisplaywidth(last) - 1) .. ' ' .. last
end

---Splits a text into pieces of at most a number of columns, between words if possible.
---@param text string
---@param room integer
---@return string[]
function M.pieces(text, room)
  local out, row = {}, ''
  local function put(piece)
    if vim.fn.strdisplaywidth(row .. piece) > room and vim.trim(row) ~= '' then
      out[#out + 1] = (row:gsub('%s+$', ''))
      row = '  '
    end
    row = row .. piece
  end
  for word in text:gmatch('%S+%s*') do
    if vim.fn.strdisplaywidth(word) + 2 <= room then
      put(word)
    else
      for _, char in ipairs(vim.fn.split(word, '\\zs')) do
        put(char)
      end
    end
  end
  out[#out + 1] = (row:gsub('%s+$', ''))
  return out
end

---Shows a message. In the last line it is cut to fit, so that no key press is needed;
---`:messages` has all of it.
---@param text string
---@param level? integer of vim.log.levels; default: INFO
---@param hint? string a sentence that may be left out
function M.say(text, level, hint)
  text = hint and text .. ' ' .. hint or text
  level = level or vim.log.levels.INFO
  if package.loaded['redline.progress'] then
    require('redline.progress').overwritten()
  end
  if not builtin() then
    vim.notify(text, level, { title = 'Redline' })
    return
  end
  local line = text:gsub('%s*\n%s*', ' ')
  local shown = M.fit(line, math.max(vim.v.echospace, 20))
  vim.cmd.redraw() -- or two messages in a row would wait for a key
  if shown ~= line then -- `:messages` keeps only what is shown, so show all of it for a moment, piece by piece
    for _, piece in ipairs(M.pieces(line, math.max(vim.v.echospace, 20))) do
      vim.api.nvim_echo({ { piece, highlights[level] } }, true, {})
      vim.cmd.redraw()
    end
  end
  vim.api.nvim_echo({ { shown, highlights[level] } }, shown == line, {})
end

---Handles window/showMessage of our server. Removes the path of the preview, since the plan
---is drawn in the text.
---@param result { message: string, type: integer }
---@return any
function M.show_message(_, result)
  local text = result.message:gsub(' Preview: %S+$', '')
  M.heard = text
  local plan = text:match('[Pp]lan (%d+)[^.:]* is ready')
  if plan then
    text = text .. require('redline.preview').hint(tonumber(plan))
  end
  M.say(text, ({ vim.log.levels.ERROR, vim.log.levels.WARN })[result.type])
  return vim.NIL
end

return M
