//go:build linux && (amd64 || arm64)

package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/lsp/lsptest"
)

// typedBeside is what an agent does that waits until the user has typed. It sees the signal, since the copy has
// nothing of its own in that folder.
const typedBeside = `#!/bin/sh
cat > /dev/null
echo ready
while [ -z "$(ls signals)" ]; do sleep 0.01; done
cat a.txt > seen.txt
sed -i -e 's/^five$/FIVE/' -e 's/^nine$/NINE/' a.txt
echo theirs >> saved.txt
echo theirs >> moved.txt
echo theirs >> typed.txt
rm gone.txt
echo made > made.txt
echo done
`

// The user types, saves, moves and deletes files while an agent works in its copy, and when it has ended. What
// was typed stays; the agent's changes are in their place in it, or stale; and what was changed outside of
// the copy is named and not carried. The approval makes exactly what the plan shows.
func TestTypingBesideAnAgent(t *testing.T) {
	h := newTrialHouse(t, 3*time.Minute)
	numbers := "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n"
	for _, name := range []string{"a.txt", "saved.txt", "moved.txt", "typed.txt"} {
		h.write(filepath.Join(h.dir, name), numbers)
	}
	h.write(filepath.Join(h.dir, "gone.txt"), "gone\n")
	tools, signals := filepath.Join(h.root, "tools"), filepath.Join(h.dir, "signals")
	h.write(filepath.Join(tools, "scripted"), typedBeside)
	h.must("preparing", os.Chmod(filepath.Join(tools, "scripted"), 0o700))
	h.must("preparing", os.Mkdir(signals, 0o700))
	h.settings("[trials]\nmode = \"on\"\n[outside.scripted]\ncommand = [\"scripted\"]\nnetwork = [\"none\"]\n")
	h.env = append(h.env, "PATH="+tools+string(os.PathListSeparator)+os.Getenv("PATH"))
	if out, err := h.runHere("redline outside allow scripted"); err != nil {
		t.Fatal(err, out)
	}
	h.open()
	for _, name := range []string{"a.txt", "saved.txt", "typed.txt"} {
		h.must("opening", h.editor.Open(name))
	}
	h.must("typing", h.editor.Insert("a.txt", 0, 0, "unsaved\n"))

	_, err := h.editor.Execute(h.ctx, "redline.chat", map[string]any{"message": "work", "with": "scripted"})
	h.must("asking", err)
	h.must("the agent", h.editor.Await(h.ctx, lsptest.Expect("the agent is ready", func(*lsptest.Editor) bool {
		return slices.ContainsFunc(h.events(state.OutsideWorks), func(e state.Event) bool { return strings.Contains(e.Text, "ready") })
	})))
	h.must("typing", h.editor.Insert("a.txt", 3, 0, "typed meanwhile\n"))
	h.must("typing", h.editor.Insert("a.txt", 10, 0, "not ")) // in the line that the agent changes
	h.must("typing", h.editor.Insert("typed.txt", 0, 0, "typed, not saved\n"))
	h.must("moving", os.Rename(filepath.Join(h.dir, "moved.txt"), filepath.Join(h.dir, "moved2.txt")))
	h.write(filepath.Join(h.dir, "saved.txt"), "saved by another program\n"+numbers)
	h.write(filepath.Join(signals, "go"), "")
	h.must("the turn", h.editor.Await(h.ctx, h.turnEnds(1)))
	h.must("typing", h.editor.Insert("a.txt", 0, 0, "at the end\n"))

	plans := h.plans(false)
	if len(plans) != 1 {
		t.Fatalf("there are %d plans", len(plans))
	}
	p := plans[0]
	want := "a.txt made.txt seen.txt gone.txt typed.txt"
	if got := pathsIn(&p); got != sorted(want) {
		t.Errorf("the plan has %s, want %s", got, sorted(want))
	}
	const changed = " (it was changed outside of the copy while the command ran)"
	left := strings.Join(p.Unfinished, "\n")
	for _, name := range []string{"saved.txt" + changed, "moved.txt" + changed} {
		if !strings.Contains(left, name) {
			t.Errorf("%s is not in %s", name, left)
		}
	}
	_, err = h.editor.Execute(h.ctx, "redline.approve", map[string]any{"plan": p.Plan, "hash": p.Hash, "skipStale": true})
	h.must("approving", err)
	h.must("saving", h.editor.SaveAll())
	texts := map[string]string{
		"a.txt":      "at the end\nunsaved\none\ntwo\ntyped meanwhile\nthree\nfour\nFIVE\nsix\nseven\neight\nnot nine\nten\n",
		"made.txt":   "made\n",
		"seen.txt":   "unsaved\n" + numbers,
		"saved.txt":  "saved by another program\n" + numbers,
		"moved2.txt": numbers,
		"typed.txt":  "typed, not saved\n" + numbers + "theirs\n",
	}
	got := map[string]string{}
	entries, err := os.ReadDir(h.dir)
	h.must("reading", err)
	for _, e := range entries {
		if !e.IsDir() {
			got[e.Name()] = h.onDisk(e.Name())
		}
	}
	if !maps.Equal(got, texts) {
		t.Errorf("there is\n%q\nwant\n%q", got, texts)
	}
	var hunks []string
	for _, hunk := range p.Files[slices.IndexFunc(p.Files, func(f state.File) bool { return f.Path == "a.txt" })].Hunks {
		hunks = append(hunks, hunk.Status)
	}
	if want := []string{string(plan.HunkPending), string(plan.HunkStale)}; !slices.Equal(hunks, want) {
		t.Errorf("the hunks of a.txt are %q, want %q", hunks, want)
	}
	h.until("processes to end", func() []string { return h.processes(h.server.cmd.Process.Pid) })
}

func pathsIn(p *state.Plan) string {
	var paths []string
	for _, f := range p.Files {
		paths = append(paths, f.Path)
	}
	return sorted(strings.Join(paths, " "))
}

func sorted(words string) string {
	return fmt.Sprint(slices.Sorted(slices.Values(strings.Fields(words))))
}
