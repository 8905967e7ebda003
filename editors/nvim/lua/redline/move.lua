-- Goes to the next and the previous change: in the buffer, then in the next file.
local client = require('redline.client')
local hunks = require('redline.hunks')
local plans = require('redline.plans')

local M = {}

---@param line integer from 1
local function to(line)
  vim.cmd.normal({ "m'", bang = true }) -- so that <C-o> goes back
  vim.api.nvim_win_set_cursor(0, { math.min(line, vim.api.nvim_buf_line_count(0)), 0 })
  vim.cmd.normal({ '^', bang = true })
  vim.cmd.normal({ 'zv', bang = true })
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

---@param step 1|-1
local function further(step)
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
  end
  local buf = vim.api.nvim_get_current_buf()
  local function arrive()
    local of = hunks.list(buf)
    local h = step > 0 and of[1] or of[#of]
    if h and vim.api.nvim_get_current_buf() == buf then
      to((hunks.lines(h)))
    end
  end
  if #hunks.list(buf) > 0 then
    arrive()
  else
    hunks.refresh(buf, arrive)
  end
end

---@param step 1|-1
local function go(step)
  local line = vim.api.nvim_win_get_cursor(0)[1]
  local count = vim.api.nvim_buf_line_count(0)
  local found
  for _, h in ipairs(hunks.list()) do
    local first = math.min((hunks.lines(h)), count)
    if step > 0 and first > line then
      found = first
      break
    elseif step < 0 and first < line then
      found = first
    end
  end
  if found then
    to(found)
  elseif #plans.list() > 0 then
    further(step)
  else
    plans.fetch(function()
      further(step)
    end)
  end
end

function M.next()
  go(1)
end

function M.prev()
  go(-1)
end

return M
