package draft_test

import (
	"strings"
	"testing"

	"redline/agent/draft"
	"redline/edits"
	"redline/workspace"
)

// opened is a workspace of files that are open in an editor.
type opened struct{ memory }

func (o opened) Read(path string) (workspace.File, error) {
	f, err := o.memory.Read(path)
	f.Buffer = &workspace.Buffer{Lines: edits.NewLines(f.Text)}
	return f, err
}

// TestRefusedWhileOpen checks that a text that no file on disk may have is refused in an
// editor too, for reading and for changing.
func TestRefusedWhileOpen(t *testing.T) {
	for text, want := range map[string]string{
		"a\x00b":                     "holds a NUL byte in the editor",
		strings.Repeat("x", 8<<20+1): "has 8388609 bytes in the editor, and at most 8388608 of a file are read and edited (limits.max_file)",
	} {
		d := draft.New(opened{memory{"a": text}})
		if _, _, err := d.Read("a"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("read: error %v, want one with %q", err, want)
		}
		for _, line := range []string{"edit a|x|y", "write a|x", "delete a", "rename a|b"} {
			if err := do(t, d, line); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want one with %q", line, err, want)
			}
		}
	}
}

// small is a workspace of files of at most ten bytes.
type small struct{ opened }

func (small) LimitOf(string) int64 { return 10 }

// TestLimitOfTheWorkspace checks that a file of the draft may have as many bytes
// as the workspace reads, and no more.
func TestLimitOfTheWorkspace(t *testing.T) {
	for line, want := range map[string]string{
		"write n|0123456789":    "",
		"write n|0123456789a":   "10 at most",
		"edit a|a|0123456789":   "",
		"edit b|bb|0123456789a": "10 at most",
		"delete c":              "at most 10",
	} {
		d := draft.New(small{opened{memory{"a": "a", "b": "bb", "c": "0123456789a", "n": ""}}})
		if err := do(t, d, line); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", line, err, want)
		}
	}
}
