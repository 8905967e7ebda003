package tool_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"redline/agent/tool"
)

// looker is an editor that records what it is asked to show.
type looker struct{ seen []string }

func (l *looker) OpenLocation(path string, line int) {
	l.seen = append(l.seen, fmt.Sprintf("%s:%d", path, line))
}

func (l *looker) ShowView(view string) error {
	if view == "plan" {
		return errors.New("there is no plan")
	}
	l.seen = append(l.seen, view)
	return nil
}

func (l *looker) SetDiffMode(mode string) error { l.seen = append(l.seen, mode); return nil }

func TestShowing(t *testing.T) {
	b := newBench(t, files)
	ed := &looker{}
	run := func(name, args string) tool.Result { t.Helper(); return b.call(t, name, args) }
	if r := run("set_diff_mode", `{"mode":"split"}`); !r.IsError || !strings.Contains(r.Text, "no editor") {
		t.Errorf("without an editor: %+v", r)
	}
	b.env.Editor = ed
	for _, c := range []struct{ name, args, want string }{
		{"open_location", `{"path":"dir/b.txt","line":1}`, "asked to show it"},
		{"open_location", `{"path":"./dir/b.txt"}`, "asked to show it"},
		{"open_location", `{"path":"dir/b.txt","line":4000}`, "has only"},
		{"open_location", `{"path":"nowhere.txt"}`, "there is no file"},
		{"open_location", `{"path":"../outside"}`, "error: "},
		{"open_location", `{"path":".git/config"}`, "error: "},
		{"open_location", `{"path":".env"}`, "may hold secrets"},
		{"show_view", `{"view":"chat"}`, "asked to show it"},
		{"show_view", `{"view":"plan"}`, "there is no plan"},
		{"show_view", `{"view":"settings"}`, "must be one of plan, chat"},
		{"set_diff_mode", `{"mode":"unified"}`, "asked to show it"},
	} {
		if r := run(c.name, c.args); !strings.Contains(r.Text, c.want) || len(r.Staged) > 0 {
			t.Errorf("%s %s: %s, want %q", c.name, c.args, r.Text, c.want)
		}
	}
	if got := strings.Join(ed.seen, " "); got != "dir/b.txt:1 dir/b.txt:0 chat unified" {
		t.Errorf("shown: %s", got)
	}
	// Calls are limited: a user who is typing is not moved elsewhere again and again.
	var last tool.Result
	for range 10 {
		last = run("show_view", `{"view":"chat"}`)
	}
	if !last.IsError || len(ed.seen) > 8 {
		t.Errorf("%d things were shown: %s", len(ed.seen), last.Text)
	}
}
