package plan

import (
	"cmp"
	"encoding/json"
	"fmt"
)

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

// Cause is the reason for the mark of a hunk or a file, where Redline set the mark. It is
// stored, so that code can decide by it; [Cause.Sentence] returns it in words for the user.
type Cause string

// The causes.
const (
	NotKept        Cause = "not_kept"         // applied, now pending again: its buffer was discarded unsaved
	UndoneInEditor Cause = "undone_in_editor" // applied and saved, now pending again: the user undid it and saved
	NotOnDisk      Cause = "not_on_disk"      // pending: the process that sent it is gone, and the disk does not have it
	NotMade        Cause = "not_made"         // the text has the old lines
	PartlyMade     Cause = "partly_made"      // the text has some of the hunks that were sent
	NeitherText    Cause = "neither_text"     // the text has neither the old nor the new lines
	BothThere      Cause = "both_there"       // a move: both names exist
)

// sentences has the text for the user. Stored plans do not hold it, so it can change.
var sentences = map[Cause]string{
	NotKept:        "it was applied, but the file does not have it any more: the editor closed or undid it without saving",
	UndoneInEditor: "it was applied, then undone in the editor",
	NotOnDisk:      "it was being applied when Redline ended, and the file on the disk does not have it",
	NotMade:        "the editor did not make the change",
	PartlyMade:     "only a part of the change is in the file",
	NeitherText:    "the text shows neither the old nor the new lines",
}

// Sentence describes the cause to the user, without a full stop. c is the change of the file;
// only BothThere needs it. It returns "" for no cause, or for one from a later version.
func (cause Cause) Sentence(c *Change) string {
	if cause == BothThere && c != nil {
		return fmt.Sprintf("%s and %s are both there, since the move was cut off: delete the one that you do not want", c.Path, c.NewPath)
	}
	return sentences[cause]
}

// MayComeBack reports whether the hunk was applied or sent, and is pending only because neither
// the disk nor an open buffer has it: a buffer opened later may have it.
func (m HunkMark) MayComeBack() bool {
	if m.Status != HunkPending {
		return false
	}
	switch m.Cause {
	case NotKept, UndoneInEditor, NotOnDisk:
		return true
	}
	return false
}

// MayBeThere reports whether the hunk is applied, or may come back.
func (m HunkMark) MayBeThere() bool { return m.Status == HunkApplied || m.MayComeBack() }

// Why returns the reason in words for the user, "" for none.
func (m HunkMark) Why() string { return why(m.Cause, m.Reason, nil) }

// Asked reports whether an editor was asked to change the file, and the result is
// unknown.
func (m FileMark) Asked() bool {
	return m.Sent != nil && (m.Status == FileApplying || m.Status == FileUnverified)
}

// Why returns the reason in words for the user, "" for none. c is the change of the file.
func (m FileMark) Why(c *Change) string { return why(m.Cause, m.Reason, c) }

func why(cause Cause, reason string, c *Change) string {
	if cause == "" { // true for most hunks, and a list of code actions calls Why for each
		return reason
	}
	return cmp.Or(cause.Sentence(c), reason)
}

// once has the sentences that plans stored before causes existed. Do not change them, since
// stored plans have them.
var once = map[string]Cause{
	"it was applied, but the file does not have it any more: the editor closed or undid it without saving": NotKept,
	"it was applied, then undone in the editor":                                                            UndoneInEditor,
	"it was being applied when Redline ended, and the file on the disk does not have it":                   NotOnDisk,
}

// UnmarshalJSON reads a mark, including one from a version that stored sentences instead
// of causes.
func (m *HunkMark) UnmarshalJSON(data []byte) error {
	type mark HunkMark
	if err := json.Unmarshal(data, (*mark)(m)); err != nil {
		return err
	}
	if cause, ok := once[m.Reason]; ok && m.Cause == "" && m.Status == HunkPending {
		m.Cause, m.Reason = cause, ""
	}
	return nil
}
