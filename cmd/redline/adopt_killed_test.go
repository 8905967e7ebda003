//go:build linux && (amd64 || arm64)

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"redline/agent/state"
)

// killedAgents is a house in which programs that work in copies are killed.
type killedAgents struct {
	*killedHouse
	line    func(round int) []string // the arguments of a round
	files   []string                 // kept files of the home folder
	old     map[string]string        // their texts before a round
	work    string                   // everything in the workspace before a round
	atHome  string                   // everything in the home folder but the kept files
	usual   time.Duration            // how long a round takes
	mixed   int                      // how often some kept files were new and others old
	decided int                      // plans that were approved and undone
}

const (
	// leaves is what a killed program does: it leaves behind all it can, and changes files of each kind.
	leaves = `setsid sleep 9999 & (trap '' TERM; sleep 9999) & rm a.txt; mkdir new; for i in 1 2 3 4 5 6 7 8 9; do echo "$round" > new/$i; done; ln -s /etc away
dd if=/dev/zero of=/tmp/big bs=64k count=20 2>/dev/null; sleep 0.1; mkdir shut; echo "$round" > shut/in; chmod 0 shut; mv deep deeper; echo "$round" >> deeper/b.txt`
	// readsRound reads the number of the round from the request, by the shell alone.
	readsRound = `while IFS= read -r line; do case $line in *"This is round "*.) round=${line##*round } round=${round%.};; esac; done`
	// signsIn is what a program does with its own files: tokens and sessions stay, nothing else does.
	signsIn = `cd ~/.agent; for f in auth.json sessions/*.json sessions/new.json; do printf '{"of":"%s","pad":"%020000d"}' "$round" 0 > $f; done
echo "notify = planted" > config.toml; mkdir hooks; echo planted > hooks/start; cd - >/dev/null`
)

// redline adopt, or a turn of an outside agent, is killed at random moments from its start to its end, or its
// helper or one of the command's processes is. Nothing of the copy is in the workspace, each file that is
// kept of the home folder is whole, the next start removes all that is left, and a plan that is there can be
// approved, as a whole and as it is shown, and undone.
func TestKilledCopiesLeaveNothing(t *testing.T) {
	wanted, seed := *trialKills, *crashSeed
	if testing.Short() {
		wanted = min(wanted, 8)
	}
	if seed == 0 {
		seed = time.Now().UnixNano()
	}
	t.Logf("again: go test ./cmd/redline -run '^%s$' -trial.kills=%d -crash.seed=%d", t.Name(), *trialKills, seed)
	for i, name := range []string{"adopt", "run --with"} {
		t.Run(name, func(t *testing.T) {
			h := newKilledAgents(t, name, time.Minute+time.Duration(wanted)*20*time.Second, rand.New(rand.NewPCG(uint64(seed), uint64(i))))
			for h.killed() < (wanted+1)/2 {
				h.killOne()
			}
			if status, out := h.redline("audit", "verify"); status != exitOK {
				t.Errorf("the audit log: exit status %d\n%s", status, out)
			}
			if name != "adopt" && wanted > 200 && h.mixed == 0 {
				t.Error("it was never killed while it wrote back")
			}
			t.Logf("%d kills: %v; killed while it wrote back: %d; plans approved and undone: %d", h.killed(), h.kills, h.mixed, h.decided)
		})
	}
}

func newKilledAgents(t *testing.T, name string, most time.Duration, rng *rand.Rand) *killedAgents {
	t.Helper()
	h := &killedAgents{killedHouse: &killedHouse{trialHouse: newTrialHouse(t, most), rng: rng, kills: map[string]int{}}, usual: 500 * time.Millisecond}
	h.write(filepath.Join(h.dir, "a.txt"), "host\n")
	h.write(filepath.Join(h.dir, "deep/b.txt"), "one\ntwo\nthree\n")
	h.line = func(round int) []string {
		return []string{"adopt", "--plan-only", "--", fmt.Sprintf("round=%d; %s; echo the end", round, leaves)}
	}
	if name != "adopt" {
		h.files = []string{filepath.Join(h.home, ".agent/auth.json")}
		for i := range 30 {
			h.files = append(h.files, filepath.Join(h.home, fmt.Sprintf(".agent/sessions/%d.json", i)))
		}
		for _, file := range h.files {
			h.write(file, "{}")
		}
		h.files = append(h.files, filepath.Join(h.home, ".agent/sessions/new.json"))
		h.write(filepath.Join(h.home, ".agent/config.toml"), "notify = mine\n")
		tools := filepath.Join(h.root, "tools")
		h.write(filepath.Join(tools, "scripted"), "#!/bin/sh\n"+readsRound+"\n"+signsIn+"\n"+leaves+"\necho the end\n")
		if err := os.Chmod(filepath.Join(tools, "scripted"), 0o700); err != nil {
			t.Fatal(err)
		}
		h.settings("[trials]\nmode = \"on\"\n[outside.scripted]\ncommand = [\"scripted\"]\nstate = [\"~/.agent\"]\nkeep = [\"~/.agent/auth.json\", \"~/.agent/sessions/\"]\nnetwork = [\"none\"]\n")
		h.env = append(h.env, "PATH="+tools+string(os.PathListSeparator)+os.Getenv("PATH"))
		if status, out := h.redline("outside", "allow", "scripted"); status != exitOK {
			t.Fatalf("exit status %d\n%s", status, out)
		}
		h.line = func(round int) []string {
			return []string{"run", "--plan-only", "--with", "scripted", fmt.Sprintf("This is round %d.", round)}
		}
	}
	h.note()
	return h
}

// note notes how everything is now.
func (h *killedAgents) note() {
	h.t.Helper()
	h.old = map[string]string{}
	for _, file := range h.files {
		text, err := os.ReadFile(file)
		if err == nil {
			h.old[file] = string(text)
		}
	}
	h.work, h.atHome = h.trialHouse.files(h.dir), h.others()
}

// others describes the home folder without the kept files and the times of their folders.
func (h *killedAgents) others() string {
	var b strings.Builder
	for line := range strings.Lines(h.trialHouse.files(h.home)) {
		name, _, _ := strings.Cut(line, " ")
		if slices.Contains(h.files, name) {
			continue
		}
		if slices.ContainsFunc(h.files, func(f string) bool { return filepath.Dir(f) == name }) {
			line = name + "\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

// redline runs Redline in the workspace to its end.
func (h *killedAgents) redline(args ...string) (int, string) {
	h.t.Helper()
	cmd := exec.CommandContext(h.ctx, "redline", args...)
	cmd.Dir, cmd.Env = h.dir, append(cmd.Environ(), h.env...)
	out, err := cmd.CombinedOutput()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		h.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// killOne runs a program in a copy, kills something meanwhile, and checks what is left.
func (h *killedAgents) killOne() {
	h.t.Helper()
	h.round++
	began := time.Now()
	h.server = &victim{cmd: exec.Command("redline", h.line(h.round)...)}
	h.server.cmd.Dir, h.server.cmd.Env = h.dir, append(h.server.cmd.Environ(), h.env...)
	h.server.cmd.Stdout, h.server.cmd.Stderr = &h.server.err, &h.server.err
	h.must("starting", h.server.cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- h.server.cmd.Wait() }()
	who := h.killAny(ended)
	err := <-ended
	if who == "" {
		if state, ok := h.server.cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || state.ExitStatus() != exitWaiting {
			h.t.Fatalf("round %d was not killed: %v\n%s", h.round, err, h.server.err.String())
		}
		h.usual = (3*h.usual + time.Since(began)) / 4
	}
	h.until("processes to end", func() []string { return h.processes() })
	h.until("mounts to go", h.mounts)
	of := fmt.Sprintf("round %d, killed the %q: ", h.round, who)
	if changed := differences(h.work, h.trialHouse.files(h.dir)); len(changed) > 0 {
		h.t.Fatalf("%sthe workspace has\n%s", of, strings.Join(changed, "\n"))
	}
	h.keptAreWhole(of, who)
	plans := h.waiting()
	if found := h.left(); len(found) > 0 {
		h.t.Fatalf("%sleft over:\n%s", of, strings.Join(found, "\n"))
	}
	if changed := differences(h.atHome, h.others()); len(changed) > 0 {
		h.t.Fatalf("%sat home:\n%s", of, strings.Join(changed, "\n"))
	}
	if who == "" && len(plans) == 0 {
		h.t.Fatalf("round %d was not killed, and there is no plan:\n%s", h.round, h.server.err.String())
	}
	for _, p := range plans {
		h.decide(of, who == "" || who == "server" || who == "helper" && len(p.Unfinished) == 0, p)
	}
	h.note()
}

// killAny kills Redline, its helper or a process of the command at a random moment, unless it ends before.
func (h *killedAgents) killAny(ended chan error) (who string) {
	who = []string{"server", "server", "helper", "command"}[h.rng.IntN(4)]
	wait, changes := h.before(h.usual*9/8), h.rng.IntN(3) == 0 && len(h.files) > 0 && who == "server"
	if changes { // while it writes back, or soon after
		for !h.writes() && len(ended) == 0 {
			time.Sleep(100 * time.Microsecond)
		}
		wait = h.before(10 * time.Millisecond)
	}
	at := time.NewTimer(wait)
	defer at.Stop()
	select {
	case err := <-ended:
		ended <- err
		return ""
	case <-at.C:
	}
	if who == "server" {
		h.server.kill()
		h.kills[who]++
		return who
	}
	for {
		select {
		case err := <-ended:
			ended <- err
			return ""
		default:
		}
		if victims := h.running(who); len(victims) > 0 && syscall.Kill(victims[h.rng.IntN(len(victims))], syscall.SIGKILL) == nil {
			h.kills[who]++
			return who
		}
	}
}

// writes reports whether the first of the kept files is no longer as it was.
func (h *killedAgents) writes() bool {
	text, err := os.ReadFile(h.files[0])
	return err == nil && string(text) != h.old[h.files[0]]
}

// keptAreWhole checks that each file that is written back is as it was, or as the program left it.
func (h *killedAgents) keptAreWhole(of, who string) {
	h.t.Helper()
	written := 0
	for _, file := range h.files {
		text, err := os.ReadFile(file)
		old, had := h.old[file]
		switch {
		case errors.Is(err, fs.ErrNotExist) && !had, err == nil && had && string(text) == old:
		case err == nil && string(text) == fmt.Sprintf(`{"of":"%d","pad":"%020000d"}`, h.round, 0):
			written++
		default:
			h.t.Fatalf("%s%s has %d bytes: %v", of, file, len(text), err)
		}
	}
	if written > 0 && written < len(h.files) && who == "server" {
		h.mixed++
	}
	if who == "" && written != len(h.files) {
		h.t.Fatalf("%sonly %d files were written back", of, written)
	}
}

// waiting returns the plans that wait, as the next start shows them.
func (h *killedAgents) waiting() []state.Plan {
	h.t.Helper()
	status, out := h.redline("plans", "list", "--json")
	var list struct{ Plans []state.Plan }
	if err := json.Unmarshal([]byte(out), &list); status != exitOK || err != nil {
		h.t.Fatalf("the plans: exit status %d, %v\n%s", status, err, out)
	}
	return slices.DeleteFunc(list.Plans, func(p state.Plan) bool { return p.State == "completed" || p.State == "cancelled" })
}

// left returns what is left over in the folders of the house, and of the home folder.
func (h *killedAgents) left() (found []string) {
	for _, dir := range []string{h.temp, h.runtime, filepath.Join(h.state, "temporary"), filepath.Join(h.home, ".agent")} {
		names, _ := filepath.Glob(filepath.Join(dir, "*")) // a good pattern
		more, _ := filepath.Glob(filepath.Join(dir, ".*"))
		deeper, _ := filepath.Glob(filepath.Join(dir, "*", ".*"))
		for _, name := range slices.Concat(names, more, deeper) {
			if base := filepath.Base(name); base != "." && base != ".." && (strings.Contains(base, "redline") || !strings.HasPrefix(name, h.home)) {
				found = append(found, name)
			}
		}
	}
	return found
}

// decide approves a plan, checks that this does what it shows, and undoes it.
func (h *killedAgents) decide(of string, whole bool, p state.Plan) {
	h.t.Helper()
	before := h.textsIn(h.dir)
	want, number := h.shown(p, before), fmt.Sprint(p.Plan)
	done := maps.Clone(before)
	delete(done, "a.txt")
	delete(done, "deep/b.txt")
	done["deeper/b.txt"], done["shut/in"] = before["deep/b.txt"]+fmt.Sprintln(h.round), fmt.Sprintln(h.round)
	for i := range 9 {
		done[fmt.Sprintf("new/%d", i+1)] = fmt.Sprintln(h.round)
	}
	if whole && !maps.Equal(want, done) {
		h.t.Fatalf("%splan %d is not whole: %q", of, p.Plan, want)
	}
	if status, out := h.redline("plans", "approve", number); status != exitOK {
		h.t.Fatalf("%sapproving plan %d: exit status %d\n%s", of, p.Plan, status, out)
	}
	if after := h.textsIn(h.dir); !maps.Equal(after, want) {
		h.t.Fatalf("%splan %d was to make %q, and there is %q", of, p.Plan, want, after)
	}
	if status, out := h.redline("plans", "undo", number); status != exitOK {
		h.t.Fatalf("%sundoing plan %d: exit status %d\n%s", of, p.Plan, status, out)
	}
	if after := h.textsIn(h.dir); !maps.Equal(after, before) {
		h.t.Fatalf("%safter undoing plan %d there is %q, before there was %q", of, p.Plan, after, before)
	}
	if status, out := h.redline("plans", "reject", number); status != exitOK {
		h.t.Fatalf("%srejecting plan %d: exit status %d\n%s", of, p.Plan, status, out)
	}
	h.decided++
}

// textsIn returns the texts of the files in a folder by their paths.
func (h *killedAgents) textsIn(root string) map[string]string {
	h.t.Helper()
	texts := map[string]string{}
	for _, dir := range []string{"", "deep", "deeper", "new", "shut"} {
		entries, _ := os.ReadDir(filepath.Join(root, dir)) // it may be missing
		for _, e := range entries {
			if e.IsDir() {
				continue
			}
			text, err := os.ReadFile(filepath.Join(root, dir, e.Name()))
			h.must("reading", err)
			texts[filepath.Join(dir, e.Name())] = string(text)
		}
	}
	return texts
}

// shown returns the texts that a plan is to make of others, by its unified diff and by git.
func (h *killedAgents) shown(p state.Plan, from map[string]string) map[string]string {
	h.t.Helper()
	_, diff := h.redline("plans", "diff", fmt.Sprint(p.Plan))
	at, err := os.MkdirTemp("", "shown-")
	h.must("making a folder", err)
	defer os.RemoveAll(at)
	for path, text := range from {
		h.write(filepath.Join(at, path), text)
	}
	cmd := exec.CommandContext(h.ctx, "git", "apply", "-")
	cmd.Dir, cmd.Stdin = at, strings.NewReader(diff)
	if out, err := cmd.CombinedOutput(); err != nil {
		h.t.Fatalf("the diff of plan %d: %v %s\n%s", p.Plan, err, out, diff)
	}
	return h.textsIn(at)
}
