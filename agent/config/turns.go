package config

import (
	"time"

	"redline/agent/brief"
	"redline/agent/model"
)

// limitKeys are the settings of the table [limits]: what ends a turn, and what is kept.
var limitKeys = []key{
	{name: "limits.requests", kind: whole(1, 50, atMost, func(s *Settings) *int { return &s.Requests }),
		about: "requests to the model in a turn"},
	{name: "limits.steps", kind: whole(1, 15, atMost, func(s *Settings) *int { return &s.Steps }),
		about: "steps of a plan; `redline run --max-steps` overrides it"},
	{name: "limits.tokens", kind: whole(0, 0, atMost, func(s *Settings) *int { return &s.TurnTokens }),
		about: "tokens of all prompts and replies of a turn, as the provider counts them; 0 for no limit"},
	{name: "limits.repeats", kind: whole(1, 3, atMost, func(s *Settings) *int { return &s.Repeats }),
		about: "replies of a turn in which a model may make the same tool call, with nothing staged, taken back or typed in between"},
	{name: "limits.wall_seconds", kind: seconds(true, 30*time.Minute, atMost, func(s *Settings) *time.Duration { return &s.Wall }),
		about: "how long a turn may take"},
	{name: "limits.provider_give_up_seconds", kind: seconds(false, model.DefaultGiveUp, nil, func(s *Settings) *time.Duration { return &s.GiveUp }),
		about: "how long a provider that is busy, or cannot be reached, is asked again"},
	{name: "limits.provider_silence_seconds", kind: seconds(false, model.DefaultSilence, nil, func(s *Settings) *time.Duration { return &s.Silence }),
		about: "how long a provider may send nothing at all, before its reply and within it; raise it for a slow local model. If it sends nothing but keep-alives, it may do so for five minutes, or for twice this time if that is longer"},
	{name: "limits.max_file", kind: whole(1, 8<<20, atMost, func(s *Settings) *int64 { return &s.MaxFile }),
		about: "bytes above which a file is not read"},
	{name: "limits.keep_days", kind: whole(0, 180, atLeast, func(s *Settings) *int { return &s.KeepDays }),
		about: "how many days plans that are decided are kept; 0 for ever", see: "../records.md#what-is-kept-and-for-how-long"},
	{name: "limits.keep_mb", kind: whole(1, 1024, atLeast, func(s *Settings) *int { return &s.KeepMB }),
		about: "MiB that the plan database may hold before the oldest decided plans go", see: "../records.md#what-is-kept-and-for-how-long"},
}

// approvalKeys are the settings of the table [approval]: how you decide.
var approvalKeys = []key{
	{name: "approval.decide", kind: choice([]string{DecidePlan, DecideAsk}, DecidePlan, noFurther(DecideAsk, DecidePlan), func(s *Settings) *string { return &s.Decide }),
		about: "`plan`: you decide when a turn has ended, on all of it or on parts. `ask`: you are asked about each edit as it is staged, while the turn continues. `/decide`, `redline.chat` and `redline run --decide` override it", see: "../plans.md#decide-on-each-edit"},
	{name: "approval.second_look", kind: choice([]string{SecondLookAlways, SecondLookDrift, SecondLookNever}, SecondLookAlways, noFurther(SecondLookAlways, SecondLookDrift, SecondLookNever), func(s *Settings) *string { return &s.SecondLook }),
		about: "when you are asked about the edits that come of a plan in words which you have approved: `always`; `drift`, only if they touch other files than it named; `never`. What a rule approves is recorded as approved by that rule; commands always wait for you", see: "../asking.md#which-way-a-message-goes"},
	{name: "approval.ways", kind: waysToApprove(),
		about: "how a plan can be approved: `choice`, by an action, a command or an answer where its edits are shown, or by `/approve`; `words`, by a phrase in the chat such as *yes, do it*; `cli`, by `redline run --approve` and `redline plans approve`, which ask nothing; `rules`, by `approval.second_look` and `commands.allow`, which have no effect without it", see: "../plans.md#ways-to-approve", example: `["choice", "words", "rules"]`},
	{name: "approval.audit", kind: choice([]string{AuditAuto, AuditRequire}, AuditAuto, noFurther(AuditRequire, AuditAuto), func(s *Settings) *string { return &s.Audit }),
		about: "what happens where the state directory cannot be written: `auto`, plans, decisions and the audit log are in memory for this session, and you read that; `require`, nothing can be approved there", see: "../records.md#when-the-state-directory-cannot-be-written"},
}

// contextKeys are the settings of the table [context]: what goes with your words.
var contextKeys = []key{
	{name: "context.tokens", kind: whole(1, brief.DefaultTokens, nil, func(s *Settings) *int { return &s.ContextTokens }),
		about: "about how many tokens of context a request carries: what you mention, the project's rules, what is open, an outline; what was said before may have as many again. Lower it for a model with a small window", see: "../asking.md#what-goes-with-your-words"},
	{name: "context.summaries", kind: choice([]string{SummariesOn, SummariesOff}, SummariesOn, nil, func(s *Settings) *string { return &s.Summaries }),
		about: "whether a model summarises the older turns of a conversation when they do not fit any more; `off`: they are shortened without one", see: "../asking.md#conversations"},
	{name: "context.rules", kind: choice([]string{"on", "off"}, "on", nil, func(s *Settings) *string { return &s.ContextRules }),
		about: "whether the project's rule files (`AGENTS.md` and its like) are part of it", see: "../asking.md#what-goes-with-your-words"},
	{name: "context.facts", kind: choice([]string{"on", "off"}, "on", nil, func(s *Settings) *string { return &s.ContextFacts }),
		about: "whether facts of the project go along besides: its branch, what is changed, its checks, what is at its root", see: "../asking.md#facts-of-the-project"},
}

// heapKeys are the settings of the table [heap]: specialists.
var heapKeys = []key{
	{name: "heap.enabled", kind: yes(false, func(s *Settings) *bool { return &s.Specialists }),
		about: "`true`: messages that name no mode go to specialists, as with `/heap`", see: "../specialists.md"},
}
