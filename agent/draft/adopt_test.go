package draft

import (
	"errors"
	"testing"

	"redline/agent/plan"
	"redline/workspace"
)

// files are a workspace's files, by path.
type onlyFiles map[string]workspace.File

func (f onlyFiles) Read(path string) (workspace.File, error) { return f[path], nil }

// An adopted text is exactly what it is: its line ends and what looks like a stand-in for other lines stay.
func TestAdopt(t *testing.T) {
	for name, c := range map[string]struct {
		base, text string
	}{
		"line ends":         {"a\r\nb\r\nc\r\n", "a\nb\nc\n"},
		"no last line end":  {"a\nb\n", "a\nb"},
		"a stand-in":        {"func f() {\n\tone()\n\ttwo()\n}\n", "func f() {\n\t// ... existing code ...\n\ttwo()\n}\n"},
		"nothing":           {"a\n", ""},
		"from nothing":      {"", "a\n"},
		"a mark in the way": {"a\n", "b\ufeff\n"},
	} {
		d := New(onlyFiles{"a": {Exists: true, Text: c.base, Mode: 0o644}})
		if _, err := d.Adopt("a", File{Text: c.text, Mode: 0o755, BOM: true}, plan.Operation{Tool: "apply_patch"}); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		s, err := d.Seal(func(string) (string, bool, uint32, error) { return c.base, true, 0o644, nil })
		if err != nil || len(s.Changes) != 1 || s.Texts[s.Changes[0].Proposed] != c.text || s.Changes[0].Mode != 0o644 || s.Changes[0].BOM {
			t.Errorf("%s: %+v %v", name, s, err)
		}
	}
	d := New(onlyFiles{"old": {Exists: true, Text: "1\n2\n3\n"}})
	if _, err := d.Rename("old", "new", plan.Operation{Tool: "rename_file"}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Adopt("new", File{Text: "1\n2\n4\n"}, plan.Operation{Tool: "apply_patch"}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Adopt("run", File{Text: "#!\n", Mode: 0o755, BOM: true}, plan.Operation{Tool: "write_file"}); err != nil {
		t.Fatal(err)
	}
	if s, err := New(onlyFiles{}).Adopt("empty", File{}, plan.Operation{Tool: "write_file"}); err != nil || s.Action != Create || s.Added != 0 {
		t.Errorf("%v, %+v", err, s)
	}
	if _, err := d.Adopt("run", File{Text: "a\x00b"}, plan.Operation{}); err == nil {
		t.Error("a NUL byte was adopted")
	}
	s, err := d.Seal(func(string) (string, bool, uint32, error) { return "1\n2\n3\n", true, 0o644, nil })
	if err != nil || len(s.Changes) != 2 || s.Changes[0].Action != plan.Rename || len(s.Changes[0].Hunks) != 1 ||
		s.Changes[1].Action != plan.Create || s.Changes[1].Mode != 0o755 || !s.Changes[1].BOM {
		t.Errorf("%+v %v", s, err)
	}
}

// What was typed meanwhile is merged.
func TestAdoptMeetsTyping(t *testing.T) {
	d := New(onlyFiles{"a": {Exists: true, Text: "1\n2\n3\n4\n5\n6\n7\n"}})
	if _, err := d.Adopt("a", File{Text: "1\n2\n3\n4\n5\n6\nseven\n"}, plan.Operation{Tool: "apply_patch"}); err != nil {
		t.Fatal(err)
	}
	s, err := d.Seal(func(string) (string, bool, uint32, error) { return "one\n2\n3\n4\n5\n6\n7\n", true, 0o644, nil })
	if err != nil || len(s.Changes) != 1 || s.Texts[s.Changes[0].Proposed] != "one\n2\n3\n4\n5\n6\nseven\n" || len(s.Notes) != 1 {
		t.Errorf("%+v %v", s, err)
	}
}

// What is staged as a whole is taken back as a whole.
func TestWhole(t *testing.T) {
	d := New(onlyFiles{"a": {Exists: true, Text: "1\n"}, "b": {Exists: true, Text: "2\n"}})
	if _, err := d.Write("b", "3\n", plan.Operation{Tool: "write_file"}); err != nil {
		t.Fatal(err)
	}
	failed := errors.New("no")
	err := Whole(d, func() error {
		_, err := d.Delete("a", plan.Operation{Tool: "delete_file"})
		return errors.Join(err, failed)
	})
	text, exists, _ := d.Read("a")
	if !errors.Is(err, failed) || !exists || text != "1\n" || len(d.Operations()) != 1 {
		t.Errorf("%v %q %d operations", err, text, len(d.Operations()))
	}
	if err := Whole(d, func() error { _, err := d.Delete("a", plan.Operation{Tool: "delete_file"}); return err }); err != nil || len(d.Operations()) != 2 {
		t.Errorf("%v, %d operations", err, len(d.Operations()))
	}
}
