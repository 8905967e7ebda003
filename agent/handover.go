package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"redline/agent/plan"
	"redline/agent/store"
	"redline/agent/view"
	"redline/internal/phrase"
)

// A decision that changes files is carried out by the editor that has the workspace open, wherever it
// was made, so that unsaved text is seen: the process that took it hands it over ([Agent.HandOver]), and
// the server of the editor takes it ([Agent.ServeHandovers]). The store has the steps between them
// ([store.Handover]).

// Handed is what is handed over: a choice, or the undo of what was applied of the plan.
type Handed struct {
	Choice
	Undo bool `json:"undo,omitempty"`
}

// handedAnswer answers a handover.
type handedAnswer struct {
	Refused *plan.Refusal `json:"refused,omitempty"` // why no more of it is done
	Failed  string        `json:"failed,omitempty"`  // why a command has failed
}

// How long the servers of editors have to take a handover, how many times longer they have to begin it,
// and how often the process that waits for them looks.
const (
	takeWithin   = 5 * time.Second
	beginPerTake = 12
	handoverLook = 50 * time.Millisecond
)

// Editors returns the names of the editors that have the workspace open, without this session's.
func (a *Agent) Editors() (names []string) {
	if !a.Kept() { // what is stored here does not reach them
		return nil
	}
	for _, e := range a.Session.Store.Editors(a.Session.Key()) {
		if name := cmp.Or(e.Client, "an editor"); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// CarriedOut returns the decision on a plan that the server of an editor carries out now. ok is false if
// there is none.
func (a *Agent) CarriedOut(ctx context.Context, plan int) (h store.Handover, ok bool) {
	h, ok, err := a.Session.Store.HandedOver(ctx, a.Session.Key(), plan)
	return h, ok && err == nil && h.State != store.HandoverAsked && a.Session.Store.Carries(h.ID)
}

// changesFiles reports whether a decision may change files: by edits, or by commands.
func (d *Handed) changesFiles(v *view.Plan) bool {
	return d.Undo || len(d.Run) > 0 || !d.Approve.none() && !v.Revision.TextOnly
}

// Approves reports whether something is approved, edits or commands.
func (d *Handed) Approves() bool { return !d.Approve.none() || len(d.Run) > 0 }

// HandOver has the editor that has the workspace open carry out a decision on the plan that v shows. It
// returns once all is decided and the texts are verified; done is called as in [Agent.CarryOut]. If no
// editor has the workspace open, or no file can be changed, handled is false and nothing was done.
//
// An editor has to take the decision within take, 5 s if that is 0. If none does, or if ctx ends first, the
// decision is withdrawn, and is never carried out.
func (a *Agent) HandOver(ctx context.Context, v *view.Plan, d Handed, take time.Duration, done func(error)) (handled bool, err error) {
	if !d.changesFiles(v) {
		return false, nil
	}
	choice, err := json.Marshal(&d)
	if err != nil {
		return true, err
	}
	take = cmp.Or(take, takeWithin)
	for editors := a.Editors(); len(editors) > 0; editors = a.Editors() {
		h := store.Handover{Plan: d.Plan, Revision: d.Revision, Hash: d.Hash, Choice: string(choice), Way: string(d.Way), Client: d.Client}
		if err := a.Session.Store.HandOver(ctx, a.Session.Key(), &h, take, beginPerTake*take); err != nil {
			return true, err
		}
		again, err := a.awaitHandover(ctx, &h, editors)
		if again {
			continue
		}
		if err == nil {
			a.Session.Spawn(func() { done(a.awaitCommands(&h)) })
		}
		return true, err
	}
	return false, nil
}

// awaitHandover waits until a handover is decided, and updates it. again is true if it was withdrawn because
// the process that was to carry it out has ended.
func (a *Agent) awaitHandover(ctx context.Context, h *store.Handover, editors []string) (again bool, err error) {
	for {
		carried, err := a.readHandover(h)
		withdraw := false
		switch now := time.Now(); {
		case err != nil && now.After(h.BeginBy):
			return false, err
		case err != nil: // the store may be in use
		case h.State == store.HandoverAsked:
			withdraw = ctx.Err() != nil || now.After(h.TakeBy) || len(a.Editors()) == 0
		case h.State == store.HandoverTaken:
			withdraw = ctx.Err() != nil || now.After(h.BeginBy) || !carried
		case h.State == store.HandoverBegun:
			if !carried {
				return false, a.settleHandover(h)
			}
		case h.State == store.HandoverWithdrawn:
			return false, didNotAnswer(editors)
		default:
			return false, refusalIn(h)
		}
		if withdraw {
			ok, err := a.Session.Store.WithdrawHandover(context.WithoutCancel(ctx), h.ID)
			switch {
			case err != nil:
				return false, err
			case ok && ctx.Err() != nil:
				return false, plan.Refuse(plan.Busy, "The review has ended before %s has begun: nothing is changed.", phrase.And(editors))
			case ok && (len(a.Editors()) == 0 || h.State == store.HandoverTaken && !carried):
				return true, nil
			case ok:
				return false, didNotAnswer(editors)
			}
		}
		if err := a.pause(); err != nil {
			return false, err
		}
	}
}

func didNotAnswer(editors []string) error {
	return plan.Refuse(plan.Busy, "%s did not answer: nothing is changed, and the plan waits. It may have stopped, or be asking you something. Send the decision again; if you close the editor first, the files on disk are changed.", phrase.And(editors))
}

// pause waits until it is time to look at a handover again. It fails when the session ends.
func (a *Agent) pause() error {
	select {
	case <-time.After(handoverLook):
		return nil
	case <-a.Session.Context().Done():
		return a.Session.Context().Err()
	}
}

// readHandover updates a handover. carried reports whether a live process has taken it.
func (a *Agent) readHandover(h *store.Handover) (carried bool, err error) {
	carried = a.Session.Store.Carries(h.ID) // before it is read: who ends it stores that first
	now, err := a.Session.Store.Handover(a.Session.Context(), h.ID)
	if err == nil {
		*h = now
	}
	return carried, err
}

// refusalIn returns why a handover was refused, nil if it was not.
func refusalIn(h *store.Handover) error {
	var answer handedAnswer
	if err := json.Unmarshal([]byte(h.Answer), &answer); err == nil && answer.Refused != nil {
		return answer.Refused
	}
	return nil
}

// settleHandover ends a handover whose process has ended in the middle. The texts show what it has done.
func (a *Agent) settleHandover(h *store.Handover) error {
	ctx := a.Session.Context()
	refused := &plan.Refusal{Kind: plan.ApplyFailed, Reason: h.Editor + " has ended before all was done: the plan shows what is in the files, and what still waits."}
	_, err := a.Board.Find(ctx, h.Plan)
	return cmp.Or(err, a.Session.Store.AnswerHandover(ctx, h.ID, store.HandoverEnded, answerText(handedAnswer{Refused: refused})), error(refused))
}

// awaitCommands waits until the commands of a handover have ended. It returns why one has failed.
func (a *Agent) awaitCommands(h *store.Handover) error {
	for h.State == store.HandoverRunning {
		if err := a.pause(); err != nil {
			return err
		}
		if carried, err := a.readHandover(h); err == nil && h.State == store.HandoverRunning && !carried {
			return plan.Refuse(plan.ApplyFailed, "%s has ended while the commands ran.", h.Editor)
		}
	}
	var answer handedAnswer
	if err := json.Unmarshal([]byte(h.Answer), &answer); err != nil {
		return err
	}
	if answer.Failed != "" {
		return errors.New(answer.Failed)
	}
	return nil
}

func answerText(answer handedAnswer) string {
	text, _ := json.Marshal(answer) // its members are texts
	return string(text)
}
