package placeholder

import (
	"strings"
	"testing"
)

// A comment that takes the place of code and only says that it was removed is refused.
func TestRemovedCodeIsNotWritten(t *testing.T) {
	const old = "func a() {\n\tone()\n\ttwo()\n}\n\nfunc b() {\n\tthree()\n}\n"
	for _, c := range []struct {
		name, new string
		form      Form
		refused   bool
	}{
		{"removed code", "func a() {\n\t// removed code\n}\n\nfunc b() {\n\tthree()\n}\n", Part, true},
		{"code removed", "func a() {\n\tone()\n\t// Code removed.\n}\n\nfunc b() {\n\tthree()\n}\n", Whole, true},
		{"the old function was removed", "func a() {\n\tone()\n\ttwo()\n}\n\n// the old function was removed\n", Whole, true},
		{"removed", "func a() {\n\tone()\n\t// removed\n}\n\nfunc b() {\n\tthree()\n}\n", Rows, true},
		{"deleted methods", "func a() {\n\t/* deleted the methods */\n}\n\nfunc b() {\n\tthree()\n}\n", Part, true},
		{"beside code that comes", "func a() {\n\t// removed code\n\tfour()\n\tfive()\n}\n\nfunc b() {\n\tthree()\n}\n", Part, false},
		{"added", "func a() {\n\tone()\n\ttwo()\n\t// removed code\n}\n\nfunc b() {\n\tthree()\n}\n", Part, false},
		{"why", "func a() {\n\tone()\n\t// two is removed since it is slow\n}\n\nfunc b() {\n\tthree()\n}\n", Part, false},
		{"other things", "func a() {\n\tone()\n\t// deleted users\n}\n\nfunc b() {\n\tthree()\n}\n", Part, false},
	} {
		got, restored, err := Resolve("a.go", old, c.new, c.form)
		if c.refused {
			if err == nil || !strings.Contains(err.Error(), "says that code was removed") {
				t.Errorf("%s: %q, %v", c.name, got, err)
			}
		} else if err != nil || got != c.new || len(restored) > 0 {
			t.Errorf("%s: %q, %v, %v", c.name, got, restored, err)
		}
	}
	if _, _, err := Resolve("a.md", "one\ntwo\n", "<!-- removed code -->\n", Part); err != nil {
		t.Errorf("in prose: %v", err)
	}
	if _, _, err := Resolve("a.go", "// removed code\na()\nb()\n", "// removed code\na()\n", Part); err != nil {
		t.Errorf("it was there: %v", err)
	}
}
