package draft_test

import (
	"strings"
	"testing"

	"redline/agent/draft"
	"redline/agent/plan"
)

// TestWriteKeepsTheForm checks what write_file over a file does not change by accident,
// that the note says so, and that an edit can change it on purpose.
func TestWriteKeepsTheForm(t *testing.T) {
	d := draft.New(memory{"a.sh": "\ufeffone\r\ntwo\nthree\r\n"})
	s, err := d.Write("a.sh", "one\n2\nthree\nfour", op("write_file"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "The file keeps its own line ends and the line end of its last line, which edit_file can take away."
	if s.Note != want {
		t.Errorf("note %q, want %q", s.Note, want)
	}
	if text, _, _ := d.Read("a.sh"); text != "one\r\n2\nthree\r\nfour\r\n" {
		t.Errorf("the text is %q", text)
	}
	if err := do(t, d, "write a.sh|one\n2\nthree\nfour"); err == nil || !strings.Contains(err.Error(), "nothing to change. The file keeps") {
		t.Errorf("again: %v", err)
	}
	if err := do(t, d, "edit a.sh|four\r\n|four"); err != nil {
		t.Fatal(err)
	}
	if text, _, _ := d.Read("a.sh"); text != "one\r\n2\nthree\r\nfour" {
		t.Errorf("after the edit it is %q", text)
	}
	if err := do(t, d, "rename a.sh|b.sh"); err != nil {
		t.Fatal(err)
	}
	c := seal(t, d, memory{"a.sh": "\ufeffone\r\ntwo\nthree\r\n"}).Changes[0]
	if c.Mode != 0o755 {
		t.Errorf("mode %o, want that of the file", c.Mode)
	}
}

// TestByteOrderMark checks the effect of a byte order mark that a model writes: a new file
// gets it, and an existing file stays with or without one.
func TestByteOrderMark(t *testing.T) {
	with, without := "\ufeffone\ntwo\n", "one\ntwo\n"
	for _, test := range []struct {
		name, do, path string
		action         plan.Action
		proposed, note string
		bom            bool
	}{
		{"a new file", "write n|\ufeffx\n", "n", plan.Create, "x\n", "It starts with a byte order mark.", true},
		{"a new file without", "write n|x\n", "n", plan.Create, "x\n", "", false},
		{"one that is there", "write with|\ufeffone\n2\n", "with", plan.Update, "one\n2\n", "", false},
		{"one that has none", "write without|\ufeffone\n2\n", "without", plan.Update, "one\n2\n", "The byte order mark was left out, since the file has none.", false},
		{"an edit of the first line", "edit with|one|1", "with", plan.Update, "1\ntwo\n", "", false},
		{"an edit that brings it", "edit with|one|\ufeff1", "with", plan.Update, "1\ntwo\n", "", false},
		{"an edit that names it", "edit with|\ufeffone\n|\ufeff1\n", "with", plan.Update, "1\ntwo\n", "", false},
		{"an edit that adds it", "edit without|one|\ufeff1", "without", plan.Update, "1\ntwo\n", "The byte order mark was left out, since the file has none.", false},
		{"a deletion", "delete with", "with", plan.Delete, "", "", true},
		{"a deletion without", "delete without", "without", plan.Delete, "", "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := memory{"with": with, "without": without}
			d := draft.New(files)
			staged, err := stage(t, d, test.do)
			if err != nil {
				t.Fatal(err)
			}
			if staged.Note != test.note {
				t.Errorf("note %q, want %q", staged.Note, test.note)
			}
			sealed := seal(t, d, files)
			if len(sealed.Changes) != 1 {
				t.Fatalf("%d changes", len(sealed.Changes))
			}
			c := sealed.Changes[0]
			if got := sealed.Texts[c.Proposed]; c.Path != test.path || c.Action != test.action || got != test.proposed || c.BOM != test.bom {
				t.Errorf("%s %s to %q, byte order mark %v", c.Action, c.Path, got, c.BOM)
			}
		})
	}
	d := draft.New(memory{"with": with, "without": without})
	for _, line := range []string{"write with|\ufeff" + without, "edit with|one|\ufeffone", "edit without|one|\ufeffone"} {
		if err := do(t, d, line); err == nil || !strings.Contains(err.Error(), "nothing to change") {
			t.Errorf("%q: error %v", line, err)
		}
	}
}
