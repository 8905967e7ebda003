package plan

import (
	"slices"
	"strings"
	"testing"
)

// wantEffects has one line for every transition of the table: the state, the event, and
// the effects in order; - for none.
const wantEffects = `
idle              start            -
drafting          plan_created     clear_staging write_preview open_preview
drafting          finish_drafting  clear_staging write_preview open_preview tell_model
drafting          plan_updated     -
drafting          cancel           tell_model clear_staging end_plan
awaiting_approval cancel           tell_model clear_staging end_plan
awaiting_approval operation_staged write_preview open_preview tell_model
awaiting_approval user_reviewing   tell_model
awaiting_approval execute          begin_progress
awaiting_approval execute_text     clear_staging
awaiting_approval request_revision clear_staging
awaiting_approval reject           tell_model clear_staging end_plan
awaiting_approval reject_rest      tell_model clear_staging end_plan
awaiting_approval undo             tell_model
reviewing         cancel           tell_model clear_staging end_plan
reviewing         operation_staged write_preview open_preview tell_model
reviewing         execute          begin_progress
reviewing         execute_text     clear_staging
reviewing         request_revision clear_staging
reviewing         reject           tell_model clear_staging end_plan
reviewing         reject_rest      tell_model clear_staging end_plan
reviewing         undo             tell_model
executing         part_executed    end_progress tell_model
executing         plan_executed    end_progress tell_model clear_staging end_plan
executing         nothing_applied  end_progress tell_model
executing         execution_failed end_progress tell_model
failed            cancel           tell_model clear_staging end_plan
failed            execute          begin_progress
failed            request_revision clear_staging
failed            reject           tell_model clear_staging end_plan
failed            reject_rest      tell_model clear_staging end_plan
failed            undo             tell_model
completed         start            take_up_plan
completed         undo             take_up_plan tell_model
cancelled         start            take_up_plan
cancelled         undo             take_up_plan tell_model
`

func TestEffectsOfEveryTransition(t *testing.T) {
	want := map[[2]string]string{}
	for _, line := range strings.Split(strings.TrimSpace(wantEffects), "\n") {
		words := strings.Fields(line)
		want[[2]string{words[0], words[1]}] = strings.Join(words[2:], " ")
	}
	seen := map[Effect]bool{}
	for _, s := range States {
		for _, e := range Events {
			key := [2]string{string(s), string(e)}
			got := s.Effects(e)
			if _, err := s.Next(e); err != nil {
				if got != nil || want[key] != "" {
					t.Errorf("%s, %s is refused and has the effects %q, want %q", s, e, got, want[key])
				}
				continue
			}
			var words []string
			for _, effect := range got {
				words = append(words, string(effect))
				seen[effect] = true
				if !slices.Contains(Effects, effect) {
					t.Errorf("%s, %s: there is no effect %s", s, e, effect)
				}
			}
			if len(words) == 0 {
				words = []string{"-"}
			}
			if text := strings.Join(words, " "); text != want[key] {
				t.Errorf("%s, %s has the effects\n%s, want\n%s", s, e, text, want[key])
			}
		}
	}
	for _, effect := range Effects {
		if !seen[effect] {
			t.Errorf("nothing has the effect %s", effect)
		}
	}
}

func TestEffectsOfAWay(t *testing.T) {
	for _, c := range []struct {
		from   State
		events []Event
		to     State
		want   []Effect
	}{
		{Reviewing, []Event{RequestRevision, FinishDrafting}, AwaitingApproval, []Effect{ClearStaging, WritePreview, OpenPreview, TellModel}},
		{Reviewing, []Event{Execute, PlanExecuted}, Completed, []Effect{BeginProgress, EndProgress, TellModel, ClearStaging, EndPlan}},
		{Completed, []Event{Start, FinishDrafting}, AwaitingApproval, []Effect{TakeUpPlan, ClearStaging, WritePreview, OpenPreview, TellModel}},
		{Executing, []Event{Reject}, Executing, nil},
		{Reviewing, nil, Reviewing, nil},
	} {
		got, to := EffectsOf(c.from, c.events...)
		if to != c.to || !slices.Equal(got, c.want) {
			t.Errorf("%s, %v: got %v to %s, want %v to %s", c.from, c.events, got, to, c.want, c.to)
		}
	}
	if got := EffectsBetween(Executing, Completed); !slices.Equal(got, []Effect{EndProgress, TellModel, ClearStaging, EndPlan}) {
		t.Errorf("from executing to completed: %v", got)
	}
}
