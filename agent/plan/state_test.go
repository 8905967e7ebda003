package plan

import (
	"errors"
	"strings"
	"testing"
)

// want is the full table of states: one line for each state, the events in the order of
// Events, - for a refusal.
const want = `
                   start    plan_created      finish_drafting   plan_updated cancel    operation_staged user_reviewing execute   execute_text request_revision reject    reject_rest part_executed plan_executed nothing_applied   execution_failed undo
idle               drafting -                 -                 -            -         -                -              -         -            -                -         -           -             -             -                 -                -
drafting           -        awaiting_approval awaiting_approval drafting     cancelled -                -              -         -            -                -         -           -             -             -                 -                -
awaiting_approval  -        -                 -                 -            cancelled reviewing        reviewing      executing drafting     drafting         cancelled completed   -             -             -                 -                awaiting_approval
reviewing          -        -                 -                 -            cancelled reviewing        -              executing drafting     drafting         cancelled completed   -             -             -                 -                awaiting_approval
executing          -        -                 -                 -            -         -                -              -         -            -                -         -           reviewing     completed     awaiting_approval failed           -
failed             -        -                 -                 -            cancelled -                -              executing -            drafting         cancelled completed   -             -             -                 -                awaiting_approval
completed          drafting -                 -                 -            -         -                -              -         -            -                -         -           -             -             -                 -                awaiting_approval
cancelled          drafting -                 -                 -            -         -                -              -         -            -                -         -           -             -             -                 -                awaiting_approval
`

func TestEveryStateAndEvent(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(want), "\n")
	events := strings.Fields(lines[0])
	if len(events) != len(Events) || len(lines)-1 != len(States) {
		t.Fatalf("the table has %d events and %d states, the package %d and %d", len(events), len(lines)-1, len(Events), len(States))
	}
	for i, line := range lines[1:] {
		cells := strings.Fields(line)
		if State(cells[0]) != States[i] {
			t.Fatalf("state %d is %s, want %s", i, States[i], cells[0])
		}
		for j, cell := range cells[1:] {
			if Event(events[j]) != Events[j] {
				t.Fatalf("event %d is %s, want %s", j, Events[j], events[j])
			}
			got, err := States[i].Next(Events[j])
			if cell != "-" {
				if err != nil || got != State(cell) {
					t.Errorf("%s, %s: got %s, %v; want %s", States[i], Events[j], got, err, cell)
				}
				continue
			}
			var refusal *NoTransition
			if !errors.As(err, &refusal) || refusal.State != States[i] || refusal.Event != Events[j] || got != States[i] {
				t.Errorf("%s, %s: got %s, %v; want a refusal", States[i], Events[j], got, err)
				continue
			}
			if text := err.Error(); strings.Contains(text, "  ") || strings.Contains(text, "cannot :") || strings.HasSuffix(text, ": ") {
				t.Errorf("%s, %s: the refusal %q lacks words", States[i], Events[j], text)
			}
		}
	}
}

func TestUnknownEventIsRefused(t *testing.T) {
	if _, err := State("nowhere").Next(Execute); err == nil {
		t.Error("an unknown state has a transition")
	}
	if _, err := Reviewing.Next("jump"); err == nil {
		t.Error("an unknown event has a transition")
	}
}

func TestUndoNeedsSomethingApplied(t *testing.T) {
	p := &Plan{State: Completed}
	var refusal *NoTransition
	if err := p.Apply(Undo); !errors.As(err, &refusal) || p.State != Completed {
		t.Fatalf("undo of nothing: %v, state %s", err, p.State)
	}
	p.Progress.MarkHunk("h1", HunkApplied, "")
	if err := p.Apply(Undo); err != nil || p.State != AwaitingApproval {
		t.Fatalf("undo: %v, state %s", err, p.State)
	}
	p.Progress = Progress{}
	p.State = Cancelled
	p.Progress.MarkFile(1, "a", FileApplied, "")
	if err := p.Apply(Undo); err != nil {
		t.Errorf("undo of a move: %v", err)
	}
}

func TestRefusalReads(t *testing.T) {
	_, err := Drafting.Next(Execute)
	if got, want := err.Error(), "the plan cannot be approved: it is still being drafted; wait until it is shown, or cancel it"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestPredicate(t *testing.T) {
	for _, s := range States {
		if said := s.Predicate(); said == "is "+string(s) && s != Completed && s != Cancelled {
			t.Errorf("%s has no words of its own", s)
		}
	}
	if got := Failed.Predicate(); got != "has failed" {
		t.Errorf("a failed plan %q", got)
	}
}
