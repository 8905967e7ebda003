package tool_test

import (
	"fmt"
	"maps"
	"regexp"
	"strings"

	"redline/edits"
	"redline/edits/patch"
)

// patches gives patches of a few files each. Files that are not staged are given again
// one by one, so that only the faulty ones fail.
func (s *staging) patches(files []fileChange, write func([]fileChange) string) {
	for len(files) > 0 {
		n := min(1+s.random.IntN(12), len(files))
		s.patch(files[:n], write)
		files = files[n:]
	}
}

// patch gives one patch, and the files that it does not stage one by one.
func (s *staging) patch(files []fileChange, write func([]fileChange) string) {
	clear(s.staged)
	if s.callPatch(files[0].newPath, write(files)) {
		return
	}
	refused, done := s.failed[files[0].newPath], maps.Clone(s.staged)
	delete(s.failed, files[0].newPath)
	for _, f := range files {
		switch {
		case done[f.path] || done[f.newPath]:
		case len(files) == 1:
			s.failed[f.newPath] = refused
		default:
			s.callPatch(f.newPath, write([]fileChange{f}))
		}
	}
}

func (s *staging) callPatch(path, patch string) bool {
	return patch == "" || s.call(path, "apply_patch", map[string]any{"patch": patch})
}

// instead counts a file that the form cannot express, which other calls handle.
func (s *staging) instead(form, why string, f fileChange) {
	s.count(why+", as "+form, f)
	s.unsaid[form]++
}

// numbers matches an @@ line with line numbers.
var numbers = regexp.MustCompile(`(?m)^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@.*$`)

// unnumberedDiffs gives git's diffs without line numbers. If a file is refused and a hunk
// of it occurs in several places, the file is given again with more context lines.
func (s *staging) unnumberedDiffs() {
	s.patches(s.files, func(files []fileChange) string {
		return numbers.ReplaceAllString(s.repo.patch(s.t, s.id, files), "@@ @@")
	})
	for _, f := range s.files {
		if s.failed[f.newPath] == "" || !s.ambiguous(f) {
			continue
		}
		s.instead(unnumbered, "a hunk that stands in several places, given again with more lines", f)
		delete(s.failed, f.newPath)
		s.callPatch(f.newPath, s.unnumberedDiff(f))
	}
}

// ambiguous reports whether a hunk of git's diff, with its three context lines, occurs in
// several places of the file.
func (s *staging) ambiguous(f fileChange) bool {
	_, hunks, _ := strings.Cut(s.repo.patch(s.t, s.id, []fileChange{f}), "\n@@ ")
	for hunk := range strings.SplitSeq(hunks, "\n@@ ") {
		old := "\n"
		for _, row := range strings.SplitAfter(hunk, "\n")[1:] {
			if row != "" && (row[0] == ' ' || row[0] == '-') {
				old += row[1:]
			}
		}
		if i := strings.Index("\n"+f.old, old); i >= 0 && strings.Contains("\n"+f.old[i:], old[:len(old)-1]) && i != strings.LastIndex("\n"+f.old, old) {
			return true
		}
	}
	return false
}

// unnumberedDiff returns the diff of a file with enough context lines in each chunk to
// make it unique.
func (s *staging) unnumberedDiff(f fileChange) string {
	var b strings.Builder
	if f.status == 'R' {
		fmt.Fprintf(&b, "diff --git a/%s b/%s\nrename from %s\nrename to %s\n", f.path, f.newPath, f.path, f.newPath)
	}
	fmt.Fprintf(&b, "--- a/%s\n+++ b/%s\n", f.path, f.newPath)
	for _, c := range s.chunksOf(f) {
		b.WriteString("@@ @@\n")
		c.write(&b, endedRows)
	}
	return b.String()
}

// chunk is a stretch of a file and its edits.
type chunk struct {
	text       string // of the file
	start, end int
	hunks      []edits.Edit
}

// chunksOf returns the edits of a file as chunks with enough context lines to be unique.
func (s *staging) chunksOf(f fileChange) []chunk {
	if f.old == "" {
		return []chunk{{hunks: []edits.Edit{{New: f.new}}}}
	}
	var out []chunk
	for _, h := range edits.EditsOf(edits.Diff(f.old, f.new)) {
		start, end := around(f.old, h, s.random.IntN(4))
		last := len(out) - 1
		for last >= 0 && start < out[last].end { // they overlap: merge them
			start, end = min(start, out[last].start), max(end, out[last].end)
			last--
		}
		c := chunk{text: f.old, start: start, end: end, hunks: []edits.Edit{h}}
		for i := len(out) - 1; i > last; i-- {
			c.hunks = append(out[i].hunks, c.hunks...)
		}
		out = append(out[:last+1], c)
	}
	return out
}

// write writes the chunk with rows.
func (c *chunk) write(b *strings.Builder, rows func(b *strings.Builder, mark byte, text string)) {
	at := c.start
	for _, h := range c.hunks {
		rows(b, ' ', c.text[at:h.Start])
		rows(b, '-', c.text[h.Start:h.End])
		rows(b, '+', h.New)
		at = h.End
	}
	rows(b, ' ', c.text[at:c.end])
}

// new returns the new text of the chunk.
func (c *chunk) new() string {
	var b strings.Builder
	c.write(&b, func(b *strings.Builder, mark byte, text string) {
		if mark != '-' {
			b.WriteString(text)
		}
	})
	return b.String()
}

// rows writes lines with a mark in front of each.
func rows(b *strings.Builder, mark byte, text string) {
	for line := range strings.Lines(text) {
		b.WriteByte(mark)
		b.WriteString(strings.TrimSuffix(line, "\n") + "\n")
	}
}

// endedRows is rows for a form that marks a line without a line end.
func endedRows(b *strings.Builder, mark byte, text string) {
	rows(b, mark, text)
	if text != "" && !strings.HasSuffix(text, "\n") {
		b.WriteString("\\ No newline at end of file\n")
	}
}

// beginPatch returns the changes of the files as a "*** Begin Patch" text.
func (s *staging) beginPatch(files []fileChange) string {
	var b strings.Builder
	for _, f := range files {
		switch f.status {
		case 'D':
			fmt.Fprintf(&b, "*** Delete File: %s\n", f.path)
		case 'A':
			fmt.Fprintf(&b, "*** Add File: %s\n", f.path)
			rows(&b, '+', f.new)
		default:
			fmt.Fprintf(&b, "*** Update File: %s\n", f.path)
			if f.status == 'R' {
				fmt.Fprintf(&b, "*** Move to: %s\n", f.newPath)
			}
			for _, c := range s.chunksOf(f) {
				b.WriteString("@@\n")
				c.write(&b, rows)
			}
		}
	}
	return "*** Begin Patch\n" + b.String() + "*** End Patch\n"
}

// unended reports whether the last line of a file gains or loses its line end, which rows
// cannot express.
func unended(f fileChange) bool {
	ends := strings.HasSuffix(f.new, "\n") || f.new == ""
	return f.status == 'A' && !ends || f.status != 'A' && f.status != 'D' && (f.old == "" && f.new != "" || ends != strings.HasSuffix(f.old, "\n"))
}

// sayable splits the files into those that a form can express, for which why returns "",
// and the others, which it counts.
func (s *staging) sayable(form string, why func(fileChange) string) (files, others []fileChange) {
	for _, f := range s.files {
		if reason := why(f); reason != "" {
			s.instead(form, reason, f)
			others = append(others, f)
		} else {
			files = append(files, f)
		}
	}
	return files, others
}

// notAsRows returns why rows cannot express a change, or "".
func notAsRows(f fileChange) string {
	if unended(f) {
		return "a last line without a line end, which the form cannot say"
	}
	return ""
}

// beginPatches gives begin-patches of the files that they can express, and pairs for the
// others.
func (s *staging) beginPatches() {
	files, others := s.sayable(begin, notAsRows)
	s.patches(files, s.beginPatch)
	s.each(others, s.pairs)
}

// onePatch gives git's diff of the whole commit in one call.
func (s *staging) onePatch() {
	s.asOne(onePatch, s.files, func(files []fileChange) string { return s.repo.patch(s.t, s.id, files) })
}

// oneBeginPatch gives the whole commit as one "*** Begin Patch" text.
func (s *staging) oneBeginPatch() {
	files, others := s.sayable(oneBegin, notAsRows)
	s.asOne(oneBegin, files, s.beginPatch)
	s.each(others, s.pairs)
}

// asOne gives one patch for all files, or as few as the limits of a patch allow.
func (s *staging) asOne(form string, files []fileChange, write func([]fileChange) string) {
	if len(files) == 0 {
		return
	}
	text := write(files)
	if len(files) > 1 && (len(files) > patch.MaxFiles || len(text) > patch.MaxBytes) {
		s.counted["a commit that is more than one patch may hold, given in halves, as "+form]++
		s.asOne(form, files[:len(files)/2], write)
		s.asOne(form, files[len(files)/2:], write)
		return
	}
	s.patch(files, write)
}

// mark matches a line that would be read as a mark of a block.
var mark = regexp.MustCompile(`(?m)^(?:<{5,9}|={5,9}|>{5,9}|\|{5,9})`)

// notAsBlocks returns why blocks cannot express a change, or "".
func notAsBlocks(f fileChange) string {
	switch {
	case f.status == 'A' && f.new == "":
		return "a new file without text, which the form cannot say"
	case mark.MatchString(f.old) || mark.MatchString(f.new):
		return "a file that holds lines like the marks of a block"
	}
	return notAsRows(f)
}

// searchBlocks gives blocks for the files that they can express, and other calls for the
// rest and for deletions and renames.
func (s *staging) searchBlocks() {
	files, others := s.sayable(blocks, notAsBlocks)
	var changed []fileChange
	s.each(files, func(f fileChange) { changed = append(changed, f) })
	s.patches(changed, s.blocks)
	for _, f := range changed {
		if strings.Contains(s.failed[f.newPath], patch.ErrInTurn.Error()) {
			s.instead(blocks, "a block whose text an earlier block makes in another place", f)
			delete(s.failed, f.newPath)
			s.pairs(f)
		}
	}
	s.each(others, s.pairs)
}

// blocks returns the changes of some files as SEARCH/REPLACE blocks.
func (s *staging) blocks(files []fileChange) string {
	var b strings.Builder
	for _, f := range files {
		chunks := s.chunksOf(f)
		for i, c := range chunks {
			if i == 0 || s.random.IntN(2) == 0 {
				b.WriteString("./" + f.newPath + "\n") // so that every name looks like a path
			}
			fmt.Fprintf(&b, "<<<<<<< SEARCH\n%s=======\n%s>>>>>>> REPLACE\n\n", lined(c.text[c.start:c.end]), lined(c.new()))
		}
	}
	return b.String()
}

// lined returns text with a final line end.
func lined(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}
