package view

import (
	"fmt"
	"strings"

	"redline/agent/plan"
	"redline/edits"
	"redline/internal/fence"
	"redline/internal/phrase"
	"redline/workspace/secrets"
)

// MaxReported limits the report on changes to files, in bytes: about 4,000 tokens.
const MaxReported = 16 << 10

// ReportChanges quotes for a model what a plan does to each file, hunk by hunk, with the status of
// each hunk, and then what only earlier revisions have applied, in about room bytes; "" for a
// plan without changes. Files that do not fit are only named, with their numbers of added and
// removed lines. It does not quote lines of a secret file, which the model may never have seen. If
// listed is true, the request lists the rejected hunks elsewhere, and Changes only names them.
func ReportChanges(v *Plan, secret func(path string) bool, listed bool, room int) string {
	var b strings.Builder
	var rest []string
	for _, f := range v.Files {
		text, ok := quotedFile(f, secret, listed, room-b.Len())
		if !ok {
			rest = append(rest, fileHead(f))
			continue
		}
		b.WriteString(text)
	}
	text := ""
	if b.Len()+len(rest) > 0 {
		text = fmt.Sprintf("What plan %d proposes:\n%s", v.Plan.Number, strings.TrimSuffix(b.String()+unquoted(rest), "\n"))
	}
	if before := earlierRevisions(v, secret, room-len(text)); before != "" && text != "" {
		text += "\n\n" + before
	} else {
		text += before
	}
	return text
}

// unquoted names files whose lines do not fit.
func unquoted(files []string) string {
	if len(files) == 0 {
		return ""
	}
	return "\nNot quoted, for their size: " + strings.Join(phrase.FirstOf(files, maxNames, "file"), "; ") + "."
}

// fileHead names a file with its action, its size and its status.
func fileHead(f *File) string {
	added, removed := 0, 0
	for i := range f.Len() {
		h := f.Hunk(i)
		added, removed = added+edits.CountLines(h.NewText), removed+edits.CountLines(h.OldText)
	}
	name := fmt.Sprintf("%q", f.Change.Path)
	if f.Change.Action == plan.Rename {
		name += fmt.Sprintf(" to %q", f.Change.NewPath)
	}
	return fmt.Sprintf("%s %s (+%d −%d), %s", f.Change.Action, name, added, removed, strings.ReplaceAll(string(f.Status), "_", " ")) + quotedReason(f.Reason)
}

// quotedFile quotes what a plan does to a file, as a diff whose "@@" lines have the hunks and
// their statuses; ok is false if that takes more than room bytes. See Changes for listed.
func quotedFile(f *File, secret func(path string) bool, listed bool, room int) (text string, ok bool) {
	head := "\n" + fileHead(f)
	switch {
	case f.Len() == 0 || f.Change.Action == plan.Delete:
		return head + since(f) + "\n", len(head) < room
	case secret(f.Change.Path) || secrets.Text(f.Change.Path, f.Base) || secrets.Text(f.Change.Path, f.Proposed):
		head += "; its lines are not quoted, since the file may hold secrets\n"
		return head, len(head) <= room
	}
	least := 0       // a diff is at least as long as its added and removed lines
	var quoted []int // the hunks
	for i, h := range f.Change.Hunks {
		if listed && f.Hunk(i).Status == plan.HunkRejected {
			continue
		}
		quoted = append(quoted, i)
		least += h.Old.Len() + h.New.Len()
	}
	if len(quoted) == 0 {
		return head + since(f) + "\n", len(head) < room
	}
	if least > room {
		return "", false
	}
	head += since(f)
	var diff strings.Builder
	for _, i := range quoted {
		h := f.Hunk(i)
		diff.WriteString(hunkDiff(f.Base, h.Old, h.NewText, fmt.Sprintf("%s, %s%s", h.ID, h.Status, sinceApplied(f, i)+quotedReason(h.Reason))))
	}
	text = head + "\n" + fencedDiff(diff.String())
	return text, len(text) <= room
}

// hunkDiff returns a hunk as a diff whose "@@" line ends with a note on it.
func hunkDiff(base string, old edits.Span, newText, said string) string {
	_, block, _ := strings.Cut(edits.UnifiedOf("a", "b", base, []edits.Edit{{Span: old, New: newText}}, 1), "\n+++ b\n")
	first, lines, _ := strings.Cut(block, "\n")
	return fmt.Sprintf("%s %s\n%s", first, said, lines)
}

// fencedDiff puts a diff into a fence.
func fencedDiff(diff string) string {
	quoted := strings.TrimSuffix(edits.Visible(diff), "\n")
	marks := fence.Around(quoted)
	return fmt.Sprintf("%sdiff\n%s\n%s\n", marks, quoted, marks)
}

// since says, as the continuation of a sentence, what the user has changed about an applied
// creation or deletion; "" for nothing.
func since(f *File) string {
	switch a := f.Change.Action; {
	case a != plan.Create && a != plan.Delete || f.Len() == 0 || !f.Applied(0):
		return ""
	case a == plan.Delete && f.Exists:
		return ", and there again since"
	case a == plan.Create && !f.Exists:
		return ", and gone since"
	case a == plan.Create && !f.Holds(f.Proposed):
		return ", and changed since"
	}
	return ""
}

// sinceApplied says, as the continuation of a sentence, what the user has changed in the applied
// lines of a hunk; "" for nothing.
func sinceApplied(f *File, i int) string {
	if a := f.Change.Action; a == plan.Create || a == plan.Delete || !f.Applied(i) || f.Unreadable != "" {
		return ""
	}
	switch _, whole := f.Placement.At(i); {
	case !whole:
		return ", and its lines were changed since"
	case !f.Has[i]:
		return ", and taken back by hand since"
	}
	return ""
}
