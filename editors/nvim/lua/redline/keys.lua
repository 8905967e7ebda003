-- Maps keys in the files of a plan while changes of it wait: only free keys, and only until the last
-- change is decided.
local config = require('redline.config')

local M = {}

---@type { key: string, desc: string, run: fun() }[]
local keys = {
  {
    key = ']r',
    desc = 'next change',
    run = function()
      require('redline.move').next()
    end,
  },
  {
    key = '[r',
    desc = 'previous change',
    run = function()
      require('redline.move').prev()
    end,
  },
  {
    key = '<leader>ra',
    desc = 'approve this change',
    run = function()
      require('redline.decide').approve('hunk')
    end,
  },
  {
    key = '<leader>rr',
    desc = 'reject this change',
    run = function()
      require('redline.decide').reject('hunk')
    end,
  },
  {
    key = '<leader>rA',
    desc = 'approve the plan',
    run = function()
      require('redline.decide').approve('plan')
    end,
  },
  {
    key = '<leader>rp',
    desc = 'show the plan',
    run = function()
      require('redline.decide').plan()
    end,
  },
}

local prefix = 'Redline: '

---@return boolean
local function wanted()
  return config.get().keys and vim.g.redline_keys ~= false and vim.g.redline_keys ~= 0
end

---Returns a key as Neovim stores it, and as it is written.
---@param key string
---@return string raw, string written
local function spell(key)
  local leader = vim.g.mapleader
  leader = type(leader) == 'string' and leader ~= '' and leader or '\\'
  local raw = vim.api.nvim_replace_termcodes((key:gsub('<leader>', function()
    return leader
  end)), true, true, true)
  return raw, vim.fn.keytrans(raw)
end

---@type table<integer, table<string, string>> the keys that we have mapped in a buffer, as stored and as written
local taken = {}

---Reports whether a key is free in a buffer: it is not mapped, no longer mapping begins
---with it, and no shorter one would have to wait for it.
---@param buf integer
---@param raw string
---@return boolean
local function free(buf, raw)
  local mine = taken[buf] or {}
  for _, list in ipairs({ vim.api.nvim_get_keymap('n'), vim.api.nvim_buf_get_keymap(buf, 'n') }) do
    for _, map in ipairs(list) do
      local lhs = vim.api.nvim_replace_termcodes(map.lhs, true, true, true)
      local ours = map.buffer ~= 0 and mine[lhs] and vim.startswith(map.desc or '', prefix) ---@diagnostic disable-line: undefined-field
      if not ours and lhs ~= '' and (vim.startswith(lhs, raw) or vim.startswith(raw, lhs)) then
        return false
      end
    end
  end
  return true
end

---@param buf integer
---@param raw string
local function give_back(buf, raw)
  local written = taken[buf][raw]
  taken[buf][raw] = nil
  for _, map in ipairs(vim.api.nvim_buf_get_keymap(buf, 'n')) do
    local lhs = vim.api.nvim_replace_termcodes(map.lhs, true, true, true)
    if lhs == raw and vim.startswith(map.desc or '', prefix) then -- otherwise someone else has mapped it
      vim.keymap.del('n', written, { buffer = buf })
      return
    end
  end
end

---Maps or unmaps the keys of a buffer.
---@param buf integer
---@param waits boolean whether changes wait there, or in other files of its plan
function M.follow(buf, waits)
  if not vim.api.nvim_buf_is_valid(buf) then
    taken[buf] = nil
    return
  end
  local had = vim.tbl_keys(taken[buf] or {})
  taken[buf] = taken[buf] or {}
  local now = {}
  for _, k in ipairs(waits and wanted() and keys or {}) do
    local raw, written = spell(k.key)
    if free(buf, raw) then
      now[raw] = true
      if not taken[buf][raw] then
        vim.keymap.set('n', written, k.run, { buffer = buf, desc = prefix .. k.desc })
        taken[buf][raw] = written
      end
    end
  end
  for _, raw in ipairs(had) do
    if not now[raw] then
      give_back(buf, raw)
    end
  end
end

---@param key string
---@param command string
---@param buf integer
local function named(key, command, buf)
  local raw, written = spell(key)
  return wanted() and require('redline.plans').wait_for(buf) and free(buf, raw) and written or command
end

local told = false

---Returns a sentence with the two most useful keys on the first call, then nil.
---@return string?
function M.hint()
  if told then
    return nil
  end
  told = true
  local buf = vim.api.nvim_get_current_buf()
  return ('%s goes to a change, %s approves it.'):format(
    named(']r', ':Redline next', buf),
    named('<leader>ra', ':Redline approve', buf)
  )
end

return M
