-- Who does the work of a conversation: Redline's own model, or an outside agent in a copy of
-- the workspace.
local client = require('redline.client')

local M = {}

local own = 'model' -- as /with names Redline's own model

---@class redline.Outside
---@field name string
---@field program string

---Has somebody do the work of this conversation from now on. The answer is in the chat.
---@param name? string an outside agent, or "model"; default: the user chooses
function M.choose(name)
  local buf = vim.api.nvim_get_current_buf()
  local function take(chosen)
    require('redline.chat').send('/with ' .. chosen, nil, buf)
  end
  if name then
    return take(name)
  end
  client.call('state', {}, function(state)
    local agents = state and state.outside or {} ---@type redline.Outside[]
    if state and #agents == 0 then
      return client.say(
        'no outside agent is installed or configured here: `redline outside list` says which there can be.'
      )
    end
    vim.ui.select(vim.list_extend({ { name = own } }, agents), {
      prompt = 'Who does the work?',
      format_item = function(agent)
        return agent.name == own and "Redline's model" or agent.name .. ', in a copy'
      end,
    }, function(chosen)
      if chosen then
        take(chosen.name)
      end
    end)
  end, buf)
end

return M
