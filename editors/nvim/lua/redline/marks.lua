-- Draws proposed changes in the text: old lines are coloured, new lines are virtual lines
-- below them, and signs mark both. The text itself does not change until an approval.
local M = {}

local ns = vim.api.nvim_create_namespace('redline')

require('redline.colours')
local folds = require('redline.folds')

---@param text string
---@return string[]
local function lines_of(text)
  if text == '' then
    return {}
  end
  local lines = vim.split(text:gsub('\r\n', '\n'):gsub('\r', '\n'), '\n', { plain = true })
  if lines[#lines] == '' then
    lines[#lines] = nil
  end
  return lines
end
M.lines_of = lines_of

-- Makes invisible characters visible, because they may hide what a change does.
local function visible(text)
  text = text:gsub('[%z\1-\8\11-\31\127]', function(c)
    return ('<%02x>'):format(c:byte())
  end)
  -- Zero-width and bidirectional characters: U+200B–200F, 202A–202E, 2060–2069, FEFF.
  text = text:gsub('\226\128[\139-\143\170-\174]', '<?>'):gsub('\226\129[\160-\169]', '<?>'):gsub('\239\187\191', '<?>')
  return text
end
M.visible = visible

---@param h redline.Hunk
---@return 'change'|'insert'|'delete'|'stale'
local function kind(h)
  if h.status == 'stale' then
    return 'stale'
  elseif h.oldText == '' then
    return 'insert'
  elseif h.newText == '' then
    return 'delete'
  end
  return 'change'
end

local function spaces(text)
  return (text:gsub('\t', (' '):rep(vim.bo.tabstop)))
end

---Returns a new line in pieces with their highlights.
---@param line string
---@param parts? redline.Part[] what differs from its old line
---@return { [1]: string, [2]: string }[]
local function pieces(line, parts)
  local out, at = {}, 0
  for _, part in ipairs(parts or {}) do
    if part[2] > part[1] then
      out[#out + 1] = { spaces(visible(line:sub(at + 1, part[1]))), 'RedlineAdd' }
      out[#out + 1] = { spaces(visible(line:sub(part[1] + 1, part[2]))), 'RedlineAddText' }
      at = part[2]
    end
  end
  out[#out + 1] = { spaces(visible(line:sub(at + 1))) .. ' ', 'RedlineAdd' }
  return out
end

---Returns the new lines of a change as virtual lines.
---@param new string[]
---@param parts table<integer, redline.Part[]> what differs in them
---@param most integer
---@param width? integer of the text in its window
local function virtual(new, parts, most, width)
  local out = {}
  for i, line in ipairs(new) do
    if i > most then
      out[#out + 1] = { { ('  … %d more lines: :Redline diff'):format(#new - most), 'RedlineNote' } }
      break
    end
    for _, row in ipairs(require('redline.wrap').lines(pieces(line, parts[i]), width)) do
      row[#row + 1] = { (' '):rep(vim.o.columns), 'RedlineAdd' } -- to the end of the window, like the old lines
      out[#out + 1] = row
    end
  end
  return out
end

---@param buf integer
---@param h redline.Hunk
---@param o redline.Settings
---@param signs_only boolean a diff is open, which shows the rest itself
---@param width? integer of the text in its window
---@param height integer of its lowest window
---@param title? string of its plan, if changes of several plans meet
local function draw(buf, h, o, signs_only, width, height, title)
  local count = vim.api.nvim_buf_line_count(buf)
  local what = kind(h)
  local first, last = h.range.start.line, h.range['end'].line
  if h.range['end'].character > 0 then
    last = last + 1
  end
  local row = math.min(first, count - 1)
  local sign = o.signs[what]
  local sign_hl = 'RedlineSign' .. what:gsub('^%l', string.upper)
  local function put(at, options)
    options.strict = false
    pcall(vim.api.nvim_buf_set_extmark, buf, ns, at, 0, options)
  end
  local plan = title and visible(title)
  if what == 'stale' then
    put(row, {
      sign_text = sign ~= '' and sign or nil,
      sign_hl_group = sign_hl,
      virt_text = {
        {
          (plan and '  ' .. plan .. ', stale: ' or '  stale: ') .. visible(h.reason or 'its lines have changed'),
          'RedlineNote',
        },
      },
    })
    return
  end
  local old, new = lines_of(h.oldText), lines_of(h.newText)
  if signs_only then
    for i = row, math.max(row, math.min(last, count) - 1) do
      put(i, { sign_text = sign ~= '' and sign or nil, sign_hl_group = sign_hl })
    end
    return
  end
  local was, comes = require('redline.rows').parts(h, old, new)
  for i = first, math.min(last, count) - 1 do
    put(i, { sign_text = sign ~= '' and sign or nil, sign_hl_group = sign_hl })
    -- Not line_hl_group, which would hide the differences within the line.
    put(i, { end_row = i + 1, hl_group = 'RedlineDelete', hl_eol = true })
    for _, part in ipairs(was[i - first + 1] or {}) do
      if part[2] > part[1] then
        pcall(vim.api.nvim_buf_set_extmark, buf, ns, i, part[1], {
          end_col = part[2],
          hl_group = 'RedlineDeleteText',
          priority = 4100, -- above the colour of the whole line
          strict = false,
        })
      end
    end
  end
  local note
  if h.action == 'delete' then
    note = '  deletes this file'
  elseif h.action == 'rename' and #old == 0 and #new == 0 then
    note = '  moves this file'
  elseif what == 'insert' and first == 0 and #new > 0 then
    note = ('  %d new lines above'):format(#new) -- Neovim does not show virtual lines above the first line
  end
  if plan and note then
    note = '  ' .. plan .. ' –' .. note
  end
  local folded, to = folds.middle(h)
  -- Beside a fold, draw as many new lines as fit on one screen.
  local most = folded and math.min(o.max_lines, math.max(height - 13, 5)) or o.max_lines
  local lines = #new > 0 and virtual(new, comes, most, width) or {}
  if plan and not (note and #new == 0) then
    local does = what == 'delete' and '  ' .. plan .. ' – removes these lines' or '  ' .. plan
    table.insert(lines, 1, { { does, 'RedlineNote' } })
  end
  if folded then
    put(folded - 2, {
      virt_text = { { ('  %d more lines to remove'):format(to - folded + 1), 'RedlineNote' } },
      hl_mode = 'combine',
    })
  end
  local above = what == 'insert' and first < count
  put(above and first or math.min(math.max(last - 1, 0), count - 1), {
    virt_lines = #lines > 0 and lines or nil,
    virt_lines_above = above,
    sign_text = what == 'insert' and sign ~= '' and sign or nil,
    sign_hl_group = what == 'insert' and sign_hl or nil,
    virt_text = note and { { note, 'RedlineNote' } } or nil,
  })
end

---Returns the changes that overlap or touch one of another plan.
---@param list redline.Hunk[]
---@return table<redline.Hunk, boolean>
local function meeting(list)
  local out = {}
  for i, a in ipairs(list) do
    for k = i + 1, #list do
      local b = list[k]
      if b.range.start.line > a.range['end'].line then
        break -- the list is sorted: the rest begins later
      elseif a.plan ~= b.plan then
        out[a], out[b] = true, true
      end
    end
  end
  return out
end

---Draws the changes of a buffer, instead of those drawn before.
---@param buf integer
---@param list redline.Hunk[]
function M.draw(buf, list)
  local o = require('redline.config').get()
  vim.api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  if not o.draw then
    return
  end
  require('redline.colours').follow()
  vim.api.nvim_buf_call(buf, function()
    local signs_only = package.loaded['redline.diff'] ~= nil and require('redline.diff').shown(buf)
    local width = require('redline.wrap').width(buf)
    local height = vim.o.lines
    for _, win in ipairs(vim.fn.win_findbuf(buf)) do
      height = math.min(height, vim.api.nvim_win_get_height(win))
    end
    local shared = meeting(list)
    for _, h in ipairs(list) do
      draw(buf, h, o, signs_only, width, height, shared[h] and require('redline.plans').title(h.plan) or nil)
    end
  end)
  folds.follow(buf, list)
end

---@param buf integer
function M.clear(buf)
  if vim.api.nvim_buf_is_valid(buf) then
    vim.api.nvim_buf_clear_namespace(buf, ns, 0, -1)
    folds.follow(buf, {})
  end
end

function M.clear_all()
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    M.clear(buf)
  end
end

return M
