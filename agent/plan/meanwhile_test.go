package plan_test

import (
	"reflect"
	"testing"

	"redline/agent/plan"
)

func TestProgressOntoThatOfOthers(t *testing.T) {
	var was plan.Progress
	was.MarkHunk("h1", plan.HunkPending, "")
	was.MarkHunk("h2", plan.HunkPending, "")
	was.MarkSent(1, "a", plan.Sent{Verdict: plan.VerdictApprove, Hunks: []string{"h1"}})
	p := plan.Plan{Progress: was}
	mine, others, want := p.Clone().Progress, p.Clone().Progress, p.Clone().Progress

	mine.MarkHunk("h1", plan.HunkApplied, "")
	mine.MarkFile(1, "a", plan.FileApplied, "")
	mine.MarkCommand("o1", plan.CommandMark{Status: plan.CommandRejected})
	others.MarkHunk("h1", plan.HunkRejected, "")
	others.MarkHunk("h2", plan.HunkRejected, "no")
	others.MarkUnsaved(1, "b", true)

	want.MarkHunk("h1", plan.HunkApplied, "")
	want.MarkHunk("h2", plan.HunkRejected, "no")
	want.MarkFile(1, "a", plan.FileApplied, "")
	want.MarkUnsaved(1, "b", true)
	want.MarkCommand("o1", plan.CommandMark{Status: plan.CommandRejected})
	if got := mine.Onto(&others, &was); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}
