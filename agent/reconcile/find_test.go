package reconcile

import (
	"errors"
	"fmt"
	"testing"

	"redline/agent/plan"
	"redline/edits"
)

const (
	base     = "one\ntwo\nthree\nfour\nfive\n"
	proposed = "ONE\ntwo\nthree\nfour\nFIVE\n"
)

// update is a change of the first and the last line.
func update() File {
	return File{Change: &plan.Change{Path: "a", Action: plan.Update, Hunks: []plan.Hunk{
		{ID: "h1", Old: edits.Span{Start: 0, End: 4}, New: edits.Span{Start: 0, End: 4}},
		{ID: "h2", Old: edits.Span{Start: 19, End: 24}, New: edits.Span{Start: 19, End: 24}},
	}}, Base: base, Proposed: proposed}
}

func none(string) bool { return false }

func there(text string) Name { return Name{Exists: true, OnDisk: true, Text: text} }

func TestFindHunks(t *testing.T) {
	f, both := update(), Part{Hunks: []int{0, 1}}
	for name, one := range map[string]struct {
		n    Name
		part Part
		done func(string) bool
		want string
	}{
		"all":                {there(proposed), both, none, "[1 1]"},
		"nothing":            {there(base), both, none, "[2 2]"},
		"one":                {there("ONE\ntwo\nthree\nfour\nfive\n"), both, none, "[1 2]"},
		"typed elsewhere":    {there("ONE\ntwo\nthree!\nfour\nfive\n"), both, none, "[1 2]"},
		"the other was done": {there(base), Part{Hunks: []int{0}}, func(id string) bool { return id == "h2" }, "[2]"},
		"not there":          {Name{}, both, none, "[0 0]"},
		"not readable":       {Name{Exists: true, Text: proposed, ReadErr: errors.New("no")}, both, none, "[0 0]"},
	} {
		if got := f.Find(one.part, one.done, Names{Old: one.n}); fmt.Sprint(got.Hunks) != one.want || got.Both {
			t.Errorf("%s: %v, want %s", name, got, one.want)
		}
	}
}

func TestFindWholeFiles(t *testing.T) {
	part := Part{Hunks: []int{0}}
	hunk := []plan.Hunk{{ID: "h1"}}
	create := File{Change: &plan.Change{Path: "a", Action: plan.Create, Hunks: hunk}, Proposed: "new\n"}
	remove := File{Change: &plan.Change{Path: "a", Action: plan.Delete, Hunks: hunk}, Base: "old\n"}
	for name, one := range map[string]struct {
		f    File
		n    Name
		want edits.Landing
	}{
		"created":                {create, there("new\n"), edits.Landed},
		"created in a buffer":    {create, Name{Exists: true, Text: "new\n"}, edits.Landed},
		"not created":            {create, Name{}, edits.Absent},
		"created otherwise":      {create, there("other\n"), edits.Unclear},
		"an empty file":          {create, there(""), edits.Unclear},
		"cannot be read":         {create, Name{ReadErr: errors.New("no")}, edits.Unclear},
		"deleted":                {remove, Name{}, edits.Landed},
		"deleted, buffer kept":   {remove, Name{Exists: true, Text: "old\n"}, edits.Landed},
		"not deleted":            {remove, there("old\n"), edits.Absent},
		"not deleted, changed":   {remove, there("other\n"), edits.Unclear},
		"not known if it's gone": {remove, Name{StatErr: errors.New("no")}, edits.Unclear},
	} {
		if got := one.f.Find(part, none, Names{Old: one.n}); got.Hunks[0] != one.want {
			t.Errorf("%s: %v, want %v", name, got.Hunks[0], one.want)
		}
	}
}

func TestFindMoves(t *testing.T) {
	f := update()
	f.Change.Action, f.Change.NewPath = plan.Rename, "b"
	part := Part{Hunks: []int{0, 1}, Move: true}
	for name, one := range map[string]struct {
		n    Names
		want Found
	}{
		"moved and changed":     {Names{New: there(proposed)}, Found{Hunks: []edits.Landing{1, 1}, Move: edits.Landed}},
		"moved only":            {Names{New: there(base)}, Found{Hunks: []edits.Landing{2, 2}, Move: edits.Landed}},
		"changed only":          {Names{Old: there(proposed)}, Found{Hunks: []edits.Landing{1, 1}, Move: edits.Absent}},
		"both names":            {Names{Old: there(base), New: there(proposed)}, Found{Hunks: []edits.Landing{0, 0}, Both: true}},
		"neither name":          {Names{}, Found{Hunks: []edits.Landing{0, 0}}},
		"one name in two cases": {Names{Old: there(base), New: there(base), Same: true, SpelledNew: true}, Found{Hunks: []edits.Landing{2, 2}, Move: edits.Landed}},
	} {
		if got := f.Find(part, none, one.n); fmt.Sprint(got) != fmt.Sprint(one.want) {
			t.Errorf("%s: %v, want %v", name, got, one.want)
		}
	}
}

func TestSent(t *testing.T) {
	part := Part{Hunks: []int{0, 1}}
	found := func(a, b edits.Landing) Found { return Found{Hunks: []edits.Landing{a, b}} }
	for name, one := range map[string]struct {
		v     plan.Verdict
		found Found
		want  Finding
		hunks string
	}{
		"approved, all there":     {plan.VerdictApprove, found(edits.Landed, edits.Landed), Finding{Outcome: Done}, "[]"},
		"approved, nothing":       {plan.VerdictApprove, found(edits.Absent, edits.Absent), Finding{Refused, plan.NotMade}, "[]"},
		"approved, overtyped":     {plan.VerdictApprove, found(edits.Absent, edits.Unclear), Finding{Refused, plan.NeitherText}, "[]"},
		"approved, one there":     {plan.VerdictApprove, found(edits.Landed, edits.Unclear), Finding{Partly, plan.PartlyMade}, "[1 2]"},
		"undone, all is gone":     {plan.VerdictUndo, found(edits.Absent, edits.Absent), Finding{Outcome: Done}, "[]"},
		"undone, all still there": {plan.VerdictUndo, found(edits.Landed, edits.Landed), Finding{Refused, plan.NotMade}, "[]"},
		"undone, one is gone":     {plan.VerdictUndo, found(edits.Absent, edits.Landed), Finding{Partly, plan.PartlyMade}, "[1 2]"},
	} {
		f, hunks, _ := Sent(Asked, one.v, part, one.found, Shown)
		if f != one.want || fmt.Sprint(hunks) != one.hunks {
			t.Errorf("%s: %+v %v, want %+v %s", name, f, hunks, one.want, one.hunks)
		}
	}
}

func TestHunks(t *testing.T) {
	for name, one := range map[string]struct {
		hunks   []Hunk
		unsaved bool
		w       Word
		want    string
	}{
		"saved":                      {[]Hunk{{"h1", Unsaved, edits.Landed}}, true, SavedIt, "[] [] true"},
		"typed upon and saved":       {[]Hunk{{"h1", Unsaved, edits.Unclear}}, true, SavedIt, "[] [] true"},
		"was not unsaved":            {[]Hunk{{"h1", Saved, edits.Landed}}, false, SavedIt, "[] [] false"},
		"nobody has said so":         {[]Hunk{{"h1", Unsaved, edits.Landed}}, true, Silent, "[] [] false"},
		"one went":                   {[]Hunk{{"h1", Unsaved, edits.Absent}, {"h2", Unsaved, edits.Landed}}, true, SavedIt, "[{h1 not_kept}] [] false"},
		"one is back":                {[]Hunk{{"h1", Gone, edits.Landed}}, true, SavedIt, "[] [h1] true"},
		"none is back":               {[]Hunk{{"h1", Gone, edits.Absent}}, true, SavedIt, "[] [] false"},
		"undone":                     {[]Hunk{{"h1", Undone, edits.Absent}, {"h2", Saved, edits.Landed}}, false, SavedIt, "[{h1 undone_in_editor}] [] false"},
		"in the other editor":        {[]Hunk{{"h1", Unsaved, edits.Absent}}, true, Elsewhere, "[] [] false"},
		"of an earlier one":          {[]Hunk{{"h1", Earlier, edits.Absent}}, true, SavedIt, "[{h1 not_kept}] [] true"},
		"the move of an earlier one": {[]Hunk{{"", Earlier, edits.Absent}}, false, Silent, "[{ not_kept}] [] false"},
	} {
		c := Hunks(one.hunks, one.unsaved, one.w)
		if got := fmt.Sprint(c.Gone, c.Back, c.Saved); got != one.want {
			t.Errorf("%s: %s, want %s", name, got, one.want)
		}
	}
	both := Change{Gone: []Went{{"h1", plan.NotKept}, {"h2", plan.UndoneInEditor}, {"h3", plan.NotKept}}}
	if both.Cause() != plan.UndoneInEditor {
		t.Errorf("the file's cause is %s", both.Cause())
	}
}
