package e2e

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// created are new files by name. Once everything is saved, each file has exactly the bytes that
// were proposed, whatever the editor does to line ends.
var created = map[string]string{
	"plain.md":      "one\ntwo\n",
	"bare.txt":      "one\ntwo",
	"dos.txt":       "one\r\ntwo\r\n",
	"mixed.txt":     "one\r\ntwo\nthree",
	"mark.txt":      "\ufeffone\ntwo\n",
	"empty.txt":     "",
	"blank.txt":     "one \n\n\n",
	"made/here.txt": "one\n",
}

// creating is a request to the built-in model to create these files.
func creating() string {
	var parts []string
	for name, text := range created {
		parts = append(parts, `create `+name+` with "`+text+`"`)
	}
	slices.Sort(parts)
	return strings.Join(parts, " then ")
}

// awaitCreated waits until all of these files are saved with the proposed content.
func (w *world) awaitCreated() {
	w.t.Helper()
	for name, text := range created {
		w.awaitText(name, text)
	}
}

// lacksCreated fails the test if one of these files exists, or the folder that was created for one.
func (w *world) lacksCreated() {
	w.t.Helper()
	for _, name := range append(slices.Collect(maps.Keys(created)), "made") {
		if _, err := os.Stat(filepath.Join(w.dir, name)); err == nil {
			w.t.Errorf("%s is still there", name)
		}
	}
}

// TestCreatedFiles creates files of every kind in each editor, checks their bytes after saving, and
// undoes the plan.
func TestCreatedFiles(t *testing.T) {
	eachOf(t, append(slices.Clone(sessionEditors), neovim10), "greet\n", []string{"a.go"}, nil, func(t *testing.T, s *session, _ string) {
		s.plan(creating(), "a.go")
		if state, refusal := s.answer(s.request("redline.approve", `{"plan":1}`)); state != "completed" {
			t.Errorf("the answer is %q %q", state, refusal)
		}
		s.typeLine("typed")
		s.saved("a.go", "typed\ngreet\n")
		s.w.awaitCreated()
		s.w.wantPlanned("applied", func(p planned) string {
			for _, f := range p.Files {
				if f.Status != "applied" {
					return f.Path + " " + f.Status + ": " + f.Reason
				}
			}
			return "applied"
		})
		s.show("plain.md") // in the editor's buffer, still the text that was proposed
		if state, refusal := s.answer(s.request("redline.undo", `{"plan":1}`)); state != "awaiting_approval" {
			t.Errorf("the undo's answer is %q %q", state, refusal)
		}
		s.w.lacksCreated()
	})
}

// TestCreatedFilesInEmacs is TestCreatedFiles for Emacs, where the plan is approved in its preview.
func TestCreatedFilesInEmacs(t *testing.T) {
	path, version := findEmacs(t)
	t.Log(version)
	w := newWorld(t, map[string]string{"notes.txt": "greet\n"})
	w.planHere(creating())
	e := startEmacs(w, path, "notes.txt", "greet")
	e.preview()
	e.act("approve plan 1", "")
	w.wantPlanned("completed", func(p planned) string { return p.State })
	e.open("plain.md", "two")
	e.save()
	w.awaitCreated()
	e.preview()
	e.act("undo plan 1", "")
	w.wantPlanned("awaiting_approval", func(p planned) string { return p.State })
	w.lacksCreated()
	e.quit()
}

// planHere makes a plan with the command line; the plan is pending.
func (w *world) planHere(request string) {
	w.t.Helper()
	cmd := exec.Command(filepath.Join(bin, "redline"), "run", "--plan-only", "--dir", w.dir, request)
	cmd.Env = w.env
	if out, err := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 3 { // a plan is pending
		w.t.Fatalf("%v\n%s", err, out)
	}
}
