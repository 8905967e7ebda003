package e2e

import (
	"strings"
	"testing"
)

// The changes of the job are in four separate places.
const people = "# People\n\ngreet Ada\n\ngreet Ben\n\ngreet Cyd\n\ngreet Dee\n"

// TestWholeJob does the main job in each editor that needs no plugin of ours, on a screen and with
// the keys that its page names: it sends a request, goes to the next and the previous change,
// approves one, rejects one, approves the rest, undoes all, and cancels a request while the model
// is still thinking.
func TestWholeJob(t *testing.T) {
	eachPlace(t, map[string]string{"people": people}, "people", (*world).withScripted, func(t *testing.T, w *world, p person, name func(string) string) {
		file := name("people")
		p.ask(renameIn + file + ".")
		p.shows("plan 1 is ready")
		p.preview()
		p.open(file, "greet Ada")
		w.has(file, people)

		p.top()
		p.next()
		p.peek("+salute Ada", "-greet Ada")
		p.next()
		p.previous()
		p.act("approve this change (plan 1, h1)", "salute Ada")
		p.shows("greet Ben")
		p.await("that change is proposed no more", func(screen string) bool { return !strings.Contains(screen, "change 1 of 4") })
		p.next()
		p.act("reject this change (plan 1, h2)", "")
		p.act("approve plan 1", "salute Cyd")
		p.shows("salute Ada", "greet Ben", "salute Cyd", "salute Dee")
		w.wantPlan("completed", "applied rejected applied applied")
		if w.writes {
			w.awaitText(file, "# People\n\nsalute Ada\n\ngreet Ben\n\nsalute Cyd\n\nsalute Dee\n")
		} else {
			w.has(file, people)
		}

		p.act("undo plan 1", "greet Ada")
		p.shows("greet Ada", "greet Ben", "greet Cyd", "greet Dee")
		w.wantPlan("awaiting_approval", "pending rejected pending pending")

		p.ask(think)
		happens(t, "the model thinks", w.model.begun, p.screen)
		p.act("cancel the running turn", "the turn was cancelled")
		happens(t, "the model is left alone", w.model.left, p.screen)
		p.save()
		p.quit()
		w.has(file, people)
		w.wantPlan("awaiting_approval", "pending rejected pending pending")
	})
}

// wantPlan waits until plan 1 has the state, and its hunks have these statuses.
func (w *world) wantPlan(state, hunks string) {
	w.t.Helper()
	w.wantPlanned(state+" with "+hunks, func(p planned) string { return p.State + " with " + statuses(p) })
}

// wantHunks waits until the hunks of plan 1 have these statuses.
func (w *world) wantHunks(hunks string) {
	w.t.Helper()
	w.wantPlanned(hunks, statuses)
}

func (w *world) wantPlanned(want string, of func(planned) string) {
	w.t.Helper()
	w.await("plan 1 is "+want, func() (string, bool) {
		now := of(w.planned())
		return now, now == want
	})
}

func statuses(p planned) string {
	var all []string
	for _, f := range p.Files {
		for _, h := range f.Hunks {
			all = append(all, h.Status)
		}
	}
	return strings.Join(all, " ")
}
