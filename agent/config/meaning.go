package config

// meaning describes a setting to users, besides its values and its default.
type meaning struct {
	text    string // its purpose; begins in lower case, ends without a full stop, has code in backquotes
	see     string // a page in docs/ with more, perhaps with an anchor; "" for none
	example string // a TOML value, for a setting without a default
}

// meanings describes each of [keys].
var meanings = map[string]meaning{
	"model.provider":        {"who answers: its base URL and the variable of its key are known. Without it the base URL says it, and without that a key in the environment (`OPENAI_API_KEY`, else `ANTHROPIC_API_KEY`, else `OPENROUTER_API_KEY`). `builtin` stays offline, whatever else is set. `redline setup` asks and writes it", "../models.md#models-and-providers", `"anthropic"`},
	"model.base_url":        {"an OpenAI-compatible endpoint, up to and with its `/v1`; the provider's own if there is one. `OPENAI_BASE_URL` overrides the file too, unless a provider with an address of its own is named", "../models.md#models-and-providers", `"http://localhost:11434/v1"`},
	"model.name":            {"the model to ask for; the default is the provider's, of an endpoint `gpt-4.1`", "", `"qwen3-coder"`},
	"model.classification":  {"who finds out what a message wants: `model`, with a short request before each message; `rules`, by its words alone; `auto` is `model` if `model.classify` names one, else `rules`", "../asking.md#which-way-a-message-goes", ""},
	"model.api_key_env":     {"the environment variable that holds the key, if it is not the provider's usual one; the key itself is in no settings. `REDLINE_API_KEY` overrides it where a provider or a base URL is set", "", ""},
	"model.api_key_command": {"a program that prints the key, such as a password manager, and its arguments. It is run once, at the first request, and has a minute. `REDLINE_API_KEY` overrides it, and it overrides `model.api_key_env`", "../models.md#a-key-from-a-command", `["pass", "show", "redline/anthropic"]`},
	"model.key_header":      {"the header that carries the key as it is", "../models.md#models-and-providers", `"api-key"`},
	"model.api_version":     {"the `api-version` in the query of each request, as Azure wants it", "", `"2024-10-21"`},
	"model.headers":         {"headers that go with each request; a value `$NAME` is taken from the environment", "", `{ "X-Title" = "Redline" }`},
	"model.plan":            {"the model that makes plans in words", "", `"a-large-model"`},
	"model.edit":            {"the model that answers turns in which edits can be staged", "", `"a-coding-model"`},
	"model.classify":        {"the model that is asked small questions about a message, such as what it wants", "", `"a-small-model"`},
	"model.summarise":       {"the model that summarises what was said in older turns", "", `"a-small-model"`},
	"model.edits":           {"the way to edit that models are offered: `edit_file`, `apply_patch`, `text_editor` or `all`; `auto` is the one that the model knows best", "../models.md#prompts", ""},
	"model.tools":           {"whether models take tools: `auto` finds out, `on` insists, `off` describes the tools in the prompt", "../models.md#models-and-providers", ""},
	"model.stream":          {"whether models stream their replies; `auto` finds out", "", ""},
	"model.system":          {"whether models know the system role; `auto` finds out", "", ""},
	"model.prices":          {"what a million tokens of a model cost: sent, received, cached", "../models.md#models-and-providers", `{ "gpt-4.1" = [2, 8, 0.5] }`},
	"model.reuse_plans":     {"the same request at the start of a conversation, over files that have not changed, makes the same plan again without asking the model", "../plans.md#reused-plans", ""},

	"limits.requests":                 {"requests to the model in a turn", "", ""},
	"limits.steps":                    {"steps of a plan; `redline run --max-steps` overrides it", "", ""},
	"limits.tokens":                   {"tokens of all prompts and replies of a turn, as the provider counts them; 0 for no limit", "", ""},
	"limits.repeats":                  {"replies of a turn in which a model may make the same tool call, with nothing staged, taken back or typed in between", "", ""},
	"limits.wall_seconds":             {"how long a turn may take", "", ""},
	"limits.provider_give_up_seconds": {"how long a provider that is busy, or cannot be reached, is asked again", "", ""},
	"limits.provider_silence_seconds": {"how long a provider may send nothing at all, before its reply and within it; raise it for a slow local model. If it sends nothing but keep-alives, it may do so for five minutes, or for twice this time if that is longer", "", ""},
	"limits.max_file":                 {"bytes above which a file is not read", "", ""},
	"limits.keep_days":                {"how many days plans that are decided are kept; 0 for ever", "../records.md#what-is-kept-and-for-how-long", ""},
	"limits.keep_mb":                  {"MiB that the plan database may hold before the oldest decided plans go", "../records.md#what-is-kept-and-for-how-long", ""},

	"editor.apply_timeout_seconds": {"how long an editor may take to answer that it applied a change; after that its text is looked at", "", ""},
	"editor.attached":              {"`some`: the editor shows Redline only some of its buffers, as Emacs and Kate do where another server has the code. A file that it does not show may be unsaved there: it is changed only when you say that it is saved, by an action whose title says so, with `/approve N saved`, or with `saved: true`. `redline serve --attached some` says it for one editor", "", ""},
	"editor.review":                {"whether the editor has a review of its own, in which you tick the changes of a plan: `auto` goes by what it announces, `always` and `never` do not. With `always`, an editor that asks nothing applies the whole plan when you call for a review", "", ""},

	"approval.decide":      {"`plan`: you decide when a turn has ended, on all of it or on parts. `ask`: you are asked about each edit as it is staged, while the turn continues. `/decide`, `redline.chat` and `redline run --decide` override it", "../plans.md#decide-on-each-edit", ""},
	"approval.second_look": {"when you are asked about the edits that come of a plan in words which you have approved: `always`; `drift`, only if they touch other files than it named; `never`. What a rule approves is recorded as approved by that rule; commands always wait for you", "../asking.md#which-way-a-message-goes", ""},
	"approval.audit":       {"what happens where the state directory cannot be written: `auto`, plans, decisions and the audit log are in memory for this session, and you read that; `require`, nothing can be approved there", "../records.md#when-the-state-directory-cannot-be-written", ""},
	"approval.ways":        {"how a plan can be approved: `choice`, by an action, a command or an answer where its edits are shown, or by `/approve`; `words`, by a phrase in the chat such as *yes, do it*; `cli`, by `redline run --approve` and `redline plans approve`, which ask nothing; `rules`, by `approval.second_look` and `commands.allow`, which have no effect without it", "../plans.md#ways-to-approve", `["choice", "words", "rules"]`},

	"context.tokens":    {"about how many tokens of context a request carries: what you mention, the project's rules, what is open, an outline; what was said before may have as many again. Lower it for a model with a small window", "../asking.md#what-goes-with-your-words", ""},
	"context.summaries": {"whether a model summarises the older turns of a conversation when they do not fit any more; `off`: they are shortened without one", "../asking.md#conversations", ""},
	"context.rules":     {"whether the project's rule files (`AGENTS.md` and its like) are part of it", "../asking.md#what-goes-with-your-words", ""},
	"context.facts":     {"whether facts of the project go along besides: its branch, what is changed, its checks, what is at its root", "../asking.md#facts-of-the-project", ""},

	"heap.enabled": {"`true`: messages that name no mode go to specialists, as with `/heap`", "../specialists.md", ""},

	"ui.code_lens":      {"code lenses: approve, reject and show above each hunk, and for the plan above a file that it changes", "lsp.md", ""},
	"ui.inlay_hints":    {"inlay hints: what each hunk does, at the end of its line", "lsp.md", ""},
	"ui.ask_when_ready": {"whether your editor asks *Approve / Review / Reject* when a plan is ready: `always`, if it can; `never`; `auto`, where the question can wait while you type", "lsp.md#a-question-when-a-plan-is-ready", ""},
	"ui.report":         {"whether the model reports the results of an approved plan's commands: `asked`, if the plan asks for a report; `always`; `never`", "../running.md#get-a-report-on-the-results", ""},

	"fetch.hosts":           {"hosts that the model may read pages of; `*.` stands for every name below. Only at public addresses, by https and its usual port; `host:8443` and `http://host` say otherwise", "../tool-servers.md#reading-from-the-network", `["go.dev", "*.python.org"]`},
	"fetch.private_hosts":   {"the same for hosts of your own network or machine", "../tool-servers.md#reading-from-the-network", `["localhost:8080"]`},
	"fetch.timeout_seconds": {"how long one fetch may take, redirects and all", "", ""},
	"fetch.max_kb":          {"KiB of one text; the rest is cut off, and the model can see that", "", ""},

	"trials.mode":            {"where commands may be tried before you approve a plan: `ask`, only in workspaces where you have allowed it; `on`, everywhere; `off`, nowhere. Where they cannot be isolated, no command is tried", "../running.md#allow-trials-turn-trials-off", ""},
	"trials.deny":            {"rules: commands that are not tried, besides those of `commands.deny`", "../running.md#allow-or-deny-a-command", `["make deploy"]`},
	"trials.read":            {"folders besides the workspace that trials see, as copies: absolute, or beginning with `~/`. The toolchains and caches of common languages are seen without it", "../running.md#what-a-trial-sees", `["~/.cache/tool"]`},
	"trials.show":            {"files of a workspace that trials see although they may hold secrets, such as a key that tests need: paths or patterns", "../running.md#what-a-trial-sees", `["testdata/*.pem"]`},
	"trials.timeout_seconds": {"how long a trial may take; the model can ask for less. Unless you set it, a command that is known to take longer gets up to ten minutes", "../running.md#limits-of-a-trial", ""},
	"trials.max":             {"how many commands one turn may try", "", ""},
	"trials.disk_mb":         {"MiB that a trial can write, in memory or on a disk", "", ""},
	"trials.memory_mb":       {"MiB of memory that a trial can have besides; where no cgroup is delegated to you, each of its processes", "../running.md#limits-of-a-trial", ""},

	"commands.timeout_seconds":  {"how long a command may take; a plan can ask for less", "", ""},
	"commands.wall_seconds":     {"how long the commands of one approval may run, all together; a wait for a save does not count", "", ""},
	"commands.parallel":         {"how many commands of a plan run at the same time, where it says that they may; 1 for one after the other", "../plans.md#at-the-same-time", ""},
	"commands.confine":          {"`auto`: what a command writes is limited where the system can do that. `require`: no command is run where it cannot. `off`: it is not limited", "../running.md#what-a-command-can-reach", ""},
	"commands.namespaces":       {"`auto`: on Linux a command runs in namespaces of its own where the system allows it, so that nothing outlives it. `off`: what it leaves behind is looked for and ended", "../running.md#how-a-command-ends", ""},
	"commands.caches":           {"folders besides the workspace that a command may write: absolute, or beginning with `~/`. One that does not exist is created. None is your home folder, holds it or leads to it. The default is the [caches](tool-folders.md) that exist or whose tools are installed; `usual` in a list stands for these", "../running.md#what-a-command-can-reach", `["usual", "~/.tool/cache"]`},
	"commands.allow":            {"rules: commands that run when you approve their plan, without a question of their own. A text is about the workspace's root, a table about the folder that it names", "../running.md#allow-or-deny-a-command", `["go test", "npm run *", { command = "make", folder = "tools" }]`},
	"commands.deny":             {"rules: commands that are not run, even if you approve them, in whatever folder", "../running.md#allow-or-deny-a-command", `["rm", "git push"]`},
	"workspace.trusted_folders": {"folders of other users that may be the workspace of a folder in them: absolute, or beginning with `~/`; `/srv/*` is what is below `/srv`, and `*` every folder", "settings.md#whose-folder-the-workspace-is", `["/srv/project"]`},

	"commands.env": {"names of environment variables that commands get besides the usual ones", "../running.md#what-a-command-gets", `["DATABASE_URL"]`},
}
