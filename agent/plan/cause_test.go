package plan

import (
	"encoding/json"
	"strings"
	"testing"
)

// Records on users' disks from versions that stored the sentence.
func TestReadsSentencesForCauses(t *testing.T) {
	const stored = `{"hunks":{
		"h1":{"status":"pending","reason":"it was applied, but the file does not have it any more: the editor closed or undid it without saving"},
		"h2":{"status":"pending","reason":"it was applied, then undone in the editor"},
		"h3":{"status":"pending","reason":"it was being applied when Redline ended, and the file on the disk does not have it"},
		"h4":{"status":"rejected","reason":"it was applied, then undone in the editor"},
		"h5":{"status":"pending","reason":"the editor was asleep"},
		"h6":{"status":"applied"}},
		"files":{"a.go":{"revision":1,"status":"pending","move":"pending","reason":"it was applied, then undone in the editor","unsaved":true}}}`
	var p Progress
	if err := json.Unmarshal([]byte(stored), &p); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]struct {
		cause Cause
		back  bool
		why   string
	}{
		"h1": {NotKept, true, "it was applied, but the file does not have it any more: the editor closed or undid it without saving"},
		"h2": {UndoneInEditor, true, "it was applied, then undone in the editor"},
		"h3": {NotOnDisk, true, "it was being applied when Redline ended, and the file on the disk does not have it"},
		"h4": {"", false, "it was applied, then undone in the editor"}, // the user's own words
		"h5": {"", false, "the editor was asleep"},
		"h6": {"", false, ""},
	} {
		m := p.Hunk(id)
		if m.Cause != want.cause || m.MayComeBack() != want.back || m.Why() != want.why {
			t.Errorf("%s: cause %q, may come back %v, %q; want %+v", id, m.Cause, m.MayComeBack(), m.Why(), want)
		}
	}
	if got := p.File(1, "a.go").Why(nil); got != "it was applied, then undone in the editor" {
		t.Errorf("the file's reason is %q", got)
	}
}

func TestCauseIsStoredWithoutItsSentence(t *testing.T) {
	var p, again Progress
	p.MarkHunkPending("h1", NotKept)
	p.MarkFile(1, "a.go", FilePending, "the editor said no")
	p.MarkCause(1, "a.go", NotMade)
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "reason") {
		t.Errorf("a sentence is stored: %s", text)
	}
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	if !again.Hunk("h1").MayComeBack() || again.File(1, "a.go").Cause != NotMade {
		t.Errorf("read again: %+v", again)
	}
}

func TestEveryCauseHasASentence(t *testing.T) {
	c := &Change{Path: "old.go", NewPath: "new.go"}
	for _, cause := range []Cause{NotKept, UndoneInEditor, NotOnDisk, NotMade, PartlyMade, NeitherText, BothThere} {
		if s := cause.Sentence(c); s == "" || strings.HasSuffix(s, ".") {
			t.Errorf("%s: %q", cause, s)
		}
	}
	if got := BothThere.Sentence(c); !strings.HasPrefix(got, "old.go and new.go are both there") {
		t.Errorf("got %q", got)
	}
	later := HunkMark{Status: HunkPending, Cause: "of_a_later_version", Reason: "words"}
	if later.Why() != "words" || later.MayComeBack() {
		t.Errorf("an unknown cause: %q", later.Why())
	}
}
