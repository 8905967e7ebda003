//go:build linux && (amd64 || arm64)

package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// agentOfStory names the agent that works in a repository of trialStories, and how a line begins that
// is a comment there.
var agentOfStory = map[string]struct{ agent, comment string }{
	"Go": {"codex", "//"}, "Node": {"claude", "//"}, "Python": {"pi", "#"},
}

// In a published repository, an agent of others breaks the project's tests in its copy, sees it and
// fixes them, and adds a line that nobody wants. Its plan has all of that. The user rejects that line
// and approves the rest; the tests pass in the workspace, and after undo it is as before.
func TestAgentStory(t *testing.T) {
	for language, s := range trialStories {
		t.Run(language, func(t *testing.T) {
			if !*stories && language != "Go" {
				t.Skip(withStories)
			}
			s.isAdopted(t, agentOfStory[language].agent, agentOfStory[language].comment)
		})
	}
}

func (s trialStory) isAdopted(t *testing.T, agent, comment string) {
	check := cmp.Or(s.some, s.check)
	tried := agentStep{Run: check + " >/dev/null 2>&1 && echo passed >>tried.txt || echo failed >>tried.txt"}
	h := newAgentHouse(t, agent, agentScript{s.request: {
		{Read: s.file},
		{Edit: s.file, Old: s.old, New: s.mistake},
		tried,
		{Edit: s.file, Old: s.mistake, New: s.mended},
		tried,
		{Run: fmt.Sprintf("echo '%s checked' >>%s", comment, s.file)},
		{Say: "It is done, and the tests pass."},
	}})
	s.moveIn(t, h)
	original, before := h.onDisk(s.file), h.files(h.root)

	status, out := h.adopt(s.request, "--plan-only")
	if status != exitWaiting || !strings.Contains(out, "It is done, and the tests pass.") {
		t.Fatalf("exit status %d\n%s", status, out)
	}
	h.unchanged(before)
	hunks := map[string][]string{}
	for _, f := range h.plan("1").Files {
		for _, hunk := range f.Hunks {
			hunks[f.Path] = append(hunks[f.Path], hunk.ID)
		}
	}
	ours, notes := hunks[s.file], hunks["tried.txt"]
	if len(hunks) != 2 || len(ours) < 2 || len(notes) != 1 || !strings.Contains(out, "\n+failed\n+passed\n") {
		t.Fatalf("the plan has the hunks %v\n%s", hunks, out)
	}

	if status, out := h.redline("plans", "reject", "1", "--hunk", ours[len(ours)-1], "--hunk", notes[0]); status != exitOK {
		t.Fatalf("rejecting: exit status %d\n%s", status, out)
	}
	if status, out := h.redline("plans", "approve", "1"); status != exitOK {
		t.Fatalf("approving: exit status %d\n%s", status, out)
	}
	if got, want := h.onDisk(s.file), strings.Replace(original, s.old, s.mended, 1); got != want {
		t.Errorf("%s is\n%s", s.file, got)
	}
	if out, err := h.runHere("test ! -e tried.txt && " + check); err != nil {
		t.Errorf("after the approval: %v\n%s", err, out)
	}
	if status, out := h.redline("plans", "undo", "1"); status != exitOK {
		t.Fatalf("undoing: exit status %d\n%s", status, out)
	}
	if got := h.onDisk(s.file); got != original {
		t.Errorf("after undo %s is\n%s", s.file, got)
	}
}

// moveIn puts the repository into the workspace, with the test that the mistake breaks, and what its tests need into the environment.
func (s trialStory) moveIn(t *testing.T, h *agentHouse) {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip("there is no folder for caches: ", err)
	}
	program, err := exec.LookPath(s.tool)
	if err == nil {
		program, err = filepath.EvalSymlinks(program)
	}
	if err != nil {
		t.Skip("there is no ", s.tool, " here")
	}
	if dir := filepath.Dir(program); !strings.HasPrefix(dir, "/usr/") {
		h.settings(fmt.Sprintf("[trials]\nmode = \"on\"\nread = [%q]\n", filepath.Dir(dir)))
	}
	for _, value := range s.env(t) {
		if path, is := strings.CutPrefix(value, "PATH="); is {
			value = "PATH=" + h.tools + string(os.PathListSeparator) + path
		}
		h.env = append(h.env, value)
	}
	if err := os.CopyFS(h.dir, os.DirFS(filepath.Join(cache, "redline-repositories", s.repository))); err != nil {
		t.Skipf("%s is not here: run .ci/install-repositories: %v", s.repository, err)
	}
	h.write(filepath.Join(h.dir, filepath.FromSlash(s.unsaved)), h.onDisk(s.unsaved)+s.text) // here it is saved
}
