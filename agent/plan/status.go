package plan

// FileStatus is the status of the change of one file.
type FileStatus string

// The statuses of files. Stale depends on an editor's text: it is computed
// for the moment and never stored.
const (
	FilePending    FileStatus = "pending"    // undecided
	FileApplying   FileStatus = "applying"   // sent to the editor, no answer yet: the text will show the outcome
	FileApplied    FileStatus = "applied"    // it is in the text
	FileRejected   FileStatus = "rejected"   // rejected by the user
	FileStale      FileStatus = "stale"      // its lines or its path have changed since it was proposed: it cannot be approved
	FileFailed     FileStatus = "failed"     // the change could not be made
	FileUnverified FileStatus = "unverified" // sent, but neither the editor nor the disk shows the outcome
)

// HunkStatus is the status of one hunk.
type HunkStatus string

// The statuses of hunks. Stale is computed, as for files.
const (
	HunkPending  HunkStatus = "pending"  // undecided
	HunkApproved HunkStatus = "approved" // approved, but not applied yet
	HunkApplied  HunkStatus = "applied"  // it is in the text
	HunkRejected HunkStatus = "rejected" // rejected by the user
	HunkStale    HunkStatus = "stale"    // its own lines have changed since it was proposed: it cannot be approved
)

// CommandStatus is the status of a command.
type CommandStatus string

// The statuses of commands.
const (
	CommandPending        CommandStatus = "pending"          // undecided
	CommandWaitingForSave CommandStatus = "waiting_for_save" // approved; starts once the files it needs are saved
	CommandRunning        CommandStatus = "running"          // running
	CommandSucceeded      CommandStatus = "succeeded"        // it ended without a failure
	CommandFailed         CommandStatus = "failed"           // it ended with a failure, or could not be run
	CommandRejected       CommandStatus = "rejected"         // rejected by the user
	CommandSkipped        CommandStatus = "skipped"          // an earlier command failed, or the condition of its step does not hold
)

// StepStatus is the status of a step; it follows from the step's operations.
type StepStatus string

// The statuses of steps.
const (
	StepPending    StepStatus = "pending"     // none of it is done
	StepInProgress StepStatus = "in_progress" // a part of it is done
	StepCompleted  StepStatus = "completed"   // all of it is done; in a completed plan also a step for which nothing was to be changed
	StepFailed     StepStatus = "failed"      // a part of it failed
	StepSkipped    StepStatus = "skipped"     // not done, since its condition does not hold
)
