-- Opens the page of a trace, which shows what the agent did in a turn, folded to its
-- headings. The options are set for this buffer in its window only.
local M = {}

---@param uri string
---@return boolean
function M.is_page(uri)
  return uri:match('/plans/trace%.md$') ~= nil
end

---Returns the fold level of a line: each part of the turn is one fold.
---@param line integer from 1
---@return string
function M.level(line)
  local text = vim.fn.getline(line)
  if text:match('^## ') then
    return '>1'
  end
  return text:match('^# ') and '0' or '='
end

---Handles window/showDocument of the page, with Neovim's own handler.
---@param builtin lsp.Handler
---@param err lsp.ResponseError?
---@param result any its parameters
---@param ctx lsp.HandlerContext
---@param config? table
---@return any
function M.show_document(builtin, err, result, ctx, config)
  local answer = builtin(err, result, ctx, config)
  local buf = vim.uri_to_bufnr(result.uri)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    vim.api.nvim_win_call(win, function()
      if not vim.bo[buf].modified then
        vim.cmd('silent! edit') -- it may show an earlier trace
      end
      for option, value in pairs({
        foldmethod = 'expr',
        foldexpr = "v:lua.require'redline.trace'.level(v:lnum)",
        foldtext = '', -- the heading as it is
        foldlevel = 0,
        foldenable = true,
      }) do
        vim.wo[win][0][option] = value
      end
    end)
  end
  return answer
end

---@param turn? string a turn (t3), a trace or a plan's number; default: the last turn
function M.open(turn)
  require('redline.client').call('show', { view = 'trace', turn = turn })
end

return M
