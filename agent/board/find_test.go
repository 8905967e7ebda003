package board

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
func update() reconciledFile {
	return reconciledFile{Change: &plan.Change{Path: "a", Action: plan.Update, Hunks: []plan.Hunk{
		{ID: "h1", Old: edits.Span{Start: 0, End: 4}, New: edits.Span{Start: 0, End: 4}},
		{ID: "h2", Old: edits.Span{Start: 19, End: 24}, New: edits.Span{Start: 19, End: 24}},
	}}, Base: base, Proposed: proposed}
}

func none(string) bool { return false }

func there(text string) foundName { return foundName{Exists: true, OnDisk: true, Text: text} }

func TestFindHunks(t *testing.T) {
	f, both := update(), sentPart{Hunks: []int{0, 1}}
	for name, one := range map[string]struct {
		n    foundName
		part sentPart
		done func(string) bool
		want string
	}{
		"all":                {there(proposed), both, none, "[1 1]"},
		"nothing":            {there(base), both, none, "[2 2]"},
		"one":                {there("ONE\ntwo\nthree\nfour\nfive\n"), both, none, "[1 2]"},
		"typed elsewhere":    {there("ONE\ntwo\nthree!\nfour\nfive\n"), both, none, "[1 2]"},
		"the other was done": {there(base), sentPart{Hunks: []int{0}}, func(id string) bool { return id == "h2" }, "[2]"},
		"not there":          {foundName{}, both, none, "[0 0]"},
		"not readable":       {foundName{Exists: true, Text: proposed, ReadErr: errors.New("no")}, both, none, "[0 0]"},
	} {
		if got := f.Find(one.part, one.done, foundNames{Old: one.n}); fmt.Sprint(got.Hunks) != one.want || got.Both {
			t.Errorf("%s: %v, want %s", name, got, one.want)
		}
	}
}

func TestFindWholeFiles(t *testing.T) {
	part := sentPart{Hunks: []int{0}}
	hunk := []plan.Hunk{{ID: "h1"}}
	create := reconciledFile{Change: &plan.Change{Path: "a", Action: plan.Create, Hunks: hunk}, Proposed: "new\n"}
	remove := reconciledFile{Change: &plan.Change{Path: "a", Action: plan.Delete, Hunks: hunk}, Base: "old\n"}
	for name, one := range map[string]struct {
		f    reconciledFile
		n    foundName
		want edits.Landing
	}{
		"created":                {create, there("new\n"), edits.Landed},
		"created in a buffer":    {create, foundName{Exists: true, Text: "new\n"}, edits.Landed},
		"not created":            {create, foundName{}, edits.Absent},
		"created otherwise":      {create, there("other\n"), edits.Unclear},
		"an empty file":          {create, there(""), edits.Unclear},
		"cannot be read":         {create, foundName{ReadErr: errors.New("no")}, edits.Unclear},
		"deleted":                {remove, foundName{}, edits.Landed},
		"deleted, buffer kept":   {remove, foundName{Exists: true, Text: "old\n"}, edits.Landed},
		"not deleted":            {remove, there("old\n"), edits.Absent},
		"not deleted, changed":   {remove, there("other\n"), edits.Unclear},
		"not known if it's gone": {remove, foundName{StatErr: errors.New("no")}, edits.Unclear},
	} {
		if got := one.f.Find(part, none, foundNames{Old: one.n}); got.Hunks[0] != one.want {
			t.Errorf("%s: %v, want %v", name, got.Hunks[0], one.want)
		}
	}
}

func TestFindMoves(t *testing.T) {
	f := update()
	f.Change.Action, f.Change.NewPath = plan.Rename, "b"
	part := sentPart{Hunks: []int{0, 1}, Move: true}
	for name, one := range map[string]struct {
		n    foundNames
		want foundText
	}{
		"moved and changed": {foundNames{New: there(proposed)}, foundText{Hunks: []edits.Landing{1, 1}, Move: edits.Landed}},
		"moved only":        {foundNames{New: there(base)}, foundText{Hunks: []edits.Landing{2, 2}, Move: edits.Landed}},
		"changed only":      {foundNames{Old: there(proposed)}, foundText{Hunks: []edits.Landing{1, 1}, Move: edits.Absent}},
		"both names":        {foundNames{Old: there(base), New: there(proposed)}, foundText{Hunks: []edits.Landing{0, 0}, Both: true}},
		"the new name in a buffer, and the old file": {foundNames{Old: there(base), New: foundName{Exists: true, Text: proposed}}, foundText{Hunks: []edits.Landing{2, 2}, Move: edits.Absent}},
		"the new name in a buffer, and no file":      {foundNames{New: foundName{Exists: true, Text: proposed}}, foundText{Hunks: []edits.Landing{1, 1}, Move: edits.Landed}},
		"the new name cannot be looked up":           {foundNames{Old: there(base), New: foundName{StatErr: errors.New("no")}}, foundText{Hunks: []edits.Landing{0, 0}}},
		"neither name":                               {foundNames{}, foundText{Hunks: []edits.Landing{0, 0}}},
		"one name in two cases":                      {foundNames{Old: there(base), New: there(base), Same: true, SpelledNew: true}, foundText{Hunks: []edits.Landing{2, 2}, Move: edits.Landed}},
	} {
		if got := f.Find(part, none, one.n); fmt.Sprint(got) != fmt.Sprint(one.want) {
			t.Errorf("%s: %v, want %v", name, got, one.want)
		}
	}
}

func TestSent(t *testing.T) {
	part := sentPart{Hunks: []int{0, 1}}
	found := func(a, b edits.Landing) foundText { return foundText{Hunks: []edits.Landing{a, b}} }
	for name, one := range map[string]struct {
		v     plan.Verdict
		found foundText
		want  finding
		hunks string
	}{
		"approved, all there":     {plan.VerdictApprove, found(edits.Landed, edits.Landed), finding{Outcome: reconciledDone}, "[]"},
		"approved, nothing":       {plan.VerdictApprove, found(edits.Absent, edits.Absent), finding{reconciledRefused, plan.NotMade}, "[]"},
		"approved, overtyped":     {plan.VerdictApprove, found(edits.Absent, edits.Unclear), finding{reconciledRefused, plan.NeitherText}, "[]"},
		"approved, one there":     {plan.VerdictApprove, found(edits.Landed, edits.Unclear), finding{reconciledPartly, plan.PartlyMade}, "[1 2]"},
		"undone, all is gone":     {plan.VerdictUndo, found(edits.Absent, edits.Absent), finding{Outcome: reconciledDone}, "[]"},
		"undone, all still there": {plan.VerdictUndo, found(edits.Landed, edits.Landed), finding{reconciledRefused, plan.NotMade}, "[]"},
		"undone, one is gone":     {plan.VerdictUndo, found(edits.Absent, edits.Landed), finding{reconciledPartly, plan.PartlyMade}, "[1 2]"},
	} {
		f, hunks, _ := reconcileSent(recordAsked, one.v, part, one.found, editorShown)
		if f != one.want || fmt.Sprint(hunks) != one.hunks {
			t.Errorf("%s: %+v %v, want %+v %s", name, f, hunks, one.want, one.hunks)
		}
	}
}

func TestHunks(t *testing.T) {
	for name, one := range map[string]struct {
		hunks   []reconciledHunk
		unsaved bool
		w       editorWord
		want    string
	}{
		"saved":                      {[]reconciledHunk{{"h1", recordUnsaved, edits.Landed}}, true, editorSavedIt, "[] [] true"},
		"typed upon and saved":       {[]reconciledHunk{{"h1", recordUnsaved, edits.Unclear}}, true, editorSavedIt, "[] [] true"},
		"was not unsaved":            {[]reconciledHunk{{"h1", recordSaved, edits.Landed}}, false, editorSavedIt, "[] [] false"},
		"nobody has said so":         {[]reconciledHunk{{"h1", recordUnsaved, edits.Landed}}, true, editorSilent, "[] [] false"},
		"one went":                   {[]reconciledHunk{{"h1", recordUnsaved, edits.Absent}, {"h2", recordUnsaved, edits.Landed}}, true, editorSavedIt, "[{h1 not_kept}] [] false"},
		"one is back":                {[]reconciledHunk{{"h1", recordGone, edits.Landed}}, true, editorSavedIt, "[] [h1] true"},
		"none is back":               {[]reconciledHunk{{"h1", recordGone, edits.Absent}}, true, editorSavedIt, "[] [] false"},
		"undone":                     {[]reconciledHunk{{"h1", recordUndone, edits.Absent}, {"h2", recordSaved, edits.Landed}}, false, editorSavedIt, "[{h1 undone_in_editor}] [] false"},
		"in the other editor":        {[]reconciledHunk{{"h1", recordUnsaved, edits.Absent}}, true, editorElsewhere, "[] [] false"},
		"of an earlier one":          {[]reconciledHunk{{"h1", recordEarlier, edits.Absent}}, true, editorSavedIt, "[{h1 not_kept}] [] true"},
		"the move of an earlier one": {[]reconciledHunk{{"", recordEarlier, edits.Absent}}, false, editorSilent, "[{ not_kept}] [] false"},
	} {
		c := reconcileHunks(one.hunks, one.unsaved, one.w)
		if got := fmt.Sprint(c.Gone, c.Back, c.Saved); got != one.want {
			t.Errorf("%s: %s, want %s", name, got, one.want)
		}
	}
	both := reconciledChange{Gone: []went{{"h1", plan.NotKept}, {"h2", plan.UndoneInEditor}, {"h3", plan.NotKept}}}
	if both.Cause() != plan.UndoneInEditor {
		t.Errorf("the file's cause is %s", both.Cause())
	}
}
