package plan

// FileStatus is the status of the change of one file.
type FileStatus string

// The statuses of files. Stale depends on an editor's text: it is computed
// for the moment and never stored.
const (
	FilePending    FileStatus = "pending"    // nobody has decided on it
	FileApplying   FileStatus = "applying"   // sent to the editor, no answer yet: what is in its text will settle it
	FileApplied    FileStatus = "applied"    // it is in the text
	FileRejected   FileStatus = "rejected"   // turned down
	FileStale      FileStatus = "stale"      // what it is about was changed since it was proposed: it cannot be approved
	FileFailed     FileStatus = "failed"     // it could not be made
	FileUnverified FileStatus = "unverified" // sent, and neither the editor nor the disk shows what came of it
)

// HunkStatus is the status of one hunk.
type HunkStatus string

// The statuses of hunks. Stale is computed, as for files.
const (
	HunkPending  HunkStatus = "pending"  // nobody has decided on it
	HunkApproved HunkStatus = "approved" // approved, and not applied yet
	HunkApplied  HunkStatus = "applied"  // it is in the text
	HunkRejected HunkStatus = "rejected" // turned down
	HunkStale    HunkStatus = "stale"    // its own lines were changed since it was proposed: it cannot be approved
)

// CommandStatus is the status of a command.
type CommandStatus string

// The statuses of commands.
const (
	CommandPending        CommandStatus = "pending"          // nobody has decided on it
	CommandWaitingForSave CommandStatus = "waiting_for_save" // approved; starts once the files it needs are saved
	CommandRunning        CommandStatus = "running"          // it runs
	CommandSucceeded      CommandStatus = "succeeded"        // it has ended without a failure
	CommandFailed         CommandStatus = "failed"           // it has ended with a failure, or could not be run
	CommandRejected       CommandStatus = "rejected"         // turned down
	CommandSkipped        CommandStatus = "skipped"          // an earlier command failed, or the condition of its step does not hold
)

// StepStatus is the status of a step; it follows from the step's operations.
type StepStatus string

// The statuses of steps.
const (
	StepPending    StepStatus = "pending"     // nothing of it is done
	StepInProgress StepStatus = "in_progress" // a part of it is done
	StepCompleted  StepStatus = "completed"   // all of it is done
	StepFailed     StepStatus = "failed"      // something of it has failed
	StepSkipped    StepStatus = "skipped"     // nothing of it was done, since its condition does not hold
)
