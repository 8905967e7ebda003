-- The chat: a transcript that grows while a reply streams, above a small window to
-- write in. It is not stored in a file; `.redline/chat.md` is another way into the same
-- conversation.
local client = require('redline.client')
local config = require('redline.config')
local events = require('redline.events')

local M = {}

local transcript, input ---@type integer?, integer? buffers
local told = {} ---@type table<string, boolean> turns whose reply has begun to stream
local answers = {} ---@type table<string, boolean> turns without a plan so far

local function valid(buf)
  return buf and vim.api.nvim_buf_is_valid(buf)
end

local function transcript_buffer()
  if not valid(transcript) then
    transcript = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(transcript, 'redline://chat')
    vim.bo[transcript].filetype = 'markdown'
    vim.bo[transcript].modifiable = false
    vim.keymap.set('n', 'q', M.toggle, { buffer = transcript, desc = 'Redline: close the chat' })
  end
  return transcript
end

---Appends text to the transcript. A window whose cursor is at the end scrolls along.
---@param text string
local function append(text)
  local buf = transcript_buffer()
  local last = vim.api.nvim_buf_line_count(buf)
  local follow = {}
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    if vim.api.nvim_win_get_cursor(win)[1] >= last then
      follow[#follow + 1] = win
    end
  end
  vim.bo[buf].modifiable = true
  local line = vim.api.nvim_buf_get_lines(buf, last - 1, last, true)[1]
  vim.api.nvim_buf_set_text(buf, last - 1, #line, last - 1, #line, vim.split(text, '\n', { plain = true }))
  vim.bo[buf].modifiable = false
  for _, win in ipairs(follow) do
    vim.api.nvim_win_set_cursor(win, { vim.api.nvim_buf_line_count(buf), 0 })
  end
end

---Begins a paragraph.
---@param text string
local function paragraph(text)
  local buf = transcript_buffer()
  local lines = vim.api.nvim_buf_get_lines(buf, -3, -1, false)
  local empty = #lines == 1 and lines[1] == ''
  local gap = empty and '' or (lines[#lines] == '' and '' or '\n\n')
  append(gap .. text)
end

local function clean(text)
  return (require('redline.marks').visible(text))
end

local asked = {} ---@type table<string, true> turns of slash commands that only answer

-- Slash commands whose answer is all that they do: nothing else shows it.
local only_answer = {}
for _, name in ipairs({ 'agent', 'agents', 'with', 'mode', 'model', 'decide', 'status', 'revisions', 'help' }) do
  only_answer['/' .. name] = true
end

---Shows the answer of a slash command: a line as a message, more in the transcript.
---@param answer string
local function show(answer)
  answer = vim.trim(answer)
  if answer:find('\n') then
    M.open_transcript()
  else
    client.say(clean(answer))
  end
end

events.on('turn.started', function(e)
  asked[e.turn] = only_answer[(e.summary or ''):match('^/%a+')]
  paragraph('## You\n\n' .. clean(e.summary or '') .. '\n\n## Redline\n\n')
  told[e.turn], answers[e.turn] = false, not vim.startswith(e.summary or '', '/')
end)

events.on('plan', function(e)
  answers[e.turn or ''] = nil
end)

events.on('token', function(e)
  append(clean(e.text or ''))
  told[e.turn] = true
end)

events.on('tool', function(e)
  if e.summary then
    paragraph('· ' .. clean(e.summary) .. '\n')
  end
end)

-- Output of commands, indented so that Markdown shows it as it is.
local printing ---@type string? the operation that printed last

events.on('command', function(e)
  local text = clean((e.text or ''):gsub('\r\n?', '\n')):gsub('\n', '\n    ')
  if printing ~= e.id then
    printing = e.id
    paragraph('    ' .. text)
  else
    append(text)
  end
end)

-- What an outside agent does in its copy, and its output.
events.on('outside', function(e)
  local text = clean(((e.step and e.step.summary or e.text or ''):gsub('\r\n?', '\n')))
  if e.step then
    printing = nil
    return paragraph('· ' .. text .. '\n')
  end
  text = text:gsub('\n', '\n    ')
  if printing ~= 'outside ' .. e.turn then
    printing = 'outside ' .. e.turn
    paragraph('    ' .. text)
  else
    append(text)
  end
end)

-- Output of trials, followed by the result.
events.on('trial', function(e)
  if not e.trial then
    local text = clean((e.text or ''):gsub('\r\n?', '\n')):gsub('\n', '\n    ')
    if printing ~= 'trial ' .. e.turn then
      printing = 'trial ' .. e.turn
      paragraph('    ' .. text)
    else
      append(text)
    end
    return
  end
  printing = nil
  local trials = require('redline.trials')
  paragraph(('`%s` %s.\n'):format(require('redline.plans').command_line(e.trial), trials.outcome(e.trial)))
  told[e.turn] = told[e.turn] or answers[e.turn] == false -- the answer to `/try` adds nothing
end)

events.on('notice', function(e)
  paragraph('> ' .. clean(e.text or e.error or '') .. '\n')
end)

events.on('question', function(e)
  local lines = { clean(e.question or e.text or '') }
  for i, option in ipairs(e.options or {}) do
    lines[#lines + 1] = ('%d. %s'):format(i, clean(type(option) == 'string' and option or option.title or ''))
  end
  paragraph(table.concat(lines, '\n') .. '\n')
end)

---Returns what a turn has used: `1200 tokens sent, 80 received; cost 0.0131`.
---@param usage? { prompt: integer, completion: integer, cost?: number }
---@return string? nil for nothing
local function used(usage)
  if not usage or usage.prompt + usage.completion == 0 then
    return nil
  end
  local text = ('%d tokens sent, %d received'):format(usage.prompt, usage.completion)
  return usage.cost and usage.cost > 0 and ('%s; cost %.4f'):format(text, usage.cost) or text
end

events.on('turn.finished', function(e)
  if e.error and e.error ~= '' then
    paragraph('**' .. clean(e.error) .. '**')
  elseif e.state == 'cancelled' then
    paragraph('*Cancelled.*')
  elseif not told[e.turn] and e.answer and e.answer ~= '' then
    paragraph(clean(e.answer))
  end
  for _, undone in ipairs(type(e.unfinished) == 'table' and e.unfinished or {}) do
    paragraph('> ' .. clean(undone:gsub('%s+', ' ')) .. '\n')
  end
  local usage = used(e.usage)
  if usage then
    paragraph('*' .. usage .. '*\n')
  end
  if answers[e.turn] and e.state ~= 'cancelled' then -- without a plan, the answer is the result: show it
    M.open_transcript()
  end
  if asked[e.turn] and e.answer and not M.visible() then
    show(e.answer)
  end
  told[e.turn], answers[e.turn], asked[e.turn], printing = nil, nil, nil, nil
end)

---Sends a request about the current buffer. The answer arrives as events.
---@param message string
---@param range? { [1]: integer, [2]: integer } first and last line, from 1
---@param buf? integer the buffer that it is about; default: the current one
function M.send(message, range, buf)
  buf = buf or vim.api.nvim_get_current_buf()
  local argument = { message = message }
  if vim.bo[buf].buftype == '' and vim.api.nvim_buf_get_name(buf) ~= '' then
    argument.textDocument = { uri = vim.uri_from_bufnr(buf) }
    if range then
      argument.range = { start = { line = range[1] - 1, character = 0 }, ['end'] = { line = range[2], character = 0 } }
    end
  end
  client.ask('chat', argument, buf)
end

-- The buffer that was current before the chat opened.
local about ---@type integer?

local function submit()
  local text = vim.trim(table.concat(vim.api.nvim_buf_get_lines(input, 0, -1, true), '\n'))
  if text == '' then
    return
  end
  vim.api.nvim_buf_set_lines(input, 0, -1, true, {})
  vim.bo[input].modified = false
  M.send(text, nil, valid(about) and about or nil)
end

local function input_buffer()
  if valid(input) then
    return input
  end
  input = vim.api.nvim_create_buf(false, false)
  vim.bo[input].buftype = 'acwrite'
  vim.api.nvim_buf_set_name(input, 'redline://message')
  vim.bo[input].swapfile = false
  vim.bo[input].bufhidden = 'hide'
  vim.bo[input].filetype = 'markdown'
  vim.api.nvim_create_autocmd('BufWriteCmd', { buffer = input, callback = submit }) -- :w sends
  vim.keymap.set('n', '<CR>', submit, { buffer = input, desc = 'Redline: send' })
  vim.keymap.set({ 'n', 'i' }, '<C-s>', function()
    submit()
  end, { buffer = input, desc = 'Redline: send' })
  vim.keymap.set('n', 'q', M.toggle, { buffer = input, desc = 'Redline: close the chat' })
  return input
end

local function open_above()
  local width = config.get().chat_width
  if width < 1 then
    width = math.floor(vim.o.columns * width)
  end
  local above = transcript_buffer()
  vim.cmd(('botright vertical %d split'):format(math.max(width, 20)))
  local win = vim.api.nvim_get_current_win()
  vim.api.nvim_win_set_buf(win, above)
  for option, value in pairs({
    wrap = true,
    linebreak = true,
    number = false,
    relativenumber = false,
    signcolumn = 'no',
    winfixwidth = true,
  }) do
    vim.wo[win][option] = value
  end
  vim.api.nvim_win_set_cursor(win, { vim.api.nvim_buf_line_count(above), 0 })
  return win
end

---@return boolean whether the transcript is in a window of this tab
function M.visible()
  local here = vim.api.nvim_get_current_tabpage()
  for _, win in ipairs(vim.fn.win_findbuf(transcript_buffer())) do
    if vim.api.nvim_win_get_tabpage(win) == here then
      return true
    end
  end
  return false
end

---Opens the transcript if it is not visible. The cursor stays where it is.
function M.open_transcript()
  if M.visible() then
    return
  end
  local back = vim.api.nvim_get_current_win()
  if vim.fn.getcmdwintype() == '' then
    open_above()
    vim.api.nvim_set_current_win(back)
  end
end

---Opens the chat with the cursor in its input window, or closes it.
function M.toggle()
  local windows = {}
  for _, buf in ipairs({ transcript, input }) do
    if valid(buf) then
      vim.list_extend(windows, vim.fn.win_findbuf(buf))
    end
  end
  local here = vim.api.nvim_get_current_tabpage()
  windows = vim.tbl_filter(function(win)
    return vim.api.nvim_win_get_tabpage(win) == here
  end, windows)
  if #windows > 0 then
    for _, win in ipairs(windows) do
      pcall(vim.api.nvim_win_close, win, true)
    end
    return
  end
  about = vim.api.nvim_get_current_buf()
  client.attach(about, true)
  open_above()
  vim.cmd('belowright 5 split')
  local win = vim.api.nvim_get_current_win()
  vim.api.nvim_win_set_buf(win, input_buffer())
  for option, value in pairs({
    wrap = true,
    linebreak = true,
    number = false,
    relativenumber = false,
    signcolumn = 'no',
    winfixheight = true,
    winbar = ' Your message: <CR> or :w sends',
  }) do
    vim.wo[win][option] = value
  end
end

return M
