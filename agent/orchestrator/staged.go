package orchestrator

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"redline/agent/draft"
	"redline/agent/plan"
	"redline/edits"
	"redline/internal/fence"
	"redline/internal/phrase"
	"redline/workspace/secrets"
)

// maxDiff limits the diff of the others' work that a specialist reads, in bytes: about 2,000
// tokens. It is part of each request of the specialist, and replaces reading the files again.
const maxDiff = 8 << 10

// stagedDiff returns what is staged in a draft as `git diff` would show it, followed by the
// commands; "" for nothing. It only names a file that does not fit, that is deleted, or that may
// hold secrets.
func stagedDiff(d *draft.Draft, secret func(path string) bool) string {
	var diff strings.Builder
	var named []string
	files := d.Files()
	for _, path := range slices.Sorted(maps.Keys(files)) {
		_, existed := d.Before(path)
		before, now, _ := d.Texts(path)
		text := ""
		switch {
		case !files[path].Exists:
			named = append(named, fmt.Sprintf("%q is deleted", path))
			continue
		case secret(path) || secrets.Text(path, before) || secrets.Text(path, now):
			named = append(named, fmt.Sprintf("%q is changed; it may hold secrets", path))
			continue
		case !existed && before != "":
			named = append(named, fmt.Sprintf("%q was moved there", path))
			text = edits.Unified("a/"+path, "b/"+path, before, now, 3)
		case !existed:
			text = edits.Unified("/dev/null", "b/"+path, before, now, 3)
		default:
			text = edits.Unified("a/"+path, "b/"+path, before, now, 3)
		}
		if diff.Len()+len(text) > maxDiff {
			named = append(named, fmt.Sprintf("%q is changed; its diff has %d lines", path, edits.CountLines(text)))
			continue
		}
		diff.WriteString(text)
	}
	for _, o := range d.Operations() {
		if o.IsCommand() {
			named = append(named, "to be run after approval: "+plan.CommandIn(phrase.FirstLine(o.Command, 200), o.Folder()))
		}
	}
	var b strings.Builder
	if diff.Len() > 0 {
		text := strings.TrimSuffix(edits.Visible(diff.String()), "\n")
		marks := fence.Around(text)
		fmt.Fprintf(&b, "%sdiff\n%s\n%s\n", marks, text, marks)
	}
	for _, line := range phrase.FirstOf(named, maxNamed, "item") {
		b.WriteString("- " + line + "\n")
	}
	return strings.TrimSpace(b.String())
}

// maxNamed is how many files and commands are named beside a diff.
const maxNamed = 30
