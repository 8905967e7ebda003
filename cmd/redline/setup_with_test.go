//go:build linux && (amd64 || arm64)

package main

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/workspace/runner"
)

// setUpWith runs `redline setup --with` in an empty folder with these answers to its questions, an agent in
// PATH that runs script, and this settings file, in which "fake" may be described.
func setUpWith(t *testing.T, name, script, settings string, answers ...string) (shown, file string, err error) {
	t.Helper()
	if err := runner.Worlds(); err != nil {
		t.Skip("there are no worlds here: " + err.Error())
	}
	awayFromUser(t)
	root := t.TempDir()
	ws, bin := filepath.Join(root, "ws"), filepath.Join(root, "bin")
	for dir, program := range map[string]string{ws: "", bin: script} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if program == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, "fake-agent"), []byte("#!/bin/sh\n"+program), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", root)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Chdir(ws)
	if err := os.WriteFile(os.Getenv("REDLINE_CONFIG"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := newSetup(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer set.store.Close()
	var out bytes.Buffer
	a := &asker{
		streams: streams{in: strings.NewReader(""), out: &out, err: &out}, set: set,
		lines: bufio.NewReader(strings.NewReader(strings.Join(answers, "\n") + "\n")),
	}
	err = a.runWith(t.Context(), name)
	text, _ := os.ReadFile(set.settings.File)
	if left, _ := os.ReadDir(ws); len(left) > 1 || len(left) == 1 && left[0].Name() != ".redline" {
		t.Errorf("the folder has %v", left)
	}
	return out.String(), string(text), err
}

const fakeSettings = "# mine\n[outside.fake] # an agent\ncommand = [\"fake-agent\"]\n"

func TestSetupWithAnOutsideAgent(t *testing.T) {
	shown, file, err := setUpWith(t, "fake", "cat > /dev/null; echo made > made.txt; echo It is empty.", fakeSettings, "y", "y")
	if want := fakeSettings + "\n[outside]\ndefault = \"fake\"\n"; err != nil || file != want {
		t.Errorf("%v\n%s\nwant %s", err, file, want)
	}
	for _, part := range []string{"works on a copy of", "It has no network", "fake works: It is empty.", "Written."} {
		if !strings.Contains(strings.Join(strings.Fields(shown), " "), part) {
			t.Errorf("%q is not in\n%s", part, shown)
		}
	}
}

func TestSetupWithAnOutsideAgentThatIsNotSetUp(t *testing.T) {
	for what, c := range map[string]struct {
		name, script string
		answers      []string
		want         string
	}{
		"not allowed":   {"fake", "echo no", []string{"n"}, "nothing was written: run redline setup --with fake to start again"},
		"no answer":     {"fake", "echo no", nil, "nothing was written: run redline setup --with fake to start again"},
		"not written":   {"fake", "cat > /dev/null; echo yes", []string{"y", "n"}, "nothing was written: run redline setup --with fake to start again"},
		"fails":         {"fake", "echo no key >&2; exit 3", []string{"y"}, "fake failed: exit code 3. no key; nothing was written"},
		"to sign in":    {"pi", "echo no", []string{"n"}, "nothing was written: run pi once and use /login, or set ANTHROPIC_API_KEY, then run redline setup --with pi again"},
		"not signed in": {"pi", "echo no key >&2; mkdir -p ~/.pi; echo {} >~/.pi/auth.json; exit 3", []string{"y", "y"}, "pi failed: exit code 3. no key. You may not be signed in to pi: run pi once and use /login, or set ANTHROPIC_API_KEY; nothing was written"},
		"unknown":       {"nobody", "echo no", nil, "There is no outside agent nobody"},
		"not installed": {"gone", "echo no", nil, "install it, then run redline setup --with gone again"},
	} {
		t.Run(what, func(t *testing.T) {
			settings := fakeSettings + "[outside.gone]\ncommand = [\"no-such-agent\"]\n" +
				"[outside.pi]\ncommand = [\"fake-agent\"]\nstate = [\"~/.pi\"]\nkeep = [\"~/.pi/auth.json\"]\nenv = [\"PI_KEY\"]\n"
			_, file, err := setUpWith(t, c.name, c.script, settings, c.answers...)
			if err == nil || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(c.want)) || errors.Is(err, errInterrupted) {
				t.Errorf("%v, want %s", err, c.want)
			}
			if file != settings {
				t.Errorf("the settings file is\n%s", file)
			}
		})
	}
}
