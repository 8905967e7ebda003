-- Finds the changes in the preview of a plan, so that the keys work there as in the text.
local plans = require('redline.plans')

local M = {}

---@param buf integer
---@return integer? plan, integer? revision nil if the buffer is no preview
function M.of(buf)
  local plan, revision = vim.api.nvim_buf_get_name(buf):match('%.redline[/\\]plans[/\\]0*(%d+)%-r(%d+)%.md$')
  return tonumber(plan), tonumber(revision)
end

---@class redline.Passage a change on a page
---@field first integer its lines, from 1
---@field last integer
---@field ids string[] its changes: several if the page does not show which lines are whose

---Returns the runs of changed lines on a page, each with its change. A group of the diff names
---its changes in the order of their lines.
---@param lines string[]
---@return redline.Passage[]
local function passages(lines)
  local out = {} ---@type redline.Passage[]
  local ids, group ---@type string[]?, redline.Passage[]
  local fenced, run = false, nil ---@type boolean, redline.Passage?
  local function close()
    for i, p in ipairs(ids and group or {}) do
      p.ids = #group == #ids and { ids[i] } or ids
      out[#out + 1] = p
    end
    ids, group, run = nil, {}, nil
  end
  for i, line in ipairs(lines) do
    local names = fenced and line:match('^@@ .- @@(.*)$')
    if line:match('^```') then
      close()
      fenced = line == '```diff'
    elseif names then
      close()
      ids = vim.split(names, '%s+', { trimempty = true })
    elseif ids and line:match('^[+-]') then
      if run then
        run.last = i
      else
        run = { first = i, last = i, ids = {} }
        group[#group + 1] = run
      end
    elseif ids and not line:match('^\\') then -- not `\ No newline at end of file`
      run = nil
    end
  end
  close()
  return out
end

---Returns the undecided changes of a preview, with the lines of the page instead of those of
---the text. A page of an earlier revision has none.
---@param buf integer
---@return { first: integer, last: integer, hunks: redline.Hunk[] }[]
function M.list(buf)
  local number, revision = M.of(buf)
  local p = number and plans.get(number)
  if not p or p.revision ~= revision or not plans.is_open(p) then
    return {}
  end
  local undecided = {} ---@type table<string, redline.Hunk>
  for _, f in ipairs(p.files or {}) do
    for _, h in ipairs(f.hunks or {}) do
      if h.status == 'pending' or h.status == 'stale' then
        undecided[h.id] = {
          plan = p.plan,
          revision = p.revision,
          hash = p.hash,
          path = f.path,
          hunk = h.id,
          status = h.status,
          action = f.action,
          range = h.range,
          oldText = '',
          newText = '',
        }
      end
    end
  end
  local out = {}
  for _, passage in ipairs(passages(vim.api.nvim_buf_get_lines(buf, 0, -1, false))) do
    local hunks = {}
    for _, id in ipairs(passage.ids) do
      hunks[#hunks + 1] = undecided[id]
    end
    if #hunks > 0 then
      out[#out + 1] = { first = passage.first, last = passage.last, hunks = hunks }
    end
  end
  return out
end

---Returns the changes whose lines on the page are among these.
---@param buf integer
---@param first integer
---@param last integer
---@return redline.Hunk[] hunks, boolean clear false if the page does not show which of several changes is meant
function M.between(buf, first, last)
  local out, clear, seen = {}, true, {}
  for _, passage in ipairs(M.list(buf)) do
    if passage.first <= last and first <= passage.last then
      clear = clear and #passage.hunks == 1
      for _, h in ipairs(passage.hunks) do
        if not seen[h.hunk] then
          seen[h.hunk] = true
          out[#out + 1] = h
        end
      end
    end
  end
  return out, clear
end

return M
