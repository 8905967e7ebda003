package config

// Values of approval.decide: when the user decides on a plan.
const (
	DecidePlan = "plan" // when the turn has ended, on the whole plan or on parts
	DecideAsk  = "ask"  // on each operation as it is staged, while the turn continues
)

// Values of approval.second_look: when the user is asked about the edits of a plan in words that
// they have approved.
const (
	SecondLookAlways = "always"
	SecondLookDrift  = "drift" // only if the edits touch files that the plan in words did not name
	SecondLookNever  = "never"
)

// Values of approval.audit: whether approvals need an audit log that is kept.
const (
	AuditAuto    = "auto"    // where the state directory cannot be written, the log is in memory, and the user reads that
	AuditRequire = "require" // there nothing is approved
)

// Values of context.summaries: whether a model summarises older turns.
const (
	SummariesOn  = "on"
	SummariesOff = "off" // they are shortened instead
)

// Values of [Settings.ClassifyBy]: who classifies messages.
const (
	ClassifyByRules = "rules"
	ClassifyByModel = "model"
)
