package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"redline/agent/plan"
	"redline/agent/state"
)

// lineWorld is a workspace with only the command line, which is killed repeatedly.
type lineWorld struct {
	*place
	rng      *rand.Rand
	round    int
	usual    map[string]time.Duration // how long a verb takes
	kills    map[string]int           // by verb
	shown    map[int]map[int]string   // plan → revision → hash
	rejected map[string]bool          // hunks of the current plan whose rejection was answered
}

func newLineWorld(t *testing.T, seed int64) *lineWorld {
	p := newPlace(t, nil)
	ctx, cancel := context.WithTimeout(t.Context(), crashTime())
	t.Cleanup(cancel)
	p.ctx = ctx
	return &lineWorld{
		place: p, rng: rand.New(rand.NewPCG(uint64(seed), 2)), usual: map[string]time.Duration{}, kills: map[string]int{},
		shown: map[int]map[int]string{}, rejected: map[string]bool{},
	}
}

func (w *lineWorld) killed() (n int) {
	for _, k := range w.kills {
		n += k
	}
	return n
}

// The command line is killed at random moments of asking, deciding, staging and executing. What it
// has shown is kept, no file is torn, the next command's output is true, and the plan can be
// completed.
func TestCrashOfTheCommandLine(t *testing.T) {
	wanted, seed := crashShare(t, 20)
	w := newLineWorld(t, seed)
	for w.killed() < wanted {
		w.lineRound()
	}
	t.Logf("%d kills: %v", w.killed(), w.kills)
}

// lineRound executes one plan completely and undoes it.
func (w *lineWorld) lineRound() {
	w.t.Helper()
	w.round++
	clear(w.rejected)
	for _, file := range []string{"a", "b", "c"} {
		name := filepath.Join(w.dir, w.file(file))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(w.text(file, "apple")), 0o600)); err != nil {
			w.t.Fatal(err)
		}
	}
	request := []string{"run", fmt.Sprintf(`replace "apple%03d" with "pear%03d"`, w.round, w.round)}
	if w.rng.IntN(3) == 0 {
		request = append(request, "--approve")
	}
	for w.plan() == nil {
		w.killing(request...)
	}
	for range 3 + w.rng.IntN(4) {
		w.decideOne()
	}
	w.end()
}

// decideOne makes one decision on the current plan and is killed meanwhile.
func (w *lineWorld) decideOne() {
	w.t.Helper()
	p := w.plan()
	n := strconv.Itoa(p.Plan)
	pending, made := hunksOf(p, plan.HunkPending), hunksOf(p, plan.HunkApplied)
	switch k := w.rng.IntN(8); {
	case k == 0 && len(pending) > 1:
		hunk := pending[w.rng.IntN(len(pending))]
		if w.killing("plans", "reject", n, "--hunk", hunk) {
			w.rejected[hunk] = true
		}
	case k == 1 && len(made) == 0 && len(w.rejected) == 0 && len(p.Operations) > 1 && plan.State(p.State).Open():
		w.killing("plans", "stage", n, "--remove", p.Operations[w.rng.IntN(len(p.Operations))].ID)
	case k <= 3 && len(pending) > 1:
		w.killing("plans", "approve", n, "--hunk", pending[w.rng.IntN(len(pending))])
	case len(pending) > 0 && (k <= 5 || len(made) == 0):
		w.killing("plans", "approve", n)
	case len(made) > 0:
		w.killing("plans", "undo", n)
	default:
		w.killing("plans", "export", n)
	}
}

// end executes the current plan and undoes it.
func (w *lineWorld) end() {
	w.t.Helper()
	p := w.plan()
	n := strconv.Itoa(p.Plan)
	if len(hunksOf(p, plan.HunkPending)) > 0 {
		if status, said := w.redline("plans", "approve", n); status != exitOK {
			w.t.Fatalf("approving to the end: exit status %d: %s", status, said)
		}
		p = w.plan()
	}
	if len(hunksOf(p, plan.HunkApplied)) > 0 {
		if status, said := w.redline("plans", "undo", n); status != exitOK {
			w.t.Fatalf("undoing to the end: exit status %d: %s", status, said)
		}
		w.plan()
	}
	for _, file := range []string{"a", "b", "c"} {
		w.wantText(w.file(file), w.text(file, "apple"))
	}
	if status, said := w.redline("audit", "verify"); status != exitOK {
		w.t.Fatalf("the audit log: exit status %d: %s", status, said)
	}
}

func (w *lineWorld) file(name string) string { return fmt.Sprintf("r%03d/%s.txt", w.round, name) }

// text returns a file's text with the word in three places.
func (w *lineWorld) text(file, word string) string {
	var b strings.Builder
	for k := range 3 {
		fmt.Fprintf(&b, "line %d of %s\nbefore\n%s%03d %s %d\nafter\n", k, file, word, w.round, file, k)
	}
	return b.String()
}

var readyOnLine = regexp.MustCompile(`Plan (\d+) waits for you`)

// moment returns a random moment within the usual duration of a verb.
func (w *lineWorld) moment(verb string) time.Duration {
	w.usual[verb] = cmp.Or(w.usual[verb], 100*time.Millisecond)
	return time.Duration(w.rng.Int64N(int64(w.usual[verb])))
}

// slower records that a verb was killed before its end: otherwise none would end by itself once the
// machine gets slower.
func (w *lineWorld) slower(verb string) { w.usual[verb] += w.usual[verb] / 8 }

// killing runs the program, kills it at a random moment within its usual duration, and checks what
// is left. It reports whether the program ended by itself and was successful.
func (w *lineWorld) killing(args ...string) (done bool) {
	w.t.Helper()
	verb := strings.Join(args[:min(2, len(args))], " ")
	if args[0] == "run" {
		verb = "run"
		if slices.Contains(args, "--approve") {
			verb = "run --approve"
		}
	}
	cmd := w.command(append(args, "--dir", w.dir)...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	began := time.Now()
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	timer := time.AfterFunc(w.moment(verb), func() { _ = cmd.Process.Kill() })
	err := cmd.Wait()
	timer.Stop()
	code := cmd.ProcessState.ExitCode()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatal(err)
	}
	half := code == exitRefused && said.Len() == 0 && strings.Contains(out.String(), " has failed.") // of an earlier approval that was cut off
	switch {
	case code == -1: // killed
		w.kills[verb]++
		w.slower(verb)
	case code == exitOK, code == exitWaiting, half:
		w.usual[verb] = time.Since(began)
		done = true
	default:
		w.t.Fatalf("redline %s: exit status %d: %s\n%s", strings.Join(args, " "), code, &said, &out)
	}
	if found := readyOnLine.FindStringSubmatch(out.String()); found != nil {
		n, _ := strconv.Atoi(found[1]) // digits
		if w.shown[n] == nil {
			w.shown[n] = map[int]string{}
		}
	}
	w.plan()
	return done
}

// plan returns the current plan as the next command shows it, nil if there is none. It checks that
// the command's list of plans is true and has everything that was shown.
func (w *lineWorld) plan() (present *state.Plan) {
	w.t.Helper()
	cmd := w.command("plans", "list", "--json", "--dir", w.dir)
	var said bytes.Buffer
	cmd.Stderr = &said
	raw, err := cmd.Output()
	if err != nil {
		w.t.Fatalf("listing the plans: %v: %s", err, &said)
	}
	var list struct{ Plans []state.Plan }
	if err := json.Unmarshal(raw, &list); err != nil {
		w.t.Fatal(err)
	}
	found := map[int]*state.Plan{}
	for i := range list.Plans {
		p := &list.Plans[i]
		found[p.Plan] = p
		if p.State == string(plan.Executing) || p.State == string(plan.Drafting) {
			w.t.Fatalf("plan %d is %s, and nobody works on it", p.Plan, p.State)
		}
		if strings.Contains(p.Goal, fmt.Sprintf("apple%03d", w.round)) && (present == nil || p.Plan > present.Plan) {
			present = p
		}
	}
	for n, revisions := range w.shown {
		if found[n] == nil {
			w.t.Fatalf("plan %d was shown and is lost", n)
		}
		for r, hash := range revisions {
			if !slices.ContainsFunc(found[n].Revisions, func(s state.Revision) bool { return s.Revision == r && s.Hash == hash }) {
				w.t.Fatalf("revision %d of plan %d was shown and is lost", r, n)
			}
		}
	}
	for n, p := range found {
		if w.shown[n] == nil {
			w.shown[n] = map[int]string{}
		}
		for _, r := range p.Revisions {
			w.shown[n][r.Revision] = r.Hash
		}
	}
	if present != nil {
		w.true(present)
	}
	return present
}

// true checks that the statuses of the current plan match the files, and that no file is torn.
func (w *lineWorld) true(p *state.Plan) {
	w.t.Helper()
	made := map[string]int{}
	for _, file := range []string{"a", "b", "c"} {
		data, err := os.ReadFile(filepath.Join(w.dir, w.file(file)))
		if err != nil {
			w.t.Fatal(err)
		}
		pear := fmt.Sprintf("pear%03d", w.round)
		made[w.file(file)] = strings.Count(string(data), pear)
		if was := strings.ReplaceAll(string(data), pear, fmt.Sprintf("apple%03d", w.round)); was != w.text(file, "apple") {
			w.t.Fatalf("%s is torn:\n%s", w.file(file), data)
		}
	}
	for _, f := range p.Files {
		if f.Status == string(plan.FileApplying) || f.Status == string(plan.FileUnverified) {
			w.t.Fatalf("plan %d: %s is %s", p.Plan, f.Path, f.Status)
		}
		applied := 0
		for _, h := range f.Hunks {
			if h.Status == string(plan.HunkApplied) {
				applied++
			}
			if w.rejected[h.ID] && h.Status != string(plan.HunkRejected) {
				w.t.Fatalf("plan %d: hunk %s was rejected and is %s", p.Plan, h.ID, h.Status)
			}
		}
		if applied != made[f.Path] {
			w.t.Fatalf("plan %d: %d hunks of %s are applied, and the file has %d", p.Plan, applied, f.Path, made[f.Path])
		}
		delete(made, f.Path)
	}
	for path, n := range made { // the hunk was removed
		if n != 0 {
			w.t.Fatalf("%s has %d hunks, and plan %d does not have it", path, n, p.Plan)
		}
	}
}
