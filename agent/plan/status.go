package plan

// FileStatus is how far a change of one file is.
type FileStatus string

// The statuses of files. Stale depends on an editor's text: it is computed
// for the moment and never stored.
const (
	FilePending    FileStatus = "pending"
	FileApplying   FileStatus = "applying" // sent to the editor, no answer yet: what is in its text will settle it
	FileApplied    FileStatus = "applied"
	FileRejected   FileStatus = "rejected"
	FileStale      FileStatus = "stale"
	FileFailed     FileStatus = "failed"
	FileUnverified FileStatus = "unverified" // sent, and neither the editor nor the disk shows what came of it
)

// HunkStatus is how far one hunk is.
type HunkStatus string

// The statuses of hunks. Stale is computed, as for files.
const (
	HunkPending  HunkStatus = "pending"
	HunkApproved HunkStatus = "approved" // and not applied yet
	HunkApplied  HunkStatus = "applied"
	HunkRejected HunkStatus = "rejected"
	HunkStale    HunkStatus = "stale"
)

// CommandStatus is how far a command is.
type CommandStatus string

// The statuses of commands.
const (
	CommandPending        CommandStatus = "pending"
	CommandWaitingForSave CommandStatus = "waiting_for_save" // approved; starts once the files it needs are saved
	CommandRunning        CommandStatus = "running"
	CommandSucceeded      CommandStatus = "succeeded"
	CommandFailed         CommandStatus = "failed"
	CommandRejected       CommandStatus = "rejected"
	CommandSkipped        CommandStatus = "skipped" // an earlier command failed, or the condition of its step does not hold
)

// StepStatus is how far a step is; it follows the step's operations.
type StepStatus string

// The statuses of steps.
const (
	StepPending    StepStatus = "pending"
	StepInProgress StepStatus = "in_progress"
	StepCompleted  StepStatus = "completed"
	StepFailed     StepStatus = "failed"
	StepSkipped    StepStatus = "skipped" // nothing of it was done, since its condition does not hold
)
