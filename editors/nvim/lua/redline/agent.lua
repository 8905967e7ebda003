-- Which agent of the user's own a conversation has.
local client = require('redline.client')

local M = {}

local none = 'none' -- as /agent names having none

---Chooses the agent of this conversation. The answer is in the chat.
---@param name? string of an agent, or "none"; default: the user chooses
function M.choose(name)
  local buf = vim.api.nvim_get_current_buf()
  local function take(chosen)
    require('redline.chat').send('/agent ' .. chosen, nil, buf)
  end
  if name then
    return take(name)
  end
  client.call('complete', { text = '/agent ' }, function(result)
    local names = vim.tbl_map(function(item)
      return item.insert
    end, result and result.items or {})
    if #names <= 1 then
      return client.say('no agent of your own is here: a file in `.redline/agents/` makes one.')
    end
    vim.ui.select(names, {
      prompt = 'Which agent?',
      format_item = function(agent)
        return agent == none and 'no agent' or agent
      end,
    }, function(chosen)
      if chosen then
        take(chosen)
      end
    end)
  end, buf)
end

return M
