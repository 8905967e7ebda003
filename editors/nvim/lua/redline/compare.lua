-- Compares two revisions of a plan, in a tab of its own. Both texts come from the server
-- and are read-only; what was typed between the two is in both.
local client = require('redline.client')

local M = {}

---@class redline.ComparedFile
---@field path string
---@field from string URI of the one text
---@field to string

---@param name string
---@param path string
---@param text string
---@return integer
local function buffer(name, path, text)
  local buf = vim.fn.bufnr('^' .. vim.fn.escape(name, '\\.*[]~$?') .. '$')
  if buf == -1 then
    buf = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(buf, name)
    vim.bo[buf].bufhidden = 'wipe'
    vim.bo[buf].filetype = vim.filetype.match({ filename = path, buf = buf }) or ''
    vim.keymap.set('n', 'q', '<Cmd>tabclose<CR>', { buffer = buf, desc = 'Redline: close the comparison' })
  end
  local lines = vim.split(text, '\n', { plain = true })
  if lines[#lines] == '' then
    lines[#lines] = nil
  end
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, 0, -1, true, lines)
  vim.bo[buf].modifiable = false
  return buf
end

---@param plan integer
---@param file redline.ComparedFile
---@param from integer
---@param to integer
local function show(plan, file, from, to)
  local texts = {}
  local function took(side)
    return function(err, result)
      if err or not result then
        client.say(err and err.message or 'the server did not send the text of a revision.', vim.log.levels.WARN)
        return
      end
      texts[side] = result.text
      if not texts.from or not texts.to then
        return
      end
      local left = buffer(('redline://plan/%d/r%d/%s'):format(plan, from, file.path), file.path, texts.from)
      local right = buffer(('redline://plan/%d/r%d/%s'):format(plan, to, file.path), file.path, texts.to)
      vim.cmd.tabnew()
      local scratch = vim.api.nvim_get_current_buf()
      vim.api.nvim_win_set_buf(0, left)
      pcall(vim.api.nvim_buf_delete, scratch, {})
      vim.cmd.diffthis()
      vim.cmd('rightbelow vertical sbuffer ' .. right)
      vim.cmd.diffthis()
    end
  end
  client.request('workspace/textDocumentContent', { uri = file.from }, took('from'))
  client.request('workspace/textDocumentContent', { uri = file.to }, took('to'))
end

---@param plan integer
---@param from? integer a revision; default: the one before `to`
---@param to? integer a revision; default: the newest
---@param path? string a file; default: the only one that differs, or the one that the user chooses
function M.open(plan, from, to, path)
  client.call('show', { plan = plan, view = 'compare', from = from, to = to }, function(result)
    if not result then
      return -- the server has shown why
    end
    local what = ('revisions %d and %d of plan %d'):format(result.from, result.to, plan)
    ---@type redline.ComparedFile[]
    local files = vim.tbl_filter(function(file)
      return path == nil or file.path == path
    end, result.files)
    if #files == 0 then
      local commands = #result.files == 0 and #result.operations > 0 and ': ' .. table.concat(result.operations, '; ')
        or ''
      client.say(('%s do not differ in %s%s.'):format(what, path or 'any file', commands))
    elseif #files == 1 then
      show(plan, files[1], result.from, result.to)
    else
      vim.ui.select(files, {
        prompt = ('Which file of %s?'):format(what),
        format_item = function(file)
          return file.path
        end,
      }, function(file)
        if file then
          show(plan, file, result.from, result.to)
        end
      end)
    end
  end)
end

return M
