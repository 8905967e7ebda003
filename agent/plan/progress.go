package plan

import (
	"maps"
	"reflect"
	"strings"
	"time"

	"redline/edits/charset"
)

// Progress has the status of each part of a plan. It is stored beside the revisions and never
// changes them or their hashes. A part without a mark is pending. The maps may be nil; the Mark
// methods make them.
type Progress struct {
	Hunks    map[string]HunkMark    `json:"hunks,omitempty"`    // by hunk id
	Files    map[string]FileMark    `json:"files,omitempty"`    // by Change.Path
	Commands map[string]CommandMark `json:"commands,omitempty"` // by operation id
	Deleted  map[string]Form        `json:"deleted,omitempty"`  // by hunk id: the form of a file when its deletion began

	// Folders maps the first part of each path to an absolute directory, in a workspace
	// of several folders; nil in one of a single folder, whose paths name none.
	Folders map[string]string `json:"folders,omitempty"`

	ProceedAt time.Time `json:"proceedAt,omitzero"` // when an execution of the plan last began, UTC; zero if none did

	// TakenBack means that the edits were all taken back since then. What commands did cannot be.
	TakenBack bool `json:"takenBack,omitempty"`

	Comments []Comment `json:"comments,omitempty"` // oldest first
}

// Form has the properties of a file other than its name and its text.
type Form struct {
	Mode uint32 `json:"mode,omitempty"` // permission bits
	BOM  bool   `json:"bom,omitempty"`  // a byte order mark comes before the text

	Charset charset.Charset `json:"charset,omitempty"`
}

// HunkMark is the status of a hunk.
type HunkMark struct {
	Status HunkStatus `json:"status"`
	Cause  Cause      `json:"cause,omitempty"`  // why, if Redline found it out
	Reason string     `json:"reason,omitempty"` // why, in the words of the user or the editor; see Why
}

// FileMark is the status of a file apart from its hunks: whether its move was applied or
// rejected, and whether it is applying, failed or unverified. It belongs to one revision; a
// later revision of the same path starts without it.
type FileMark struct {
	Revision int        `json:"revision"`
	Status   FileStatus `json:"status"`
	Move     FileStatus `json:"move"`              // a rename: pending, applied or rejected
	Cause    Cause      `json:"cause,omitempty"`   // why, if Redline found it out
	Reason   string     `json:"reason,omitempty"`  // why, in the words of the editor; see Why
	Sent     *Sent      `json:"sent,omitempty"`    // while it is applying or unverified
	Unsaved  bool       `json:"unsaved,omitempty"` // the applied change was seen in an editor, not on the disk yet
	Folders  []string   `json:"folders,omitempty"` // folders that were made for its creation or move, innermost first; also known in later revisions
}

// Sent is a change that an editor was asked to make, while its outcome is not known.
type Sent struct {
	Verdict Verdict  `json:"verdict"` // approve, review or undo
	Hunks   []string `json:"hunks"`   // ids
	Move    bool     `json:"move,omitempty"`
}

// CommandMark is the status of a command, with its result.
type CommandMark struct {
	Status   CommandStatus `json:"status"`
	ExitCode *int          `json:"exitCode,omitempty"` // nil if it has not ended by itself; a command that is still running has one while its failure is compared
	Output   string        `json:"output,omitempty"`   // the kept part of its output
	Reason   string        `json:"reason,omitempty"`   // one sentence for the user

	// Tolerated means that the command failed but the plan has not: it continues by a rule in
	// the plan, or the command fails without the plan too.
	Tolerated bool `json:"tolerated,omitempty"`

	// Verdict is what is known of a failed command without the plan's edits: [FailsAsBefore],
	// [StillFails], [FailsNow], or "" for nothing.
	Verdict Class `json:"verdict,omitempty"`

	// Settled means that the plan itself skips the command, because a condition does not
	// hold: nothing is left to decide about it.
	Settled bool `json:"settled,omitempty"`
}

// Words returns the status in words, with what is known of a failed command without the plan's
// edits: "failed, as it does without this plan".
func (m CommandMark) Words() string { return CommandWords(m.Status, m.Verdict) }

// CommandWords returns the status of a command in words, see [CommandMark.Words].
func CommandWords(status CommandStatus, verdict Class) string {
	switch verdict {
	case FailsAsBefore:
		return "failed, as it does without this plan"
	case StillFails:
		return "still fails, as without this plan, in what the plan is about"
	case FailsNow:
		return "failed, because of this plan"
	}
	return strings.ReplaceAll(string(status), "_", " ")
}

// Proceed records that an execution begins.
func (p *Progress) Proceed(at time.Time) { p.ProceedAt, p.TakenBack = at, false }

// Hunk returns the status of a hunk by its id.
func (p *Progress) Hunk(id string) HunkMark {
	if m, ok := p.Hunks[id]; ok {
		return m
	}
	return HunkMark{Status: HunkPending}
}

// Applied reports whether a hunk is applied.
func (p *Progress) Applied(id string) bool { return p.Hunk(id).Status == HunkApplied }

// Command returns the status of an operation's command.
func (p *Progress) Command(operation string) CommandMark {
	if m, ok := p.Commands[operation]; ok {
		return m
	}
	return CommandMark{Status: CommandPending}
}

// File returns the status of a file itself in a revision.
func (p *Progress) File(revision int, path string) FileMark {
	if m, ok := p.Files[path]; ok && m.Revision == revision {
		return m
	}
	return FileMark{Revision: revision, Status: FilePending, Move: FilePending, Folders: p.Files[path].Folders}
}

// MarkHunk sets the status of a hunk, with a reason in the words of the user or the
// editor, "" for none.
func (p *Progress) MarkHunk(id string, status HunkStatus, reason string) {
	put(&p.Hunks, id, HunkMark{Status: status, Reason: reason})
}

// MarkHunkPending sets a hunk to pending, with a cause.
func (p *Progress) MarkHunkPending(id string, cause Cause) {
	put(&p.Hunks, id, HunkMark{Status: HunkPending, Cause: cause})
}

// put sets a mark, in a map that may be nil.
func put[M any](marks *map[string]M, key string, m M) {
	if *marks == nil {
		*marks = map[string]M{}
	}
	(*marks)[key] = m
}

// MarkDeleted stores the form that a file has just before it is deleted, for an undo: it may
// have changed since the deletion was proposed.
func (p *Progress) MarkDeleted(id string, f Form) {
	put(&p.Deleted, id, f)
}

// DeletedForm returns the form that a file had when it was deleted, or when its deletion was
// proposed if that was not stored.
func (p *Progress) DeletedForm(c *Change) Form {
	if f, ok := p.Deleted[c.Hunks[0].ID]; ok {
		return f
	}
	return Form{Mode: c.Mode, BOM: c.BOM}
}

// MarkFile sets the status of a file itself in a revision. Applied, rejected and pending are
// statuses of its move; the others leave the status of the move unchanged.
func (p *Progress) MarkFile(revision int, path string, status FileStatus, reason string) {
	m := p.File(revision, path)
	m.Status, m.Cause, m.Reason = status, "", reason
	if status != FileApplying && status != FileUnverified {
		m.Sent = nil
	}
	switch status {
	case FileApplied, FileRejected, FilePending:
		m.Move = status
	}
	put(&p.Files, path, m)
}

// Settle ends the status applying, failed or unverified of a file, and keeps that of its move.
func (p *Progress) Settle(revision int, path, reason string) {
	p.MarkFile(revision, path, p.File(revision, path).Move, reason)
}

// MarkCause sets the cause of a file's status, in place of a reason in words.
func (p *Progress) MarkCause(revision int, path string, cause Cause) {
	m := p.File(revision, path)
	m.Cause, m.Reason = cause, ""
	put(&p.Files, path, m)
}

// MarkSent records that an editor is asked to change a file: the file is applying until
// the outcome is known.
func (p *Progress) MarkSent(revision int, path string, sent Sent) {
	p.MarkFile(revision, path, FileApplying, "")
	m := p.Files[path]
	m.Sent = &sent
	p.Files[path] = m
}

// MarkUnsaved records whether an applied change is only in an editor, not saved.
func (p *Progress) MarkUnsaved(revision int, path string, unsaved bool) {
	m := p.File(revision, path)
	m.Unsaved = unsaved
	put(&p.Files, path, m)
}

// MarkFolders records which folders a file's creation or move makes: an undo removes
// those that are empty.
func (p *Progress) MarkFolders(revision int, path string, folders []string) {
	m := p.File(revision, path)
	m.Folders = folders
	put(&p.Files, path, m)
}

// MarkCommand sets the status of a command.
func (p *Progress) MarkCommand(operation string, m CommandMark) {
	put(&p.Commands, operation, m)
}

// Onto merges two changed versions of was: it returns others, which has other processes'
// changes, with the changes of p added: if this process has applied h1 and another has rejected h2,
// both are so. If both have changed the same part, p wins.
func (p *Progress) Onto(others, was *Progress) Progress {
	back := others.TakenBack
	if p.TakenBack != was.TakenBack {
		back = p.TakenBack
	}
	return Progress{
		Hunks:    onto(p.Hunks, others.Hunks, was.Hunks),
		Files:    onto(p.Files, others.Files, was.Files),
		Commands: onto(p.Commands, others.Commands, was.Commands),
		Deleted:  onto(p.Deleted, others.Deleted, was.Deleted),
		Folders:  p.Folders,

		ProceedAt: p.ProceedAt, TakenBack: back,
	}
}

func onto[V any](mine, others, was map[string]V) map[string]V {
	all := maps.Clone(others)
	for key, v := range mine {
		if old, ok := was[key]; ok && reflect.DeepEqual(old, v) {
			continue
		}
		put(&all, key, v)
	}
	return all
}
