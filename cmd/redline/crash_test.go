package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/lsp/lsptest"
	"redline/workspace/leftover"
)

var (
	crashKills = flag.Int("crash.kills", kills, "how often the tests TestCrash… kill a process, together")
	crashSeed  = flag.Int64("crash.seed", 0, "what the tests TestCrash… do, to do it again as far as time lets it (0: another each time)")
)

// crashShare returns how often one of the TestCrash… tests kills a process, from its percentage of
// all kills, and the seed of its random choices.
func crashShare(t *testing.T, percent int) (wanted int, seed int64) {
	wanted, seed = max(1, *crashKills*percent/100), *crashSeed
	if testing.Short() {
		wanted = min(wanted, 8)
	}
	if seed == 0 {
		seed = time.Now().UnixNano()
	}
	t.Logf("again: go test ./cmd/redline -run '^%s$' -crash.kills=%d -crash.seed=%d", t.Name(), *crashKills, seed)
	return wanted, seed
}

// crashTime limits one of these tests: much more than it needs.
func crashTime() time.Duration { return 10 * time.Minute * time.Duration(1+*crashKills/kills) }

// A server is killed at random moments of drafting, reviewing, approving and undoing, while its
// editor continues with unsaved text. Nothing that was shown is lost, no file is torn, the next
// server reports the truth and edits nothing by itself, and the work can be completed.
func TestCrash(t *testing.T) {
	wanted, seed := crashShare(t, 50)
	disk := lsptest.KateLike() // the server itself creates, moves and deletes files
	disk.Name, disk.ApplyWindow, disk.Unanswered = "disk", 0, nil
	profiles := []lsptest.Profile{lsptest.Honest(), lsptest.Neovim12Like(), lsptest.HelixLike(), disk}
	var mu sync.Mutex
	all := map[string]int{}
	t.Run("editors", func(t *testing.T) {
		for i, p := range profiles {
			t.Run(p.Name, func(t *testing.T) {
				t.Parallel()
				w := newCrashWorld(t, p, seed+int64(i))
				for w.killed() < (wanted+len(profiles)-1)/len(profiles) {
					w.cycle()
				}
				w.finishLot()
				w.nothingLeft()
				mu.Lock()
				defer mu.Unlock()
				for name, n := range w.kills {
					all[name] += n
				}
			})
		}
	})
	total, list := 0, []string{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		total += all[name]
		list = append(list, fmt.Sprintf("%s %d", name, all[name]))
	}
	t.Logf("%d kills: %s", total, strings.Join(list, ", "))
}

func (w *crashWorld) killed() (n int) {
	for _, k := range w.kills {
		n += k
	}
	return n
}

// cycle does something with the current lot, kills the server meanwhile and checks what is left.
func (w *crashWorld) cycle() {
	w.t.Helper()
	if w.saves {
		w.save()
	}
	p := w.clearUp(w.plan())
	var pending, made []string
	if p != nil {
		pending, made = hunksOf(p, plan.HunkPending), hunksOf(p, plan.HunkApplied)
	}
	switch n := w.rng.IntN(10); {
	case p == nil && w.lot > 0: // the server was killed before there was a plan
		w.under("drafting", w.draft)
	case p == nil:
		w.nextLot()
		w.under("drafting", w.draft)
	case n == 0:
		w.finishLot()
		w.nextLot()
		w.under("drafting", w.draft)
	case n == 1 && plan.State(p.State).Open() && p.Revision == 1:
		w.under("drafting", func(ctx context.Context) error { return w.rework(ctx, p) })
	case n <= 4 && len(pending) > 1:
		w.under("reviewing", func(ctx context.Context) error { return w.review(ctx, p, pending) })
	case n <= 7 && len(pending) > 0 || len(made) == 0 && len(pending) > 0:
		w.under("approving", func(ctx context.Context) error {
			return w.decide(ctx, "redline.approve", p, "")
		})
	case len(made) > 0: // the whole plan or one hunk
		hunk := ""
		if w.rng.IntN(3) == 0 {
			hunk = made[w.rng.IntN(len(made))]
		}
		w.under("undoing", func(ctx context.Context) error {
			err := w.decide(ctx, "redline.undo", p, hunk)
			if refused(err) && w.keptOnly(lotPath(w.lot, "made")) {
				return nil // what counts as made by hand cannot be undone
			}
			return err
		})
	default: // everything was rejected
		w.finishLot()
		w.nextLot()
		w.under("drafting", w.draft)
	}
	if w.lot > 0 && w.rng.IntN(4) == 0 {
		w.save()
	}
	w.survive()
}

// clearUp deletes one of the two files that an interrupted move leaves when it has created the new
// file and not yet deleted the old one.
func (w *crashWorld) clearUp(p *state.Plan) *state.Plan {
	w.t.Helper()
	old, moved := lotPath(w.lot, "old"), lotPath(w.lot, "moved")
	if p == nil || !w.has(old) || !w.has(moved) {
		return p
	}
	w.t.Logf("%s and %s are both there", old, moved)
	delete := moved
	if kept := w.kept[p.Plan]; kept.Progress.Files[old].Move == plan.FileApplied {
		delete = old
	}
	w.check("clearing up", os.Remove(filepath.Join(w.dir, delete)))
	return w.plan()
}

// save saves every file. It closes the buffers of deleted files, and of files that were
// changed on disk.
func (w *crashWorld) save() {
	w.t.Helper()
	for _, file := range []string{"made", "gone", "old", "moved"} {
		path := lotPath(w.lot, file)
		if empty := w.editor.Text(path) == ""; w.keptOnly(path) || w.outdated(path) || !w.has(path) && empty && w.editor.Dirty(path) {
			w.check("closing", w.editor.Close(path))
		}
	}
	w.check("saving", w.editor.SaveAll())
}

// refused reports whether an undo was refused because nothing was applied.
func refused(err error) bool {
	var refused *lsptest.Refusal
	return errors.As(err, &refused) && refused.Kind == string(plan.WrongState)
}

func hunksOf(p *state.Plan, status plan.HunkStatus) (ids []string) {
	for _, f := range p.Files {
		for _, h := range f.Hunks {
			if h.Status == string(status) {
				ids = append(ids, h.ID)
			}
		}
	}
	return ids
}

// nextLot makes the files of another lot and opens one of them.
func (w *crashWorld) nextLot() {
	w.lot++
	makeLot(w.t, w.dir, w.lot)
	w.check("opening", w.editor.Open(lotPath(w.lot, "open")))
	w.typeLine()
}

// draft asks for the lot's plan and waits for the end of the turn.
func (w *crashWorld) draft(ctx context.Context) error {
	return w.turn(ctx, "redline.chat", map[string]any{"message": goalOf(w.lot), "mode": "plan"})
}

func goalOf(lot int) string { return fmt.Sprintf("lot %d first", lot) }

func (w *crashWorld) rework(ctx context.Context, p *state.Plan) error {
	return w.turn(ctx, "redline.rework", map[string]any{"plan": p.Plan, "feedback": fmt.Sprintf("lot %d second", w.lot)})
}

// plan returns the plan of the current lot, nil if there is none yet.
func (w *crashWorld) plan() *state.Plan {
	w.t.Helper()
	for _, p := range w.settled() {
		if p.Goal == goalOf(w.lot) {
			return p
		}
	}
	return nil
}

func (w *crashWorld) turn(ctx context.Context, command string, args any) error {
	ended := func() (n int) {
		for _, raw := range w.editor.Events() {
			var e state.Event
			if json.Unmarshal(raw, &e) == nil && e.Kind == state.TurnFinished {
				n++
			}
		}
		return n
	}
	before := ended()
	if _, err := w.editor.Execute(ctx, command, args); err != nil {
		return err
	}
	return w.editor.Await(ctx, lsptest.Expect("the turn has ended", func(*lsptest.Editor) bool { return ended() > before }))
}

// review decides on some hunks one by one, and types in between.
func (w *crashWorld) review(ctx context.Context, p *state.Plan, pending []string) error {
	rng := rand.New(rand.NewPCG(w.rng.Uint64(), 0))
	rng.Shuffle(len(pending), func(i, j int) { pending[i], pending[j] = pending[j], pending[i] })
	for _, id := range pending[:1+rng.IntN(min(3, len(pending)-1))] {
		command := "redline.approve"
		if rng.IntN(3) == 0 {
			command = "redline.reject"
		}
		if err := w.decide(ctx, command, p, id); err != nil {
			return err
		}
	}
	return nil
}

// decide decides on a hunk or, without one, on the whole plan, and records the answer.
func (w *crashWorld) decide(ctx context.Context, command string, p *state.Plan, hunk string) error {
	args := map[string]any{"plan": p.Plan, "hash": p.Hash}
	if hunk != "" {
		args["hunk"] = hunk
	} else if command == "redline.approve" {
		args["skipStale"] = true
	}
	raw, err := w.editor.Execute(ctx, command, args)
	if err != nil {
		return err
	}
	verdicts := map[string]plan.Verdict{
		"redline.approve": plan.VerdictApprove, "redline.reject": plan.VerdictReject, "redline.undo": plan.VerdictUndo,
	}
	w.ledger.decided = append(w.ledger.decided, decided{p.Plan, verdicts[command], hunk, p.Hash})
	if command != "redline.reject" {
		return nil
	}
	var after state.Plan
	if err := json.Unmarshal(raw, &after); err != nil {
		return err
	}
	return w.ledger.showPlan(&after)
}

// finishLot executes the plan of the lot completely and undoes it.
func (w *crashWorld) finishLot() {
	w.t.Helper()
	if w.lot == 0 {
		return
	}
	p := w.plan()
	if p == nil {
		return // the server was killed before there was one
	}
	w.save()
	p = w.clearUp(w.plan())
	if len(hunksOf(p, plan.HunkPending)) > 0 {
		w.check("approving to the end", w.decide(w.ctx, "redline.approve", p, ""))
		p = w.plan()
	}
	if left := hunksOf(p, plan.HunkPending); len(left) > 0 {
		w.check("approving to the end", fmt.Errorf("%v of plan %d are still pending", left, p.Plan))
	}
	w.save()
	if err := w.decide(w.ctx, "redline.undo", p, ""); !refused(err) { // as when everything was rejected
		w.check("undoing to the end", err)
	}
	w.settled()
	w.save()
	for _, file := range []string{"open", "shut", "old", "gone"} {
		text := w.editor.Text(lotPath(w.lot, file))
		for _, b := range blocksOf(w.lot, file) {
			if !strings.Contains(text, b.old) {
				w.check("undoing to the end", fmt.Errorf("%s is not what it was:\n%s", lotPath(w.lot, file), text))
			}
		}
	}
	if w.has(lotPath(w.lot, "made")) || w.has(lotPath(w.lot, "moved")) {
		w.check("undoing to the end", errors.New("what was created or moved is still there"))
	}
}

// nothingLeft waits until there is no temporary file: each server removes those of killed servers.
func (w *crashWorld) nothingLeft() {
	w.t.Helper()
	for end := time.Now().Add(3 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		var left []string
		for _, dir := range []string{w.dir, filepath.Join(w.state, "temporary")} {
			_ = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
				if err == nil && (strings.HasPrefix(e.Name(), leftover.File) || strings.HasSuffix(e.Name(), ".list")) {
					left = append(left, name)
				}
				return nil // a file that was removed meanwhile is not left
			})
		}
		if len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			w.t.Fatalf("killed servers have left %q", left)
		}
	}
}
