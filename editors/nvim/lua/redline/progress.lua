-- Shows what Redline is doing in the last line, from the request to its end:
-- `Redline: reading prices.go… (:Redline cancel)`. It needs no setup and no key press, and
-- `:messages` does not keep it. When the user types, it moves to a small float above the
-- last line, or at the top if the cursor is there.
local client = require('redline.client')
local config = require('redline.config')
local events = require('redline.events')

local M = {}

local asking = 'asking the model'

---@class redline.Work
---@field text string
---@field since integer milliseconds
---@field yours? boolean it waits for the user, so that no time is counted
---@field order integer

---@type table<string, redline.Work> the running work: requests, turns and other progress of the server
local work = {}
local count = 0
local ended = {} ---@type table<string, true> turns that ended before their request was answered
local summaries = {} ---@type table<string, string> what the user wrote

local float, float_buf ---@type integer?, integer?
local aside = false -- the user has typed since the work began: leave the last line to them
local echoed ---@type string? what is in the last line
local timer ---@type uv.uv_timer_t?

---@param text string
---@return string
local function clean(text)
  return (require('redline.marks').visible(text):gsub('%s+', ' '):gsub('[%s.…]+$', ''))
end

---Returns the text to show; nil if nothing is running.
---@param room integer columns
---@return string?
function M.line(room)
  local newest ---@type redline.Work?
  for _, w in pairs(work) do
    if not newest or w.order > newest.order then
      newest = w
    end
  end
  if not newest then
    return nil
  end
  local seconds = math.floor((vim.uv.now() - newest.since) / 1000)
  local tail = (seconds >= 10 and not newest.yours and ('… %d s'):format(seconds - seconds % 10) or '…')
    .. ' (:Redline cancel)'
  local left = room - vim.fn.strdisplaywidth(tail)
  local what = 'Redline: ' .. newest.text
  while vim.fn.strdisplaywidth(what) > left and what ~= '' do
    what = vim.fn.strcharpart(what, 0, vim.fn.strchars(what) - 1)
  end
  return what .. tail
end

-- The autocommands that keep the float out of the way of the cursor: only while there is one, so
-- that typing otherwise calls nothing.
local avoid = vim.api.nvim_create_augroup('redline.progress.avoid', {})

local function close_float()
  if float and vim.api.nvim_win_is_valid(float) then
    pcall(vim.api.nvim_win_close, float, true)
  end
  float = nil
  vim.api.nvim_clear_autocmds({ group = avoid })
end

---@param text string
local function show_float(text)
  if not float_buf or not vim.api.nvim_buf_is_valid(float_buf) then
    float_buf = vim.api.nvim_create_buf(false, true)
    vim.bo[float_buf].bufhidden = 'hide'
  end
  text = ' ' .. text .. ' '
  vim.api.nvim_buf_set_lines(float_buf, 0, -1, false, { text })
  local edge, row = require('redline.corner').place(1, require('redline.notice').stands())
  local place = {
    relative = 'editor',
    anchor = edge .. 'E',
    row = row,
    col = vim.o.columns,
    width = vim.fn.strdisplaywidth(text),
    height = 1,
    style = 'minimal',
    focusable = false,
    zindex = 45, -- below completion and questions
  }
  if float and vim.api.nvim_win_is_valid(float) then
    if vim.api.nvim_win_get_tabpage(float) == vim.api.nvim_get_current_tabpage() then
      vim.api.nvim_win_set_config(float, place)
      return
    end
    close_float()
  end
  place.noautocmd = true
  local ok, win = pcall(vim.api.nvim_open_win, float_buf, false, place) -- not allowed in the command-line window
  if ok then
    float = win
    vim.api.nvim_create_autocmd({ 'CursorMoved', 'CursorMovedI' }, {
      group = avoid,
      callback = function()
        M.moved()
      end,
    })
    vim.wo[win].winhighlight = 'Normal:RedlineProgress,NormalFloat:RedlineProgress'
  end
end

-- Reports whether the last line is free: nobody types there, and nothing waits for a key.
local function last_line_free()
  local mode = vim.api.nvim_get_mode()
  return vim.o.cmdheight > 0 and not aside and mode.mode == 'n' and not mode.blocking
end

-- Reports whether another plugin shows the progress of all servers, or the user has turned ours off.
local function shown_elsewhere()
  return config.get().progress == false or package.loaded.fidget ~= nil or package.loaded.noice ~= nil
end

local function draw()
  if #vim.api.nvim_list_uis() == 0 then
    return
  end
  if last_line_free() then
    close_float()
    local text = M.line(math.max(vim.v.echospace, 20))
    if text and text ~= echoed then
      echoed = text
      vim.cmd.redraw() -- or two messages in a row would wait for a key
      vim.api.nvim_echo({ { text } }, false, {})
    end
    return
  end
  local text = M.line(vim.o.columns - 4)
  if text then
    show_float(text)
    vim.cmd.redraw() -- Neovim does not redraw while a command is typed
  end
end

local function stop()
  if timer then
    timer:stop()
    timer:close()
    timer = nil
  end
  local was = float
  close_float()
  if was and #vim.api.nvim_list_uis() > 0 then
    vim.cmd.redraw()
  end
  if echoed and last_line_free() then
    vim.api.nvim_echo({ { '' } }, false, {})
  end
  echoed, aside = nil, false
end

local function update()
  if not next(work) then
    stop()
    return
  end
  if shown_elsewhere() then
    return
  end
  if not timer then
    timer = assert(vim.uv.new_timer())
    timer:start(
      10000,
      10000,
      vim.schedule_wrap(function()
        if next(work) then
          draw()
        end
      end)
    )
  end
  draw()
end

---@param key string
---@param text string
local function set(key, text)
  count = count + 1
  local w = work[key] or { since = vim.uv.now(), order = count }
  if w.text ~= text then
    w.text, w.since, w.order, w.yours = text, vim.uv.now(), count, nil
  end
  work[key] = w
end

---Returns what is shown of work that has not said yet what it does: a turn that we have not asked
---for runs commands, and no model.
---@param key string
---@return string
local function starting(key)
  if work[key] then
    return work[key].text
  end
  for other in pairs(work) do
    if vim.startswith(other, 'request ') then
      return asking
    end
  end
  return 'working'
end

---Notes that a message has replaced the progress, and leaves it there.
function M.overwritten()
  echoed = nil
  if next(work) then
    aside = true
    vim.schedule(update)
  end
end

---Notes that a long message has come or gone, above which the progress has its place.
function M.moved()
  if next(work) then
    vim.schedule(update)
  end
end

---Shows that a request is running. Call the returned function with the answer; then the
---progress stays until the turn in the answer ends.
---@return fun(result: any, id?: integer)
function M.begin()
  count = count + 1
  local key = 'request ' .. count
  set(key, asking)
  update()
  return function(result, id)
    local turn = type(result) == 'table' and type(result.turn) == 'string' and id and ('%d %s'):format(id, result.turn)
    if turn and not ended[turn] and not work[turn] then
      set(turn, asking)
      work[turn].since = work[key].since ---@diagnostic disable-line: inject-field
    end
    work[key] = nil
    vim.schedule(update) -- a message may be about to replace it
  end
end

---Forgets the work of a server that has ended.
function M.reset()
  work, ended, summaries = {}, {}, {}
  update()
end

---@param id integer
---@param turn string
local function finished(id, turn)
  local key = ('%d %s'):format(id, turn)
  work[key], summaries[key], ended[key] = nil, nil, true
  vim.schedule(update)
end

events.on('turn.started', function(e)
  local key = ('%d %s'):format(e.client, e.turn)
  summaries[key] = e.summary
  if not work[key] then
    set(key, starting(key))
  end
  vim.schedule(update)
end)

events.on('doing', function(e)
  local key = ('%d %s'):format(e.client, e.turn or '')
  if work[key] and e.text and not ended[key] then
    set(key, clean(e.text))
    work[key].yours = e.name == 'save'
    vim.schedule(update)
  end
end)

events.on('turn.finished', function(e)
  finished(e.client, e.turn)
end)

-- The server's progress reports more than the events: what waits, and what an approval
-- does.
vim.api.nvim_create_autocmd('LspProgress', {
  group = vim.api.nvim_create_augroup('redline.progress', {}),
  callback = function(event)
    local id = event.data.client_id
    local c = vim.lsp.get_client_by_id(id)
    local params = event.data.params or event.data.result -- the name before the release of 0.10
    if not c or c.name ~= client.name or not params then
      return
    end
    local key = ('%d %s'):format(id, params.token)
    local value = params.value
    if value.kind == 'end' then
      work[key] = nil
    elseif not ended[key] then
      local text = value.message and clean(value.message)
      if text and summaries[key] and text == clean(summaries[key]) then
        text = nil -- do not repeat the user's own words
      end
      set(key, text or starting(key))
    end
    vim.schedule(update)
  end,
})

-- Leaves the last line to the user once they type there or in the text.
vim.api.nvim_create_autocmd({ 'CmdlineEnter', 'InsertEnter' }, {
  group = vim.api.nvim_create_augroup('redline.progress.aside', {}),
  callback = function()
    if next(work) and not aside then
      aside, echoed = true, nil
      vim.schedule(update)
    end
  end,
})

return M
