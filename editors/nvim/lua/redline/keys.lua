-- Maps keys in every buffer that has our server, also while nothing waits: then they say so. If
-- they came and went, `\ra` would now and then be Vim's own keys, which edit the text. Only free
-- keys are taken.
local config = require('redline.config')

local M = {}

---@class redline.Key
---@field key string
---@field desc string
---@field run fun(count: integer)
---@field dots? boolean `.` repeats it
---@field range? fun(first: integer, last: integer) in Visual mode, with the selected lines

---@param name 'approve'|'reject'
local function decides(name)
  return {
    key = name == 'approve' and '<leader>ra' or '<leader>rr',
    desc = name .. ' this change',
    dots = true,
    run = function(count)
      require('redline.decide')[name]('hunk', { count = count })
    end,
    range = function(first, last)
      require('redline.decide')[name]('hunk', { range = { first, last } })
    end,
  }
end

---@type redline.Key[]
local keys = {
  {
    key = ']r',
    desc = 'next change',
    run = function(count)
      require('redline.move').next(count)
    end,
  },
  {
    key = '[r',
    desc = 'previous change',
    run = function(count)
      require('redline.move').prev(count)
    end,
  },
  decides('approve'),
  decides('reject'),
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

---@class redline.Mapping
---@field mode 'n'|'x'|'o'
---@field key string
---@field desc string
---@field call fun(): string?
---@field expr? boolean

---@type redline.Mapping[]
local mappings = {}
for _, k in ipairs(keys) do
  mappings[#mappings + 1] = {
    mode = 'n',
    key = k.key,
    desc = k.desc,
    expr = k.dots,
    call = function()
      if k.dots then
        return require('redline.dot').keys(k.run)
      end
      k.run(vim.v.count1)
    end,
  }
  mappings[#mappings + 1] = {
    mode = 'x',
    key = k.key,
    desc = k.range and k.desc:gsub('this change', 'the selected changes') or k.desc,
    call = function()
      if not k.range then
        k.run(vim.v.count1)
        return
      end
      local from, to = vim.fn.line('v'), vim.fn.line('.')
      vim.api.nvim_feedkeys('\27', 'nx', false) -- leave Visual mode
      k.range(math.min(from, to), math.max(from, to))
    end,
  }
end
for _, mode in ipairs({ 'o', 'x' }) do
  mappings[#mappings + 1] = {
    mode = mode,
    key = 'ir',
    desc = 'the old lines of this change',
    expr = true,
    call = function()
      return require('redline.move').object()
    end,
  }
end

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

---@param map table
---@return boolean whether it is one of [M.guard]
local function guards(map)
  return map.buffer == 0 and map.desc == prefix .. 'no server here'
end

---@type table<integer, table<string, string>> the keys that we have mapped in a buffer, by mode and key as stored: as written
local taken = {}

---Reports whether a key is free in a buffer: it is not mapped, no longer mapping begins
---with it, and no shorter one would have to wait for it.
---@param buf integer -1 for none
---@param mode string
---@param raw string
---@return boolean
local function free(buf, mode, raw)
  local mine = taken[buf] or {}
  for _, list in ipairs({ vim.api.nvim_get_keymap(mode), buf >= 0 and vim.api.nvim_buf_get_keymap(buf, mode) or {} }) do
    for _, map in ipairs(list) do
      local lhs = vim.api.nvim_replace_termcodes(map.lhs, true, true, true)
      local ours = map.buffer ~= 0 and mine[mode .. lhs] and vim.startswith(map.desc or '', prefix) ---@diagnostic disable-line: undefined-field
      if not ours and not guards(map) and lhs ~= '' and (vim.startswith(lhs, raw) or vim.startswith(raw, lhs)) then
        return false
      end
    end
  end
  return true
end

---@param buf integer
---@param id string mode and key
---@return boolean whether our map is there: someone else may have mapped the key since
local function there(buf, id)
  local mode, raw = id:sub(1, 1), id:sub(2)
  for _, map in ipairs(vim.api.nvim_buf_get_keymap(buf, mode)) do
    local lhs = vim.api.nvim_replace_termcodes(map.lhs, true, true, true)
    if lhs == raw and vim.startswith(map.desc or '', prefix) then
      return true
    end
  end
  return false
end

---@param buf integer
---@param id string mode and key
local function give_back(buf, id)
  local written = taken[buf][id]
  taken[buf][id] = nil
  if there(buf, id) then
    vim.keymap.del(id:sub(1, 1), written, { buffer = buf })
  end
end

---Maps or unmaps the keys of a buffer.
---@param buf integer
---@param attached boolean whether it has a server
function M.follow(buf, attached)
  if not vim.api.nvim_buf_is_valid(buf) then
    taken[buf] = nil
    return
  end
  M.guard()
  taken[buf] = taken[buf] or {}
  for id in pairs(taken[buf]) do -- :edit makes an empty buffer another file's, without its maps
    if not there(buf, id) then
      taken[buf][id] = nil
    end
  end
  local had = vim.tbl_keys(taken[buf])
  local now = {}
  for _, m in ipairs(attached and wanted() and mappings or {}) do
    local raw, written = spell(m.key)
    local id = m.mode .. raw
    if free(buf, m.mode, raw) then
      now[id] = true
      if not taken[buf][id] then
        vim.keymap.set(m.mode, written, m.call, { buffer = buf, desc = prefix .. m.desc, expr = m.expr })
        taken[buf][id] = written
      end
    end
  end
  for _, id in ipairs(had) do
    if not now[id] then
      give_back(buf, id)
    end
  end
end

---@param key string
---@param command string
---@param buf integer
local function named(key, command, buf)
  local raw, written = spell(key)
  return wanted() and taken[buf] and taken[buf]['n' .. raw] and free(buf, 'n', raw) and written or command
end

---Maps the keys in which Vim has commands that edit, for the buffers without a server: there they only
---say so. If the user wants no keys, it takes these back.
function M.guard()
  for _, m in ipairs(mappings) do
    local raw, written = spell(m.key)
    if vim.startswith(m.key, '<leader>') then
      local there_already = vim.iter(vim.api.nvim_get_keymap(m.mode)):any(function(map)
        return guards(map) and vim.api.nvim_replace_termcodes(map.lhs, true, true, true) == raw
      end)
      if wanted() and not there_already and free(-1, m.mode, raw) then
        vim.keymap.set(m.mode, written, function()
          require('redline.client').say('this buffer has no server. `:Redline start` starts one for files.')
        end, { desc = prefix .. 'no server here' })
      elseif there_already and not wanted() then
        vim.keymap.del(m.mode, written)
      end
    end
  end
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
