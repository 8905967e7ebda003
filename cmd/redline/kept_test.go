//go:build unix

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent"
	"redline/agent/model"
	"redline/agent/store"
	"redline/agent/store/storetest"
	"redline/workspace"
)

// onWrite calls f with what is written.
type onWrite func(text string)

func (f onWrite) Write(b []byte) (int, error) { f(string(b)); return len(b), nil }

// onDisk returns the agent of a workspace with a file, on a disk that can become full.
func onDisk(t *testing.T) (a *agent.Agent, con *console, disk *storetest.Disk, out *bytes.Buffer, file string) {
	t.Helper()
	dir, state := t.TempDir(), t.TempDir()
	file = filepath.Join(dir, "a.txt")
	if err := os.WriteFile(file, []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	disk, out = storetest.New(), new(bytes.Buffer)
	kept := store.NewOn(disk.Name, state)
	t.Cleanup(func() { kept.Close() })
	ws := workspace.New([]workspace.Folder{{Name: "ws", Dir: dir}}, workspace.Options{StateDir: state})
	con = newConsole(streams{in: io.LimitReader(nil, 0), out: out, err: io.Discard}, ws)
	a = agent.New(agent.Options{Workspace: ws, Store: kept, Model: model.New(model.Config{})})
	a.Session.Attach(con)
	t.Cleanup(a.Close)
	if _, err := a.State(t.Context(), true); err != nil { // creates the database
		t.Fatal(err)
	}
	return a, con, disk, out, file
}

// A plan that could be stored on a later try is like any other plan: it is shown, and executed if
// that was requested.
func TestAPlanThatIsKeptAtLastIsDecidedOn(t *testing.T) {
	for name, c := range map[string]struct {
		flags runFlags
		want  error
		text  string
	}{
		"waits":    {runFlags{}, status(exitWaiting), "one\n"},
		"approved": {runFlags{approve: true}, nil, "two\n"},
	} {
		t.Run(name, func(t *testing.T) {
			a, con, disk, out, file := onDisk(t)
			disk.Fail(storetest.FullDisk)
			c.flags.mode = "auto"
			con.err = onWrite(func(text string) {
				if strings.Contains(text, "cannot be kept yet") {
					disk.Repair()
				}
			})
			result := runResult{}
			err := turnAndDecide(t.Context(), a, con, &c.flags, `replace "one" with "two"`, &result)
			if !errors.Is(err, c.want) || result.Plan == nil || !strings.Contains(out.String(), "Plan 1, revision 1") {
				t.Errorf("got %v, want %v; the plan is %+v; said was\n%s", err, c.want, result.Plan, out)
			}
			if data, err := os.ReadFile(file); err != nil || string(data) != c.text {
				t.Errorf("the file is %q, %v, want %q", data, err, c.text)
			}
		})
	}
}

// A revision that cannot be stored is lost with the process: it is not a pending plan.
func TestAReworkThatCannotBeKeptFails(t *testing.T) {
	a, con, disk, _, _ := onDisk(t)
	err := turnAndDecide(t.Context(), a, con, &runFlags{mode: "auto"}, `replace "one" with "two"`, &runResult{})
	if !errors.Is(err, status(exitWaiting)) {
		t.Fatal(err)
	}
	disk.Fail(storetest.FullDisk)
	if err := rework(t.Context(), a, con, 1, []string{`replace "two" with "three"`}); !errors.Is(err, store.ErrFull) {
		t.Errorf("got %v", err)
	}
}
