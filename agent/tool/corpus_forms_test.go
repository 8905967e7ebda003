package tool_test

import (
	"fmt"
	"strings"
)

// corpusCall is a tool call.
type corpusCall struct {
	tool string
	args map[string]any
}

// said is an edit as a model would state it: the text it believes to be at a place in a
// file, and the text to put there.
type said struct {
	path     string
	line     int // of the first line of old, from 1
	old, new []string
	end      string // line end of both texts; "" means "\n"
}

// sayings are the forms in which a model can state an edit.
var sayings = []struct {
	name string
	call func(said) corpusCall
}{
	{"edit_file", func(s said) corpusCall {
		return corpusCall{"edit_file", map[string]any{"path": s.path, "old_string": text(s.old, s.lineEnd()), "new_string": text(s.new, s.lineEnd())}}
	}},
	{"edit_file, open", func(s said) corpusCall {
		return corpusCall{"edit_file", map[string]any{"path": s.path, "old_string": strings.Join(s.old, s.lineEnd()), "new_string": strings.Join(s.new, s.lineEnd())}}
	}},
	{"text_editor", func(s said) corpusCall {
		return corpusCall{"text_editor", map[string]any{"command": "str_replace", "path": s.path, "old_str": strings.Join(s.old, s.lineEnd()), "new_str": strings.Join(s.new, s.lineEnd())}}
	}},
	{"unified", func(s said) corpusCall {
		return s.patch(fmt.Sprintf("--- a/%s\n+++ b/%s\n@@ -%d,%d +%d,%d @@\n", s.path, s.path, s.line, len(s.old), s.line, len(s.new)), "")
	}},
	{"unified, no numbers", func(s said) corpusCall {
		return s.patch(fmt.Sprintf("--- a/%s\n+++ b/%s\n@@ @@\n", s.path, s.path), "")
	}},
	{"begin-patch", func(s said) corpusCall {
		return s.patch("*** Begin Patch\n*** Update File: "+s.path+"\n@@\n", "*** End Patch\n")
	}},
	{"SEARCH block", func(s said) corpusCall {
		return s.block("<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE")
	}},
}

func (s said) lineEnd() string {
	if s.end == "" {
		return "\n"
	}
	return s.end
}

// rows returns the rows of a chunk: the lines that old and new share at the start and the
// end as context, the lines between as removed and added.
func (s said) rows() string {
	old, new := s.old, s.new
	head, tail := 0, 0
	for head < len(old) && head < len(new) && old[head] == new[head] {
		head++
	}
	for tail < len(old)-head && tail < len(new)-head && old[len(old)-1-tail] == new[len(new)-1-tail] {
		tail++
	}
	var b strings.Builder
	put := func(mark string, lines []string) {
		for _, line := range lines {
			b.WriteString(mark + line + s.lineEnd())
		}
	}
	put(" ", old[:head])
	put("-", old[head:len(old)-tail])
	put("+", new[head:len(new)-tail])
	put(" ", old[len(old)-tail:])
	return b.String()
}

func (s said) patch(before, after string) corpusCall {
	return corpusCall{"apply_patch", map[string]any{"patch": before + s.rows() + after}}
}

func (s said) block(opener, divider, closer string) corpusCall {
	return corpusCall{"apply_patch", map[string]any{"patch": s.path + "\n" + opener + "\n" + text(s.old, s.lineEnd()) + divider + "\n" + text(s.new, s.lineEnd()) + closer + "\n"}}
}
