package main

import "testing"

func TestShort(t *testing.T) {
	for summary, want := range map[string]string{
		"An agent for every editor: you see each edit": "Agent for every editor",
		"The agent":    "Agent",
		"Another word": "Another word",
	} {
		if got := (filled{project: project{Summary: summary}}).Short(); got != want {
			t.Errorf("%q: got %q, want %q", summary, got, want)
		}
	}
}

func TestSRI(t *testing.T) {
	f := filled{sums: map[string]string{"a.zip": sum, "b.zip": "no digits"}}
	if got, err := f.SRI("a.zip"); err != nil || got != "sha256-n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=" {
		t.Errorf("got %q, %v", got, err)
	}
	for _, file := range []string{"b.zip", "c.zip"} {
		if got, err := f.SRI(file); err == nil {
			t.Errorf("%s: got %q, want an error", file, got)
		}
	}
}

func TestArchVersion(t *testing.T) {
	for version, want := range map[string]string{"1.2.0": "1.2.0", "1.2.0-rc.1": "1.2.0rc.1"} {
		if got := (filled{Version: version}).ArchVersion(); got != want {
			t.Errorf("%s: got %s, want %s", version, got, want)
		}
	}
}
