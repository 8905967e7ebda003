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

---Returns what fits into the last line of a message, whole sentences only: all of it, else without
---the hint, else without the name in front too.
---@param text string
---@param hint? string
---@param room integer
---@return string? nil if the text does not fit
function M.line(text, hint, room)
  local bare = text:gsub('^Redline: (%l?)', string.upper)
  for _, line in ipairs({ hint and text .. ' ' .. hint or text, text, bare }) do
    if vim.fn.strdisplaywidth(line) <= room then
      return line
    end
  end
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

-- Keeps a message for `:messages`, which has what is shown: all of it for a moment, piece by piece.
---@param text string
---@param highlight? string
local function keep(text, highlight)
  for _, piece in ipairs(M.pieces(text, math.max(vim.v.echospace, 20))) do
    vim.api.nvim_echo({ { piece, highlight } }, true, {})
    vim.cmd.redraw()
  end
end

---Shows a message, so that no key press is needed: in the last line if it fits there, else in a float
---above it. `:messages` has all of it.
---@param text string
---@param level? integer of vim.log.levels; default: INFO
---@param hint? string a sentence that is left out if there is no room
function M.say(text, level, hint)
  level = level or vim.log.levels.INFO
  local all = hint and text .. ' ' .. hint or text
  if package.loaded['redline.progress'] then
    require('redline.progress').overwritten()
  end
  if not builtin() then
    vim.notify(all, level, { title = 'Redline' })
    return
  end
  local notice = require('redline.notice')
  local function flat(part)
    return part and (part:gsub('%s*\n%s*', ' '))
  end
  text, hint, all = flat(text), flat(hint), flat(all)
  local highlight = highlights[level]
  local line = M.line(text, hint, math.max(vim.v.echospace, 20))
  notice.close()
  vim.cmd.redraw() -- or two messages in a row would wait for a key
  if line == all then
    vim.api.nvim_echo({ { line, highlight } }, true, {})
    return
  end
  keep(all, highlight)
  if not line and notice.open(all, highlight) then
    line = ''
  end
  vim.api.nvim_echo({ { line or text:sub(1, math.max(vim.v.echospace, 20)), highlight } }, false, {})
end

---Handles window/showMessage of our server. Removes the path of the preview, since the plan
---is drawn in the text.
---@param result { message: string, type: integer }
---@return any
function M.show_message(_, result)
  local text = result.message:gsub(' Preview: %S+$', '')
  M.heard = text
  local plan = text:match('[Pp]lan (%d+)[^.:]* is ready')
  local hint, keys
  if plan then
    hint, keys = require('redline.preview').hint(tonumber(plan))
  end
  if keys then -- said once: it is worth more room
    text = text .. ' ' .. keys
  end
  M.say(text, ({ vim.log.levels.ERROR, vim.log.levels.WARN })[result.type], hint)
  return vim.NIL
end

return M
