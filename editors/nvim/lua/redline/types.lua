---@meta
-- What the server tells, as docs/commands.md describes it. Lines and columns are
-- from 0; columns are in the encoding of the client.

---@class redline.Options
---@field cmd? string[] what starts the server; default { 'redline', 'serve' }
---@field auto_start? boolean attach to every file that is opened; default true
---@field draw? boolean draw proposed changes in the text; default true
---@field max_lines? integer how many new lines of one change are drawn; default 30
---@field signs? redline.Signs the texts in the sign column; '' for none
---@field chat_width? number of the chat window: columns, or a part of the screen below 1; default 0.4

---@field preview? 'needed'|'always'|'never' when the preview of a new plan is opened by itself; needed: when it has what cannot be drawn in a text: commands, files that come, go or move, or words only

---@class redline.Signs
---@field change? string
---@field insert? string
---@field delete? string
---@field stale? string

---@class redline.Hunk an undecided change of one document
---@field plan integer
---@field revision integer
---@field hash string what an approval binds to
---@field path string
---@field hunk string
---@field status 'pending'|'stale'
---@field reason? string
---@field action 'create'|'update'|'rename'|'delete' of its file
---@field range lsp.Range whole lines of the text
---@field oldText string
---@field newText string
---@field match? string
---@field order? integer the place in which the server has told it

---@class redline.FileState
---@field path string
---@field uri string
---@field action string
---@field status string
---@field hunks { id: string, status: string, range: lsp.Range, added: integer, removed: integer }[]

---@class redline.PlanState
---@field plan integer
---@field goal string
---@field state string
---@field revision integer
---@field hash string
---@field files redline.FileState[]
---@field commands redline.CommandState[]
---@field trials? redline.TrialState[] newest last
---@field textOnly? boolean
---@field undoable? boolean

---@class redline.CommandState
---@field id string
---@field command string
---@field cwd? string the folder that it runs in; nil at the workspace's root
---@field status string

---@class redline.TrialState a command that was run on what the plan would leave
---@field id string
---@field command string
---@field cwd? string
---@field revision integer
---@field exitCode integer|userdata vim.NIL where it did not end by itself
---@field durationMs integer
---@field baseline { exitCode: integer|userdata, durationMs: integer }|userdata without the plan's edits
---@field current boolean it ran on the texts of now
---@field output string
---@field verdict string its result, in words
---@field problem? string
---@field shown? boolean one of those to show with the plan

---@class redline.Event
---@field kind string
---@field turn? string
---@field conversation? string
---@field text? string
---@field summary? string
---@field answer? string
---@field question? string
---@field error? string
---@field state? string
---@field plan? redline.PlanState
---@field trial? redline.TrialState
---@field trials? 'none'|'ask'|'allowed' whether commands may be tried
---@field client integer id of the client whose server tells it
