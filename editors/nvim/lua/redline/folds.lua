-- Folds long changes to their first and last lines, so that old and new lines fit on one
-- screen. Only if folds are manual (Neovim's default): other folds belong to the user.
local M = {}

local ns = vim.api.nvim_create_namespace('redline.folds')

-- How many lines of a long change stay visible at each end.
local ends = 3

---@class redline.Fold
---@field mark integer on its first line
---@field first integer its line, from 1, when the changes arrived last: an approval may move the mark away

---@type table<string, table<string, redline.Fold>> by window and buffer: the fold of each change
local made = {}

---@param win integer
local function by_hand(win)
  return vim.wo[win].foldmethod == 'manual' and vim.wo[win].foldenable and not vim.wo[win].diff
end

---@param h redline.Hunk
local function name(h)
  return ('%d %s %s'):format(h.plan, h.hash, h.hunk)
end

---Returns the lines of a change to fold, from 1; nil if it is short.
---@param h redline.Hunk
---@return integer? first, integer? last
function M.middle(h)
  local first, last = require('redline.hunks').lines(h)
  if h.oldText == '' or h.status ~= 'pending' or last - first + 1 <= require('redline.config').get().max_lines then
    return nil
  end
  return first + ends, last - ends
end

---Removes a fold at its current place.
---@param buf integer
---@param fold redline.Fold
local function remove(buf, fold)
  local at = vim.api.nvim_buf_get_extmark_by_id(buf, ns, fold.mark, {})
  vim.api.nvim_buf_del_extmark(buf, ns, fold.mark)
  for _, line in ipairs({ fold.first, (at[1] or -1) + 1 }) do
    if
      vim.fn.foldlevel(line) > 0
      and (vim.fn.foldclosed(line) == line or vim.fn.foldlevel(line - 1) < vim.fn.foldlevel(line))
    then
      vim.api.nvim_win_set_cursor(0, { line, 0 })
      vim.cmd('silent! normal! zd')
      return
    end
  end
end

---Folds each long change of a buffer once in each of its windows, so that a fold that the
---user opens stays open. Removes the folds of decided changes.
---@param buf integer
---@param list redline.Hunk[]
function M.follow(buf, list)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local place = win .. ' ' .. buf
    local before, now = made[place] or {}, {}
    local wanted = {}
    for _, h in ipairs(by_hand(win) and list or {}) do
      local first, last = M.middle(h)
      if first then
        wanted[name(h)] = { first, last }
      end
    end
    if next(wanted) or next(before) then
      vim.api.nvim_win_call(win, function()
        local view = vim.fn.winsaveview()
        for key, fold in pairs(before) do
          if wanted[key] then
            fold.first = wanted[key][1]
            now[key], wanted[key] = fold, nil
          else
            remove(buf, fold)
          end
        end
        for key, lines in pairs(wanted) do
          now[key] = { mark = vim.api.nvim_buf_set_extmark(buf, ns, lines[1] - 1, 0, {}), first = lines[1] }
          vim.cmd(('silent! %d,%dfold'):format(lines[1], lines[2]))
        end
        vim.fn.winrestview(view)
      end)
      made[place] = next(now) and now or nil
    end
  end
end

-- Neovim keeps the folds of a hidden buffer: update them when it is shown.
vim.api.nvim_create_autocmd('BufWinEnter', {
  group = vim.api.nvim_create_augroup('redline.folds', {}),
  callback = function(event)
    if next(made) then
      M.follow(event.buf, require('redline.hunks').list(event.buf))
    end
  end,
})

return M
