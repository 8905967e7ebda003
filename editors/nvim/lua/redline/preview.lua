-- Shows the preview of a plan in one window, which follows the newest revision. The server
-- asks to open it with each new plan; by default we open it only on request, because it
-- takes room from the text. An approval names what the text cannot show, and asks first.
local M = {}

local wanted = {} ---@type table<integer, 'user'|'model'> plans whose preview the user or the model has opened

---@param uri string
---@return integer?
local function plan_of(uri)
  return tonumber(uri:match('/plans/0*(%d+)%-r%d+%.md$'))
end

-- Returns what a plan does that no text shows: `creates a.go`, `runs make`.
---@param p redline.PlanState
---@return string[]
local function hidden(p)
  local visible = require('redline.marks').visible
  local out = {}
  for _, f in ipairs(p.files or {}) do
    if f.action ~= 'update' and f.status == 'pending' then
      out[#out + 1] = ('%ss %s'):format(f.action, visible(f.path))
    end
  end
  for _, c in ipairs(p.commands or {}) do
    if c.status == 'pending' then
      out[#out + 1] = ('runs `%s`'):format(require('redline.plans').command_line(c))
    end
  end
  return out
end

---@param p redline.PlanState
---@return boolean
local function needed(p)
  return p.textOnly == true or #hidden(p) > 0
end

local seen = {} ---@type table<string, true> the revisions whose preview was visible, by their hashes

---Returns what an approval of the plan would do that the user has not seen: `creates a.go`;
---nil if they have seen everything.
---@param p redline.PlanState
---@return string?
function M.unseen(p)
  local list = hidden(p)
  if seen[p.hash] or #list == 0 then
    return nil
  end
  local most = 3
  local said = table.concat(vim.list_slice(list, 1, most), ', ')
  return #list > most and ('%s and %d more'):format(said, #list - most) or said
end

---Returns hints for the message that a plan is ready: how to see what no text shows, or the first time
---the most useful keys.
---@param n integer
---@return string? hint, string? keys
function M.hint(n)
  local p = require('redline.plans').get(n)
  if p and needed(p) then
    return ':Redline plan shows all of it.'
  end
  return nil, require('redline.keys').hint()
end

---@param name string of a file
---@return string? folder, integer? plan, integer? revision
local function parse(name)
  local folder, plan, revision = name:match('^(.*[/\\]plans[/\\])0*(%d+)%-r(%d+)%.md$')
  return folder, tonumber(plan), tonumber(revision)
end

-- Notes that a preview was seen, by the hash in it.
---@param buf integer
local function note(buf)
  for _, line in ipairs(vim.api.nvim_buf_get_lines(buf, 0, -1, false)) do
    local hash = line:match('^hash: (%S+)')
    if hash then
      seen[hash] = true
    end
  end
end

---Returns the window of this tab with the preview of a plan, in any revision.
---@param folder string
---@param plan integer
---@return integer? win, integer? revision
local function window(folder, plan)
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local f, n, revision = parse(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win)))
    if f == folder and n == plan then
      return win, revision
    end
  end
end

---Opens a window for the preview, at the right if there is room. The cursor stays where it is.
---@return integer
local function open_window()
  local back = vim.api.nvim_get_current_win()
  if vim.o.columns >= 120 then
    vim.cmd(('botright vertical %dsplit'):format(math.floor(vim.o.columns * 0.45)))
  else
    vim.cmd(('botright %dsplit'):format(math.max(math.floor(vim.o.lines * 0.4), 5)))
  end
  local win = vim.api.nvim_get_current_win()
  vim.wo[win].wrap = true
  vim.api.nvim_set_current_win(back)
  return win
end

---Shows the preview of a revision in the window of its plan.
-- Puts the cursor into the preview and on its first change, so that one is on a small screen too.
---@param win integer
local function enter(win)
  vim.api.nvim_set_current_win(win)
  local page = require('redline.page')
  local buf = vim.api.nvim_win_get_buf(win)
  local change, lines = page.list(buf)[1], vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  if change then
    require('redline.move').to(change.first, change.last)
    return
  end
  for i, line in ipairs(lines) do
    if line == '## Commands' then
      require('redline.move').to(i, math.min(i + 6, #lines))
      return
    end
  end
end

---@param file string
---@param revision integer
---@param only_update boolean do not open a new window
---@param focus? boolean move into it
local function show(file, revision, only_update, focus)
  local folder, plan = parse(file)
  if not folder or vim.fn.getcmdwintype() ~= '' then
    return
  end
  local win, shown = window(folder, plan)
  if not win and only_update or shown and shown > revision then
    return
  end
  win = win or open_window()
  local before = vim.api.nvim_win_get_buf(win)
  local buf = vim.fn.bufadd(file)
  if before == buf then
    note(buf)
    if focus then
      enter(win)
    end
    return
  end
  if vim.bo[before].modified and shown then
    return -- the user is editing it
  end
  vim.bo[buf].swapfile = false -- several editors may show it
  vim.fn.bufload(buf)
  vim.bo[buf].buflisted = true
  require('redline.client').attach(buf, true) -- for the keys, also if nothing starts by itself
  vim.api.nvim_win_set_buf(win, buf)
  if shown and #vim.fn.win_findbuf(before) == 0 then
    pcall(vim.api.nvim_buf_delete, before, {}) -- the replaced revision
  end
  note(buf)
  if focus then
    enter(win)
  end
end

-- A new revision, such as an edit by the user, replaces the preview of the earlier one.
require('redline.events').on('plan', function(event)
  local p = event.plan
  local c = p and vim.lsp.get_client_by_id(event.client)
  local root = c and c.config.root_dir
  if not root then
    return
  end
  vim.schedule(function()
    local file = vim.fs.normalize(('%s/.redline/plans/%04d-r%d.md'):format(root, p.plan, p.revision))
    if vim.fn.filereadable(file) == 1 then
      show(file, p.revision, true)
    end
  end)
end)

-- The model opens the plan: this event comes before the request to show the page.
require('redline.events').on('view', function(event)
  local n = event.view == 'plan' and event.uri and plan_of(event.uri)
  if n then
    wanted[n] = wanted[n] or 'model'
  end
end)

---Handles window/showDocument of our server.
---@param err lsp.ResponseError?
---@param result any its parameters
---@param ctx lsp.HandlerContext
---@param config? table
---@return any
function M.show_document(err, result, ctx, config)
  local builtin = vim.lsp.handlers['window/showDocument']
  if result and result.uri and require('redline.trace').is_page(result.uri) then
    return require('redline.trace').show_document(builtin, err, result, ctx, config)
  end
  local n = result and result.uri and plan_of(result.uri)
  if not n then
    return builtin(err, result, ctx, config)
  end
  local file = vim.uri_to_fname(result.uri)
  local _, _, revision = parse(file)
  local when = require('redline.config').get().preview
  local asked = wanted[n] or when == 'always'
  local focus = wanted[n] == 'user'
  wanted[n] = nil
  show(file, revision, not asked, focus)
  if when == 'needed' and not asked then
    require('redline.plans').fetch(function()
      local p = require('redline.plans').get(n)
      if p and needed(p) then
        show(file, revision, false)
      end
    end)
  end
  return { success = true }
end

---@param n integer
function M.open(n)
  wanted[n] = 'user'
  require('redline.client').call('show', { plan = n, view = 'plan' }, function(_, err)
    if err then
      wanted[n] = nil
    end
  end)
end

return M
