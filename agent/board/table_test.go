package board

import (
	"strings"
	"testing"

	"redline/agent/plan"
)

// allRecords lists all records.
var allRecords = []recordState{recordAsked, recordUnverified, recordUnsaved, recordSaved, recordUndoing, recordUndone, recordGone, recordEarlier, recordEarlierGone}

// allTexts lists all values of textState.
var allTexts = []textState{textNew, textOld, textNeither, textSome, textBoth}

// allWords lists all words.
var allWords = []editorWord{editorSilent, editorShown, editorSavedIt, editorTimedOut, editorExited, editorRestarted, editorElsewhere}

// want is the table once more, written out in full: a block for each record, a line for each
// text, a column for each word about the editor. An entry is what the record becomes, then the
// cause; - means that the record stays as it is.
const want = `
asked         silent   shown                 saved_it              timed_out             exited                restarted             elsewhere
new           done     done                  done                  done                  done                  done                  done
old           -        refused/not_made      refused/not_made      refused/not_made      refused/not_made      refused/not_made      -
neither       -        refused/neither_text  refused/neither_text  refused/neither_text  refused/neither_text  refused/neither_text  -
some          -        partly/partly_made    partly/partly_made    partly/partly_made    partly/partly_made    partly/partly_made    -
both          -        refused/both_there    refused/both_there    refused/both_there    refused/both_there    refused/both_there    -

unverified    silent   shown                 saved_it              timed_out             exited                restarted             elsewhere
new           done     done                  done                  done                  done                  done                  done
old           -        refused/not_made      refused/not_made      -                     -                     refused/not_made      -
neither       -        refused/neither_text  refused/neither_text  -                     -                     refused/neither_text  -
some          -        partly/partly_made    partly/partly_made    -                     -                     partly/partly_made    -
both          -        refused/both_there    refused/both_there    -                     -                     refused/both_there    -

unsaved       silent            shown             saved_it          timed_out         exited            restarted         elsewhere
new           -                 -                 -                 -                 -                 -                 -
old           pending/not_kept  pending/not_kept  pending/not_kept  pending/not_kept  pending/not_kept  pending/not_kept  -
neither       -                 -                 -                 -                 -                 -                 -

saved         silent   shown    saved_it timed_out exited   restarted elsewhere
new           -        -        -        -         -        -         -
old           -        -        -        -         -        -         -
neither       -        -        -        -         -        -         -

undoing       silent   shown    saved_it timed_out exited   restarted elsewhere
new           -        -        -        -         -        -         -
old           -        -        -        -         -        -         -
neither       -        -        -        -         -        -         -

undone        silent                    shown                     saved_it                  timed_out                 exited                    restarted                 elsewhere
new           -                         -                         -                         -                         -                         -                         -
old           pending/undone_in_editor  pending/undone_in_editor  pending/undone_in_editor  pending/undone_in_editor  pending/undone_in_editor  pending/undone_in_editor  -
neither       -                         -                         -                         -                         -                         -                         -

gone          silent   shown    saved_it timed_out exited   restarted elsewhere
new           applied  applied  applied  applied   applied  applied   applied
old           -        -        -        -         -        -         -
neither       -        -        -        -         -        -         -

earlier       silent            shown             saved_it          timed_out         exited            restarted         elsewhere
new           -                 -                 -                 -                 -                 -                 -
old           pending/not_kept  pending/not_kept  pending/not_kept  pending/not_kept  pending/not_kept  pending/not_kept  -
neither       -                 -                 -                 -                 -                 -                 -

earlier_gone  silent   shown    saved_it timed_out exited   restarted elsewhere
new           applied  applied  applied  applied   applied  applied   -
old           -        -        -        -         -        -         -
neither       -        -        -        -         -        -         -
`

func TestLater(t *testing.T) {
	for _, one := range []struct {
		v       plan.Verdict
		unsaved bool
		want    plan.Cause
	}{
		{plan.VerdictApprove, false, plan.NotOnDisk},
		{plan.VerdictApprove, true, plan.NotOnDisk},
		{plan.VerdictReview, false, plan.NotOnDisk},
		{plan.VerdictReview, true, plan.NotOnDisk},
		{plan.VerdictUndo, false, ""}, // it was on the disk, and is not any more
		{plan.VerdictUndo, true, plan.NotKept},
	} {
		if got := laterCause(one.v, one.unsaved); got != one.want {
			t.Errorf("%s, unsaved %v: %q, want %q", one.v, one.unsaved, got, one.want)
		}
		if got := laterCause(one.v, one.unsaved); got != "" && !(plan.HunkMark{Status: plan.HunkPending, Cause: got}).MayComeBack() {
			t.Errorf("%s: what is pending for the cause %s does not come back", one.v, got)
		}
	}
}

func TestTable(t *testing.T) {
	blocks := strings.Split(strings.TrimSpace(want), "\n\n")
	if len(blocks) != len(allRecords) {
		t.Fatalf("the table has %d records, the package %d", len(blocks), len(allRecords))
	}
	for i, block := range blocks {
		lines := strings.Split(block, "\n")
		head := strings.Fields(lines[0])
		record := recordState(head[0])
		if record != allRecords[i] || len(head)-1 != len(allWords) {
			t.Fatalf("block %d is headed %q, want %s and %d words", i, lines[0], allRecords[i], len(allWords))
		}
		texts := allTexts
		if record != recordAsked && record != recordUnverified {
			texts = allTexts[:3] // one hunk is there or not
		}
		if len(lines)-1 != len(texts) {
			t.Fatalf("%s has %d texts, want %d", record, len(lines)-1, len(texts))
		}
		for j, line := range lines[1:] {
			cells := strings.Fields(line)
			if textState(cells[0]) != texts[j] || len(cells)-1 != len(allWords) {
				t.Fatalf("%s: line %d is %q, want %s and %d outcomes", record, j, line, texts[j], len(allWords))
			}
			for k, cell := range cells[1:] {
				if editorWord(head[k+1]) != allWords[k] {
					t.Fatalf("%s: word %d is %s, want %s", record, k, head[k+1], allWords[k])
				}
				outcome, cause, _ := strings.Cut(cell, "/")
				if outcome == "-" {
					outcome = string(reconciledOpen)
				}
				if got := judgeRecord(record, texts[j], allWords[k]); got != (finding{reconciled(outcome), plan.Cause(cause)}) {
					t.Errorf("%s, text %s, editor %s: got %+v, want %s", record, texts[j], allWords[k], got, cell)
				}
			}
		}
	}
}
