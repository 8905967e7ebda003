-- The undecided changes of each buffer. New diagnostics mean that they have changed; then
-- they are fetched once. Keystrokes cost nothing: extmarks move by themselves.
local client = require('redline.client')
local events = require('redline.events')
local keys = require('redline.keys')
local marks = require('redline.marks')

local M = {}

---@type table<integer, redline.Hunk[]> by buffer, in the order of their lines
local of = {}
---@type table<integer, fun()[]> callbacks for the next answer
local waiting = {}
local asked = {} ---@type table<integer, boolean>
local namespaces = {} ---@type table<integer, boolean> of the diagnostics

-- How long a pause in typing is, in milliseconds.
local pause = 200

local due = {} ---@type table<integer, integer> how often a buffer has changed while the user types

---Fetches the changes of a buffer, but while the user types not before the next pause.
---@param buf integer
local function changed(buf)
  if not vim.api.nvim_buf_is_loaded(buf) then
    return
  end
  if not vim.api.nvim_get_mode().mode:match('^[iR]') then
    M.refresh(buf)
    return
  end
  local n = (due[buf] or 0) + 1
  due[buf] = n
  local tick = vim.api.nvim_buf_get_changedtick(buf)
  vim.defer_fn(function()
    if due[buf] ~= n or not vim.api.nvim_buf_is_loaded(buf) then
      return
    end
    if vim.api.nvim_buf_get_changedtick(buf) == tick then
      M.refresh(buf)
    else -- the user is still typing
      changed(buf)
    end
  end, pause)
end

---@param buf integer
local function tell(buf)
  local list = waiting[buf] or {}
  waiting[buf] = nil
  for _, done in ipairs(list) do
    done()
  end
end

---Fetches the changes of a buffer. If the text changes meanwhile, fetches them again in
---the next pause.
---@param buf integer
---@param done? fun()
function M.refresh(buf, done)
  if done then
    waiting[buf] = waiting[buf] or {}
    table.insert(waiting[buf], done)
  end
  if asked[buf] then
    return
  end
  asked[buf] = true
  local seen = vim.api.nvim_buf_is_valid(buf) and vim.api.nvim_buf_get_changedtick(buf)
  vim.schedule(function()
    asked[buf] = nil
    if not vim.api.nvim_buf_is_valid(buf) then
      of[buf], waiting[buf] = nil, nil
      return
    end
    local c = vim.lsp.get_clients({ name = client.name, bufnr = buf })[1]
    if not c then
      of[buf] = nil
      keys.follow(buf, false)
      marks.clear(buf)
      tell(buf)
      return
    end
    local tick = vim.api.nvim_buf_get_changedtick(buf)
    if tick ~= seen and not waiting[buf] and vim.api.nvim_get_mode().mode:match('^[iR]') then
      changed(buf) -- the user is typing again
      return
    end
    client.call('hunks', { textDocument = { uri = vim.uri_from_bufnr(buf) } }, function(result)
      if not vim.api.nvim_buf_is_valid(buf) then
        return
      end
      if vim.api.nvim_buf_get_changedtick(buf) ~= tick then
        changed(buf)
        return
      end
      local list = result and result.hunks or {}
      for i, h in ipairs(list) do
        h.order, h.encoding = i, c.offset_encoding
      end
      table.sort(list, function(a, b)
        if a.range.start.line ~= b.range.start.line then
          return a.range.start.line < b.range.start.line
        end
        return a.order < b.order
      end)
      of[buf] = list
      keys.follow(buf, true) -- others may have mapped some since
      marks.draw(buf, list)
      require('redline.diff').refresh(buf)
      if package.loaded['redline.diffmode'] then
        require('redline.diffmode').changed(buf)
      end
      if package.loaded['redline.notice'] then
        require('redline.notice').avoid()
      end
      tell(buf)
    end, buf)
  end)
end

---Handles new diagnostics of a document: its changes are new or have moved.
---@param uri string
function M.published(uri)
  changed(vim.uri_to_bufnr(uri))
end

-- The server does not publish equal diagnostics again, but the changes behind them may be
-- new: an event of their plan says so.
events.on('plan', function(event)
  local uris = {}
  for _, f in ipairs(event.plan and event.plan.files or {}) do
    uris[f.uri] = true
  end
  for _, c in ipairs(vim.lsp.get_clients({ name = client.name })) do
    for buf in pairs(c.attached_buffers) do
      if uris[vim.uri_from_bufnr(buf)] then
        changed(buf)
      end
    end
  end
end)

---Forgets all changes, when their server has ended.
function M.forget()
  of = {}
  marks.clear_all()
end

---Hides the server's diagnostics if its changes are drawn.
---@param c vim.lsp.Client
function M.watch(c)
  local ns = vim.lsp.diagnostic.get_namespace(c.id)
  if namespaces[ns] then
    return
  end
  namespaces[ns] = true
  if require('redline.config').get().draw then -- otherwise they are all that shows a change
    vim.diagnostic.config({ virtual_text = false, virtual_lines = false, signs = false, underline = false }, ns)
  end
end

local group = vim.api.nvim_create_augroup('redline.hunks', {})

-- New lines wrap at the width of the window: draw them again when it changes.
vim.api.nvim_create_autocmd('WinResized', {
  group = group,
  callback = function()
    for _, win in ipairs(vim.v.event.windows or {}) do
      local buf = vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_buf(win)
      if buf and of[buf] and #of[buf] > 0 then
        marks.draw(buf, of[buf])
      end
    end
  end,
})

vim.api.nvim_create_autocmd('BufWipeout', {
  group = group,
  callback = function(event)
    of[event.buf], due[event.buf] = nil, nil
  end,
})

---@param buf? integer
---@return redline.Hunk[]
function M.list(buf)
  return of[buf or vim.api.nvim_get_current_buf()] or {}
end

---@param h redline.Hunk
---@return integer first, integer last its lines, from 1; an insertion is on the line that it goes before
function M.lines(h)
  local first, last = h.range.start.line + 1, h.range['end'].line
  if h.range['end'].character > 0 then
    last = last + 1
  end
  return first, math.max(first, last)
end

---Returns the changes that some lines are part of.
---@param buf integer
---@param from integer from 1
---@param to integer
---@return redline.Hunk[]
function M.between(buf, from, to)
  local count = vim.api.nvim_buf_line_count(buf)
  return vim.tbl_filter(function(h)
    local first, last = M.lines(h)
    first = math.min(first, count)
    return first <= to and from <= math.max(last, first)
  end, M.list(buf))
end

---Returns the changes at a line: several if plans overlap or changes touch.
---@param buf? integer
---@param line? integer from 1; default: the cursor's
---@return redline.Hunk[]
function M.all_at(buf, line)
  line = line or vim.api.nvim_win_get_cursor(0)[1]
  return M.between(buf or vim.api.nvim_get_current_buf(), line, line)
end

---Returns the first change at a line.
---@param buf? integer
---@param line? integer from 1; default: the cursor's
---@return redline.Hunk?
function M.at(buf, line)
  return M.all_at(buf, line)[1]
end

---Returns the first change of each plan in a list, in the same order.
---@param list redline.Hunk[]
---@return redline.Hunk[]
function M.by_plan(list)
  local seen = {}
  return vim.tbl_filter(function(h)
    local new = not seen[h.plan]
    seen[h.plan] = true
    return new
  end, list)
end

return M
