-- Lists the waiting changes and commands, and the trials, in the quickfix list.
local client = require('redline.client')
local plans = require('redline.plans')
local trials = require('redline.trials')

local M = {}

function M.open()
  plans.fetch(function(list)
    local items = {}
    for _, p in ipairs(list) do
      for _, f in ipairs(p.files or {}) do
        local file = vim.uri_to_fname(f.uri)
        local any = false
        for _, h in ipairs(f.hunks or {}) do
          if h.status == 'pending' or h.status == 'stale' then
            any = true
            items[#items + 1] = {
              filename = file,
              module = f.path, -- shown instead, whatever folder Neovim works in
              lnum = h.range.start.line + 1,
              type = h.status == 'stale' and 'W' or 'I',
              text = ('plan %d, %s: +%d −%d%s'):format(
                p.plan,
                h.id,
                h.added,
                h.removed,
                h.status == 'stale' and ' (stale)' or ''
              ),
            }
          end
        end
        if not any and f.status == 'pending' then
          items[#items + 1] = {
            filename = file,
            module = f.path,
            lnum = 1,
            type = 'I',
            text = ('plan %d: %s'):format(p.plan, f.action),
          }
        end
      end
      for _, c in ipairs(p.commands or {}) do
        if c.status == 'pending' or c.status == 'waiting_for_save' then
          items[#items + 1] = {
            text = ('plan %d, %s: run %s'):format(p.plan, c.id, plans.command_line(c)),
            type = 'I',
            valid = 0,
          }
        end
      end
      for _, t in ipairs(trials.shown(p)) do
        items[#items + 1] = {
          bufnr = trials.buffer(p, t), -- <CR> opens its output
          lnum = 1,
          text = ('plan %d, tried: %s: %s'):format(p.plan, plans.command_line(t), trials.outcome(t)),
          type = t.current and t.verdict ~= 'passed' and 'W' or 'I',
        }
      end
    end
    vim.fn.setqflist({}, ' ', { title = 'Redline', items = items })
    if #items == 0 then
      client.say('no changes wait for you.')
    else
      vim.cmd('botright copen')
    end
  end)
end

return M
