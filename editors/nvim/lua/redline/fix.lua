-- Plans a fix for a problem that another server reports. Neovim 0.11 and later sends each
-- server only its own diagnostics with a code action request, so this sends the others.
local client = require('redline.client')

local M = {}

---Returns the problems under the cursor, or else those of its line.
---@return lsp.Diagnostic[]
local function problems()
  local cursor = vim.api.nvim_win_get_cursor(0)
  local line, here = {}, {}
  for _, d in ipairs(vim.diagnostic.get(0, { lnum = cursor[1] - 1 })) do
    local lsp = d.user_data and d.user_data.lsp
    local known = lsp and lsp.range and lsp
      or { -- not from a server, such as a linter: use whole lines, since columns may be counted differently
        range = { start = { line = d.lnum, character = 0 }, ['end'] = { line = d.lnum + 1, character = 0 } },
        message = d.message,
        severity = d.severity,
        source = d.source,
      }
    if d.source ~= 'redline' then
      line[#line + 1] = known
      if d.lnum == cursor[1] - 1 and d.col <= cursor[2] and cursor[2] < math.max(d.end_col or 0, d.col + 1) then
        here[#here + 1] = known
      end
    end
  end
  return #here > 0 and here or line
end

---Asks for a plan that fixes the problem at the cursor.
function M.plan()
  local list = problems()
  if #list == 0 then
    client.say('no problem is reported on this line.')
    return
  end
  local buf = vim.api.nvim_get_current_buf()
  local first = list[1].range.start
  client.request('textDocument/codeAction', {
    textDocument = { uri = vim.uri_from_bufnr(buf) },
    range = { start = first, ['end'] = first },
    context = { diagnostics = list, only = { 'quickfix' } },
  }, function(_, actions)
    actions = vim.tbl_filter(function(a)
      return a.title:find('plan a fix', 1, true) and a.command
    end, actions or {})
    local function run(a)
      if a then
        client.ask(a.command.command:gsub('^redline%.', ''), a.command.arguments[1])
      end
    end
    if #actions < 2 then
      run(actions[1])
      return
    end
    vim.ui.select(actions, {
      prompt = 'Which problem?',
      format_item = function(a)
        return (a.title:gsub('^.-problem: ', ''))
      end,
    }, run)
  end)
end

return M
