package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/store"
)

// ledger records what a user has been shown, which must survive however the server ends.
type ledger struct {
	revisions map[int]map[int]string // plan → revision → its hash, "" where only its number was shown
	rejected  map[int]map[string]bool
	decided   []decided
	texts     map[plan.Blob]string // revisions that were checked last
	events    int                  // number of the editor's events that were read already
	messages  int
}

// decided is a decision that was answered.
type decided struct {
	plan    int
	verdict plan.Verdict
	hunk    string // "" for the whole plan
	hash    string
}

func newLedger() *ledger {
	return &ledger{revisions: map[int]map[int]string{}, rejected: map[int]map[string]bool{}, texts: map[plan.Blob]string{}}
}

func (l *ledger) show(plan, revision int, hash string) error {
	if l.revisions[plan] == nil {
		l.revisions[plan], l.rejected[plan] = map[int]string{}, map[string]bool{}
	}
	if was := l.revisions[plan][revision]; was != "" && hash != "" && was != hash {
		return fmt.Errorf("revision %d of plan %d was shown as %s, and now as %s", revision, plan, was, hash)
	}
	if hash != "" || l.revisions[plan][revision] == "" {
		l.revisions[plan][revision] = hash
	}
	return nil
}

// showPlan records a plan as events and answers show it.
func (l *ledger) showPlan(p *state.Plan) error {
	for _, r := range p.Revisions {
		if err := l.show(p.Plan, r.Revision, r.Hash); err != nil {
			return err
		}
	}
	for _, f := range p.Files {
		for _, h := range f.Hunks {
			if h.Status == string(plan.HunkRejected) {
				l.rejected[p.Plan][h.ID] = true
			}
		}
	}
	return nil
}

var (
	readyMessage = regexp.MustCompile(`plan (\d+)(?:, revision (\d+),)? is ready`)
	previewName  = regexp.MustCompile(`^(\d+)-r(\d+)\.md$`)
	previewHash  = regexp.MustCompile(`(?m)^hash: (\S+)$`)
)

// takeIn records what has been shown since the last call: in events, messages and preview files.
func (l *ledger) takeIn(w *crashWorld) error {
	events := w.editor.Events()
	for _, raw := range events[l.events:] {
		var e state.Event
		if err := json.Unmarshal(raw, &e); err != nil {
			return err
		}
		if e.Plan != nil {
			if err := l.showPlan(e.Plan); err != nil {
				return err
			}
		}
	}
	l.events = len(events)
	messages := w.editor.Messages()
	for _, m := range messages[l.messages:] {
		if found := readyMessage.FindStringSubmatch(m.Text); found != nil {
			number, _ := strconv.Atoi(found[1]) // digits
			revision, err := strconv.Atoi(found[2])
			if err != nil {
				revision = 1
			}
			if err := l.show(number, revision, ""); err != nil {
				return err
			}
		}
	}
	l.messages = len(messages)
	dir := filepath.Join(w.dir, ".redline", "plans")
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	for _, entry := range entries {
		name := previewName.FindStringSubmatch(entry.Name())
		if name == nil {
			continue // one that was not written completely
		}
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return err
		}
		hash := previewHash.FindSubmatch(text)
		if hash == nil {
			return fmt.Errorf("the preview %s is torn: it has no hash", entry.Name())
		}
		number, _ := strconv.Atoi(name[1]) // digits
		revision, _ := strconv.Atoi(name[2])
		if err := l.show(number, revision, string(hash[1])); err != nil {
			return err
		}
	}
	return nil
}

// keptIn checks that the store has everything in the ledger, and returns its plans.
func (l *ledger) keptIn(ctx context.Context, state, workspace string) (map[int]*plan.Plan, error) {
	kept := store.New(state)
	defer kept.Close()
	plans := map[int]*plan.Plan{}
	for number, revisions := range l.revisions {
		p, err := kept.Plan(ctx, workspace, number)
		if err != nil {
			return nil, fmt.Errorf("plan %d was shown: %w", number, err)
		}
		plans[number] = p
		for n, hash := range revisions {
			if err := l.sameRevision(ctx, kept, p, n, hash); err != nil {
				return nil, err
			}
		}
		for id := range l.rejected[number] {
			if s := p.Progress.Hunk(id).Status; s != plan.HunkRejected {
				return nil, fmt.Errorf("hunk %s of plan %d was shown as rejected, and is %s", id, number, s)
			}
		}
		if err := l.decisionsKept(ctx, kept, workspace, number); err != nil {
			return nil, err
		}
	}
	return plans, nil
}

// sameRevision checks that a revision is what was shown: its hash, and that its
// content and texts still have that hash.
func (l *ledger) sameRevision(ctx context.Context, kept *store.Store, p *plan.Plan, n int, hash string) error {
	r, ok := p.Revision(n)
	switch {
	case !ok:
		return fmt.Errorf("revision %d of plan %d was shown and is lost", n, p.Number)
	case hash != "" && r.Hash != hash:
		return fmt.Errorf("revision %d of plan %d was shown as %s and is %s", n, p.Number, hash, r.Hash)
	case plan.ApprovalHash(p.Number, r) != r.Hash:
		return fmt.Errorf("revision %d of plan %d has not the content of its hash any more", n, p.Number)
	}
	for i := range r.Changes {
		for _, blob := range []plan.Blob{r.Changes[i].Base, r.Changes[i].Proposed} {
			text, err := kept.Text(ctx, blob) // the id proves that the text is that of the blob
			if err != nil {
				return fmt.Errorf("revision %d of plan %d: %w", n, p.Number, err)
			}
			l.texts[blob] = text
		}
	}
	return nil
}

// decisionsKept checks that the store has every decision that was answered, in
// order.
func (l *ledger) decisionsKept(ctx context.Context, kept *store.Store, workspace string, number int) error {
	stored, err := kept.Decisions(ctx, workspace, number)
	if err != nil {
		return err
	}
	for _, d := range l.decided {
		if d.plan != number {
			continue
		}
		at := slices.IndexFunc(stored, func(s plan.Decision) bool {
			return s.Verdict == d.verdict && (d.hash == "" || s.Hash == d.hash) && (d.hunk == "" || slices.Contains(s.Hunks, d.hunk))
		})
		if at < 0 {
			return fmt.Errorf("the decision %+v was answered and is lost", d)
		}
		stored = stored[at+1:]
	}
	return nil
}
