-- Goes to the next and the previous change: in the buffer, then in the next file. In a preview
-- the changes are those of the page.
local client = require('redline.client')
local hunks = require('redline.hunks')
local page = require('redline.page')
local plans = require('redline.plans')

local M = {}

---@class redline.Stop a change to go to
---@field first integer its lines, from 1
---@field last integer
---@field hunk redline.Hunk

---@param buf integer
---@return redline.Stop[] in the order of their lines
local function stops(buf)
  if page.of(buf) then
    return vim.tbl_map(function(p)
      return { first = p.first, last = p.last, hunk = p.hunks[1] }
    end, page.list(buf))
  end
  local count = vim.api.nvim_buf_line_count(buf)
  return vim.tbl_map(function(h)
    local first, last = hunks.lines(h)
    return { first = math.min(first, count), last = math.min(last, count), hunk = h }
  end, hunks.list(buf))
end

---Returns the changes of a buffer, in the order of their lines.
---@param buf integer
---@return redline.Hunk[]
function M.all(buf)
  return vim.tbl_map(function(s)
    return s.hunk
  end, stops(buf))
end

---Scrolls so that the whole change is visible, with its new lines, or as much as fits.
---@param s { first: integer, last: integer }
local function reveal(s)
  local win = vim.api.nvim_get_current_win()
  local height = vim.api.nvim_win_get_height(win)
  local count = vim.api.nvim_buf_line_count(0)
  -- The lines that are drawn below the last one count as part of the line after it.
  local last = s.last < count and s.last or nil
  local after = last and { start_row = last, end_row = last }
  local function rows(first, to)
    return vim.api.nvim_win_text_height(win, { start_row = first - 1, end_row = to and to - 1 or nil })
  end
  local all = rows(s.first, last).all + (after and vim.api.nvim_win_text_height(win, after).fill or 0)
  local above = rows(s.first, s.first).fill
  local at = vim.fn.screenpos(win, s.first, 1).row - vim.fn.win_screenpos(win)[1] + 1
  if at > above and at - above + all - 1 <= height then
    return
  end
  vim.cmd.normal({ 'zt', bang = true })
  local room = math.floor((height - all) / 2)
  if room > 0 then
    vim.cmd.normal({ room .. '\25', bang = true }) -- CTRL-Y
  end
end

---Goes to some lines, and scrolls so that all of them are visible.
---@param first integer from 1
---@param last integer
function M.to(first, last)
  vim.cmd.normal({ "m'", bang = true }) -- so that <C-o> goes back
  vim.api.nvim_win_set_cursor(0, { first, 0 })
  vim.cmd.normal({ '^', bang = true })
  vim.cmd.normal({ 'zv', bang = true })
  reveal({ first = first, last = last })
end

---@param s redline.Stop
---@param quiet? boolean
local function to(s, quiet)
  M.to(s.first, s.last)
  local place = not quiet and plans.place(s.hunk.plan, s.hunk.hunk)
  if place then
    client.say(('%s, plan %d.'):format(place, s.hunk.plan))
  end
end

---Returns the files with undecided changes, in the order of the plans, each once.
---@return redline.FileState[]
local function files()
  local list, seen = {}, {}
  for _, p in ipairs(plans.list()) do
    for _, f in ipairs(p.files or {}) do
      if plans.undecided(f) and not seen[f.uri] and f.action ~= 'create' then
        seen[f.uri] = true
        list[#list + 1] = f
      end
    end
  end
  return list
end

-- Shortens the name of the current file, where a full one was given to its buffer before it was opened: the
-- statusline and Neovim's own messages show it.
local function shorten()
  local name = vim.fn.bufname()
  if vim.fn.fnamemodify(name, ':.') ~= name then
    vim.cmd('noautocmd call chdir(getcwd())') -- shortens all names, and stays in the folder
  end
end

---@param step 1|-1
---@param count integer
local function further(step, count)
  local list, here = files(), vim.uri_from_bufnr(0)
  if #list == 0 then
    client.say('no changes wait for you.')
    return
  end
  local at = step > 0 and 0 or #list + 1
  for i, f in ipairs(list) do
    if f.uri == here then
      at = i
    end
  end
  local f = list[(at + step - 1) % #list + 1]
  if f.uri ~= here then
    vim.cmd.normal({ "m'", bang = true })
    vim.cmd.edit(vim.fn.fnameescape(vim.fn.fnamemodify(vim.uri_to_fname(f.uri), ':.')))
    shorten()
  end
  local buf = vim.api.nvim_get_current_buf()
  local function arrive()
    local of = stops(buf)
    local s = of[step > 0 and math.min(count, #of) or math.max(#of - count + 1, 1)]
    if s and vim.api.nvim_get_current_buf() == buf then
      to(s)
    end
  end
  if #hunks.list(buf) > 0 then
    arrive()
  else
    hunks.refresh(buf, arrive)
  end
end

---Goes to the n-th change after or before the cursor; beyond those of the file to the next file.
---@param step 1|-1
---@param count? integer
local function go(step, count)
  local line = vim.api.nvim_win_get_cursor(0)[1]
  local buf = vim.api.nvim_get_current_buf()
  local list = stops(buf)
  local beyond = vim.tbl_filter(function(s)
    return step > 0 and s.first > line or step < 0 and s.first < line
  end, list)
  count = count or 1
  local found = beyond[step > 0 and count or #beyond - count + 1]
  if not found and page.of(buf) and #list > 0 then
    found = list[step > 0 and 1 or #list] -- around the page
  end
  if found then
    to(found)
  elseif page.of(buf) then
    client.say('no change of this plan waits for you.')
  elseif #plans.list() > 0 then
    further(step, math.max(count - #beyond, 1))
  else
    plans.fetch(function()
      further(step, math.max(count - #beyond, 1))
    end)
  end
end

---@param count? integer
function M.next(count)
  go(1, count)
end

---@param count? integer
function M.prev(count)
  go(-1, count)
end

---Returns what to call once changes at the cursor are decided: it moves to the next change of
---the buffer, unless the user has gone elsewhere meanwhile.
---@param list redline.Hunk[]
---@return fun()?
function M.from_here(list)
  if not require('redline.config').get().advance then
    return nil
  end
  local buf, win = vim.api.nvim_get_current_buf(), vim.api.nvim_get_current_win()
  local line = vim.api.nvim_win_get_cursor(win)[1]
  local decided, moved = {}, 0 ---@type table<string, true>, integer
  for _, h in ipairs(list) do
    decided[('%d.%s'):format(h.plan, h.hunk)] = true
    moved = moved + select(2, (h.newText .. h.oldText):gsub('\n', '\n'))
  end
  return function()
    hunks.refresh(buf, function()
      if vim.api.nvim_get_current_win() ~= win or vim.api.nvim_get_current_buf() ~= buf then
        return
      end
      local now = vim.api.nvim_win_get_cursor(win)[1]
      if math.abs(now - line) > moved or vim.api.nvim_get_mode().mode ~= 'n' then
        return
      end
      local left = vim.tbl_filter(function(s)
        return not decided[('%d.%s'):format(s.hunk.plan, s.hunk.hunk)]
      end, stops(buf))
      for _, s in ipairs(left) do
        if s.last >= now then
          to(s, true)
          return
        end
      end
      if left[1] then
        to(left[1], true)
      end
    end)
  end
end

---Returns what the text object types: it selects the lines that the change at the cursor replaces.
---@return string
function M.object()
  local h = hunks.all_at()[1]
  local first, last = 0, 0
  if h then
    first, last = hunks.lines(h)
  end
  if not h or h.oldText == '' then
    vim.schedule(function()
      client.say(h and 'this change only adds lines.' or 'no change at the cursor.')
    end)
    return '<Esc>'
  end
  local leave = vim.api.nvim_get_mode().mode:match('^no') and '' or '<Esc>'
  return ('%s<Cmd>keepjumps normal! %dGV%dG<CR>'):format(leave, first, last)
end

return M
