package tool_test

import (
	"slices"
	"strings"

	"redline/edits"
)

// form is a way to express a commit in tool calls, which stage makes.
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
	{unnumbered, (*staging).unnumberedDiffs},
	{blocks, (*staging).searchBlocks},
	{begin, (*staging).beginPatches},
	{onePatch, (*staging).onePatch},
	{oneBegin, (*staging).oneBeginPatch},
}

// Forms of patches. The last two put the whole commit into one call.
const (
	unified    = "unified diff"
	unnumbered = "unified diff without line numbers"
	blocks     = "SEARCH/REPLACE blocks"
	begin      = "begin-patch"
	onePatch   = "one unified diff"
	oneBegin   = "one begin-patch"
)

// saysMode are the forms that can express the mode of a new file.
var saysMode = map[string]bool{unified: true, unnumbered: true, onePatch: true}

// each calls change for each file, after deletions and renames have made room for new
// files.
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
	s.call(f.newPath, "write_file", map[string]any{"path": f.newPath, "content": f.new, "confirm_removal": true})
}

// pairs replaces one hunk after another, in random order, each with enough surrounding
// lines to be unique. A file without text is written whole.
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

// unique returns the edit as a pair: an old text that occurs once, with at least this
// many lines around it, and its replacement.
func unique(text string, e edits.Edit, least int) (old, new string) {
	start, end := around(text, e, least)
	return text[start:end], text[start:e.Start] + e.New + text[e.End:end]
}

// around returns the span of the edit with this many lines around it, and more until that
// text occurs only once.
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
