-- Keeps what the plugin says, and answers its questions: for the tests that drive
-- Neovim from outside.

Notes = {} -- what was said, in order
Choose = nil -- a part of the choice to be taken in a question; nil dismisses it
Asked = 0 -- how many questions were answered or dismissed

vim.notify = function(text) Notes[#Notes + 1] = text end

vim.ui.select = function(items, options, choose)
  Asked = Asked + 1
  for _, item in ipairs(items) do
    local shown = (options.format_item or tostring)(item)
    if Choose and shown:find(Choose, 1, true) then
      choose(item)
      return
    end
  end
  choose(nil)
end

-- Whether the text was said.
function Noted(part)
  return table.concat(Notes, '\n'):find(part, 1, true) ~= nil
end

-- The text of the first buffer whose name has the part, without the last line end;
-- '' if there is none.
function Text(part)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(buf):find(part, 1, true) then
      return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\n')
    end
  end
  return ''
end

-- The state of a plan as the server has told it; '' if it has not.
function State(plan)
  local p = require('redline.plans').get(plan)
  return p and p.state or ''
end

-- What is drawn in the buffer, mark by mark: the text of its line and of the lines
-- drawn below it.
function Drawn()
  local lines = {}
  local ns = vim.api.nvim_get_namespaces().redline or -1
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, { details = true })) do
    local text = vim.api.nvim_buf_get_lines(0, mark[2], mark[2] + 1, false)[1] or ''
    for _, line in ipairs(mark[4].virt_lines or {}) do
      for _, chunk in ipairs(line) do
        text = text .. '|' .. chunk[1]
      end
    end
    lines[#lines + 1] = text
  end
  return table.concat(lines, '\n')
end
