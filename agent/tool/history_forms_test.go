package tool_test

import (
	"fmt"
	"slices"
	"strings"

	"redline/edits"
)

// form is a way to say what a commit does. stage makes the calls.
type form struct {
	name  string
	stage func(*staging)
}

var forms = []form{
	{"pairs", func(s *staging) { s.each(s.files, s.pairs) }},
	{"whole files", func(s *staging) { s.each(s.files, s.whole) }},
	{unified, func(s *staging) {
		s.patches(s.files, func(files []fileChange) string { return s.repo.patch(s.t, s.id, files) })
	}},
	{"begin-patch", (*staging).beginPatches},
}

// unified is the one form that says the mode of a new file.
const unified = "unified diff"

// each makes the calls for all files: what goes away first, so that there is
// room for what comes.
func (s *staging) each(files []fileChange, change func(fileChange)) {
	for _, f := range files {
		if f.status == 'D' {
			s.call(f.newPath, "delete_file", map[string]any{"path": f.path})
		}
	}
	for _, f := range files {
		if f.status == 'R' {
			s.call(f.newPath, "rename_file", map[string]any{"path": f.path, "new_path": f.newPath})
		}
	}
	for _, f := range files {
		if f.status != 'D' && (f.old != f.new || f.status == 'A') {
			change(f)
		}
	}
}

// whole writes the whole file.
func (s *staging) whole(f fileChange) {
	s.call(f.newPath, "write_file", map[string]any{"path": f.newPath, "content": f.new})
}

// pairs replaces one hunk after the other, in any order, each with as many
// lines around it as make it the only such place. A file that has no text yet
// is written.
func (s *staging) pairs(f fileChange) {
	if f.old == "" {
		s.whole(f)
		return
	}
	text := f.old
	hunks := edits.EditsOf(edits.Diff(f.old, f.new))
	for len(hunks) > 0 {
		i := s.random.IntN(len(hunks))
		h := hunks[i]
		hunks = slices.Delete(hunks, i, i+1)
		old, new := unique(text, h, s.random.IntN(4))
		if !s.call(f.newPath, "edit_file", map[string]any{"path": f.newPath, "old_string": old, "new_string": new}) {
			return
		}
		text = text[:h.Start] + h.New + text[h.End:]
		for j := i; j < len(hunks); j++ {
			hunks[j].Start += len(h.New) - h.Len()
			hunks[j].End += len(h.New) - h.Len()
		}
	}
}

// unique returns the edit as a pair: a text that is in exactly one place, with
// at least so many lines around it, and what is to be there.
func unique(text string, e edits.Edit, least int) (old, new string) {
	start, end := around(text, e, least)
	return text[start:end], text[start:e.Start] + e.New + text[e.End:end]
}

// around returns the span of the edit with so many lines around it, and more
// until there is only one place with that text.
func around(text string, e edits.Edit, lines int) (start, end int) {
	start, end = e.Start, e.End
	for {
		for range lines {
			if start > 0 {
				start = strings.LastIndexByte(text[:start-1], '\n') + 1
			}
			if i := strings.IndexByte(text[end:], '\n'); i >= 0 {
				end += i + 1
			} else {
				end = len(text)
			}
		}
		old := text[start:end]
		if old != "" && strings.Index(text, old) == strings.LastIndex(text, old) {
			return start, end
		}
		lines = 1
	}
}

// patches makes a patch of every few files. Where one is refused, each of its
// files is given by itself, so that only those fail of which it is the fault.
func (s *staging) patches(files []fileChange, write func([]fileChange) string) {
	for len(files) > 0 {
		n := min(1+s.random.IntN(12), len(files))
		some := files[:n]
		files = files[n:]
		if s.callPatch(some[0].newPath, write(some)) {
			continue
		}
		delete(s.failed, some[0].newPath)
		for _, f := range some {
			s.callPatch(f.newPath, write([]fileChange{f}))
		}
	}
}

func (s *staging) callPatch(path, patch string) bool {
	return patch == "" || s.call(path, "apply_patch", map[string]any{"patch": patch})
}

// beginPatch returns what is done to the files as a "*** Begin Patch" text.
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
			s.chunks(&b, f)
		}
	}
	return "*** Begin Patch\n" + b.String() + "*** End Patch\n"
}

// beginPatches makes such patches of all files but those whose last line
// begins or ceases to have a line end, which the form cannot say: these are
// counted, and left to other calls.
func (s *staging) beginPatches() {
	var files, others []fileChange
	for _, f := range s.files {
		ends := strings.HasSuffix(f.new, "\n") || f.new == ""
		if f.status == 'A' && !ends || f.status != 'A' && f.status != 'D' && (f.old == "" && f.new != "" || ends != strings.HasSuffix(f.old, "\n")) {
			s.counted["a last line without a line end, which the form cannot say, as begin-patch"]++
			others = append(others, f)
		} else {
			files = append(files, f)
		}
	}
	s.patches(files, s.beginPatch)
	s.each(others, s.pairs)
}

// chunks writes the hunks of a file, each with as many lines around it as make
// it the only such place.
func (s *staging) chunks(b *strings.Builder, f fileChange) {
	hunks := edits.EditsOf(edits.Diff(f.old, f.new))
	for len(hunks) > 0 {
		n, start, end := 0, 0, 0
		for n < len(hunks) {
			from, to := around(f.old, hunks[n], s.random.IntN(4))
			if n > 0 && from >= end {
				break
			}
			if n == 0 || from < start {
				start = from
			}
			end = max(end, to)
			n++
		}
		b.WriteString("@@\n")
		at := start
		for _, h := range hunks[:n] {
			rows(b, ' ', f.old[at:h.Start])
			rows(b, '-', f.old[h.Start:h.End])
			rows(b, '+', h.New)
			at = h.End
		}
		rows(b, ' ', f.old[at:end])
		hunks = hunks[n:]
	}
}

// rows writes lines with a mark in front of each.
func rows(b *strings.Builder, mark byte, text string) {
	for line := range strings.Lines(text) {
		b.WriteByte(mark)
		b.WriteString(strings.TrimSuffix(line, "\n") + "\n")
	}
}
