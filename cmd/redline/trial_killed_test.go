//go:build linux && (amd64 || arm64)

package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"redline/agent/model/modeltest"
	"redline/agent/plan"
	"redline/agent/state"
)

var trialKills = flag.Int("trial.kills", 24, "how often TestKilledTrialsLeaveNothing kills the server, the helper or the command of a trial")

// killedHouse is a house in which processes are killed while a model tries commands.
type killedHouse struct {
	*trialHouse
	rng   *rand.Rand
	round int
	turn  int                     // turns of the current server
	usual map[bool]time.Duration  // how long a turn takes: in a server that has just started, and in one that has run trials before
	kills map[string]int          // by which process was killed
	shown map[int]map[string]bool // plan → hashes of its revisions
	files map[string]bool         // those that were approved
}

// The server, the helper of a trial or one of the command's processes is killed at random moments
// of a turn that tries a command. Nothing is left: no process, no mount, no file, not even in the
// folder for temporary files. No plan that was shown is lost, and each can be decided on.
func TestKilledTrialsLeaveNothing(t *testing.T) {
	wanted, seed := *trialKills, uint64(time.Now().UnixNano())
	if testing.Short() {
		wanted = min(wanted, 4)
	}
	h := &killedHouse{
		trialHouse: newTrialHouse(t, time.Minute+time.Duration(wanted)*10*time.Second), rng: rand.New(rand.NewPCG(seed, 3)),
		usual: map[bool]time.Duration{true: 300 * time.Millisecond, false: 100 * time.Millisecond}, kills: map[string]int{},
		shown: map[int]map[string]bool{}, files: map[string]bool{},
	}
	h.env = append(h.env, "OPENAI_BASE_URL="+newModelOf(t, killedReply))
	home, began := h.trialHouse.files(h.home), time.Now()
	h.open()
	for n := 0; n < wanted; n = h.killed() {
		h.tryAndKill()
	}
	all := map[int]state.Plan{}
	for _, p := range h.plans(true) {
		all[p.Plan] = p
	}
	for number := range h.shown {
		if p, ok := all[number]; !ok || p.State != "completed" && p.State != "cancelled" {
			t.Errorf("plan %d was shown and decided on, and is %q", number, p.State)
		}
	}
	if changed := differences(home, h.trialHouse.files(h.home)); len(changed) > 0 {
		t.Errorf("at home:\n%s", strings.Join(changed, "\n"))
	}
	t.Logf("%d kills in %.1f s: %v; %d plans were shown", h.killed(), time.Since(began).Seconds(), h.kills, len(h.shown))
}

func (h *killedHouse) killed() (n int) {
	for _, k := range h.kills {
		n += k
	}
	return n
}

// tryAndKill makes the model try a command, kills something meanwhile, and checks what is left.
func (h *killedHouse) tryAndKill() {
	h.t.Helper()
	h.round++
	fresh, began := h.turn == 0, time.Now()
	h.turn++
	_, err := h.editor.Execute(h.ctx, "redline.chat", map[string]any{"message": fmt.Sprintf("round %d.", h.round), "mode": "plan"})
	h.must("asking", err)
	ended := make(chan error, 1)
	go func() { ended <- h.editor.Await(h.ctx, h.turnEnds(h.turn)) }()
	who := h.kill(h.usual[fresh], ended)
	err = <-ended
	h.seen()
	if who == "server" {
		_ = h.server.cmd.Wait() // it was killed
		h.editor.Kill()
		h.until("processes to end", func() []string { return h.processes() })
		h.until("mounts to go", h.mounts)
		h.turn = 0
		h.open()
	} else {
		h.must("the turn", err)
		if who == "" {
			h.usual[fresh] = (3*h.usual[fresh] + time.Since(began)) / 4
		}
	}
	h.until("processes to end", func() []string { return h.processes(h.server.cmd.Process.Pid) })
	h.until("mounts to go", h.mounts)
	h.until("files to go", h.left)
	h.decide()
}

// kill kills the server, a helper or a process of a command, unless the turn ends before. usual is
// the usual duration of a turn. It returns which was killed.
func (h *killedHouse) kill(usual time.Duration, ended chan error) (who string) {
	h.t.Helper()
	who = []string{"server", "server", "helper", "command"}[h.rng.IntN(4)]
	if who == "server" {
		time.Sleep(h.before(usual * 5 / 4))
		h.server.kill()
		h.kills[who]++
		return who
	}
	for waited := false; ; {
		select {
		case err := <-ended:
			ended <- err
			return ""
		default:
		}
		victims := h.running(who)
		if len(victims) > 0 && !waited {
			time.Sleep(h.before(usual / 4))
			victims, waited = h.running(who), true
		}
		if len(victims) > 0 && syscall.Kill(victims[h.rng.IntN(len(victims))], syscall.SIGKILL) == nil {
			h.kills[who]++
			return who
		}
	}
}

// running returns the processes below the server that are helpers, or those that are not.
func (h *killedHouse) running(who string) (found []int) {
	program := func(pid int) string {
		name, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)) // it may have ended
		return filepath.Base(name)
	}
	server := h.server.cmd.Process.Pid
	for _, pid := range descendants(server) {
		if name := program(pid); name != "." && (name == program(server)) == (who == "helper") {
			found = append(found, pid)
		}
	}
	return found
}

// before returns a random moment within a duration.
func (h *killedHouse) before(most time.Duration) time.Duration {
	return time.Duration(h.rng.Int64N(int64(most)))
}

// seen records the plans that the server has shown.
func (h *killedHouse) seen() {
	for _, e := range h.events(state.PlanChanged) {
		if p := e.Plan; p != nil {
			if h.shown[p.Plan] == nil {
				h.shown[p.Plan] = map[string]bool{}
			}
			h.shown[p.Plan][p.Hash] = true
		}
	}
}

// left returns everything in the house that should not be there.
func (h *killedHouse) left() (found []string) {
	h.t.Helper()
	for _, dir := range []string{h.temp, h.runtime, filepath.Join(h.state, "temporary"), h.dir} {
		err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist), name == dir, h.files[name]:
				return nil
			case err == nil && name == filepath.Join(h.dir, ".redline"):
				return fs.SkipDir
			}
			found = append(found, name)
			return err
		})
		if err != nil {
			h.t.Fatal(err)
		}
	}
	return found
}

// decide decides on all pending plans, which include all that were shown.
func (h *killedHouse) decide() {
	h.t.Helper()
	waiting := map[int]state.Plan{}
	for _, p := range h.plans(false) {
		if plan.State(p.State).Open() {
			waiting[p.Plan] = p
		}
	}
	newest := 0
	for number := range h.shown {
		newest = max(newest, number)
	}
	if hashes := h.shown[newest]; hashes != nil && !hashes["decided"] && !hashes[waiting[newest].Hash] {
		h.t.Fatalf("plan %d was shown, and now there are %+v", newest, waiting)
	}
	for number, p := range waiting {
		command := "redline.approve"
		if h.rng.IntN(2) == 0 {
			command = "redline.reject"
		}
		_, err := h.editor.Execute(h.ctx, command, map[string]any{"plan": number, "hash": p.Hash})
		h.must(fmt.Sprintf("%s of plan %d", command, number), err)
		if command == "redline.approve" {
			for _, f := range p.Files {
				h.files[filepath.Join(h.dir, f.Path)] = true
				h.must("saving", h.editor.SaveAll())
				if text := h.onDisk(f.Path); !strings.HasPrefix(text, "round ") {
					h.t.Fatalf("%s is %q", f.Path, text)
				}
			}
		}
		if h.shown[number] == nil {
			h.shown[number] = map[string]bool{}
		}
		h.shown[number]["decided"] = true
	}
}

var triedRound = regexp.MustCompile(`round (\d+)\.`)

// killedReply is the model's reply: it creates a file, and tries a command that leaves behind all
// it can.
func killedReply(request []byte) modeltest.Reply {
	var ask struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.Unmarshal(request, &ask); err != nil {
		return modeltest.Fail(http.StatusUnprocessableEntity, err.Error())
	}
	round, replies := "", 0
	for _, m := range ask.Messages {
		switch found := triedRound.FindStringSubmatch(m.Content); {
		case m.Role == "user" && found != nil:
			round, replies = found[1], 0
		case m.Role == "assistant":
			replies++
		}
	}
	if replies > 0 {
		return modeltest.Stream(modeltest.Text("It is there."))
	}
	call := func(name string, args map[string]string) modeltest.Part {
		raw, _ := json.Marshal(args) // strings
		return modeltest.Call(name, string(raw))
	}
	return modeltest.Stream(
		call("write_file", map[string]string{"path": "made-" + round + ".txt", "content": "round " + round + "\n"}),
		call("try_command", map[string]string{"command": "setsid sleep 9999 & (trap '' TERM; sleep 9999) & echo x > left; echo y > ~/left; dd if=/dev/zero of=/tmp/big bs=64k count=20 2>/dev/null; sleep 0.01; grep -q 'round " + round + "' made-" + round + ".txt"}))
}
