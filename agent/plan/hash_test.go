package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"redline/edits"
	"redline/edits/charset"
)

func approvedRevision() *Revision {
	return &Revision{
		Number: 2, Parent: 1, Author: AuthorModel, Description: "Say \"hello\" to <you> & me – 𝄞", Predicted: []string{"p"},
		Steps: []Step{{ID: "s1", Description: "greet"}},
		Operations: []Operation{
			{ID: "o1", Step: "s1", Tool: "edit_file", Path: "a/b.go", Args: json.RawMessage(`{"path":"a/b.go","old_string":"1","new_string":"2"}`)},
			{ID: "o2", Step: "s1", Tool: "run_command", Command: "go test", Args: json.RawMessage(`{"command":"go test","timeout_seconds":10}`)},
		},
		Changes: []Change{{
			Path: "a/b.go", Action: Update, Base: BlobOf("1\n"), Proposed: BlobOf("2\n"), BaseExists: true, Mode: 0o644,
			Hunks: []Hunk{{ID: "h1", Old: edits.Span{Start: 0, End: 2}, New: edits.Span{Start: 0, End: 2}, Added: 1, Removed: 1, Match: "exact"}},
		}},
	}
}

// The golden file is the canonical JSON itself, so that it can be checked by
// hand and by other programs.
func TestApprovalHashIsOfThisJSON(t *testing.T) {
	doc, err := os.ReadFile("testdata/approval.json")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(doc)
	want := "sha256:" + hex.EncodeToString(sum[:])
	if got := ApprovalHash(7, approvedRevision()); got != want {
		t.Errorf("got %s, want %s, of testdata/approval.json", got, want)
	}
	if want != "sha256:"+golden {
		t.Errorf("testdata/approval.json changed: %s", want)
	}
}

func TestApprovalHashCoversEverythingThatHappens(t *testing.T) {
	seen := map[string]string{ApprovalHash(7, approvedRevision()): "nothing"}
	differs := func(name string, number int, change func(*Revision)) {
		t.Helper()
		r := approvedRevision()
		change(r)
		hash := ApprovalHash(number, r)
		if other, ok := seen[hash]; ok {
			t.Errorf("changing %s gives the same hash as changing %s", name, other)
		}
		seen[hash] = name
	}
	differs("plan", 8, func(r *Revision) {})
	for name, change := range map[string]func(*Revision){
		"revision":            func(r *Revision) { r.Number++ },
		"description":         func(r *Revision) { r.Description += " " },
		"description, broken": func(r *Revision) { r.Description += "\xff" },
		"description, other":  func(r *Revision) { r.Description += "\xfe" },
		"description, as hex": func(r *Revision) { r.Description += "\uFFFD" },
		"text only":           func(r *Revision) { r.TextOnly = true },
		"predicted":           func(r *Revision) { r.Predicted = append(r.Predicted, "q") },
		"predicted, moved":    func(r *Revision) { r.Predicted = nil; r.Description += "p" },
		"op id":               func(r *Revision) { r.Operations[0].ID = "o9" },
		"op step":             func(r *Revision) { r.Operations[0].Step = "s2" },
		"op tool":             func(r *Revision) { r.Operations[0].Tool = "write_file" },
		"op path":             func(r *Revision) { r.Operations[0].Path = "a/c.go" },
		"op command":          func(r *Revision) { r.Operations[1].Command = "go tests" },
		"op args value": func(r *Revision) {
			r.Operations[1].Args = json.RawMessage(`{"command":"go test","timeout_seconds":11}`)
		},
		"op args name": func(r *Revision) {
			r.Operations[1].Args = json.RawMessage(`{"Command":"go test","timeout_seconds":10}`)
		},
		"op args type": func(r *Revision) {
			r.Operations[1].Args = json.RawMessage(`{"command":"go test","timeout_seconds":"10"}`)
		},
		"op args large": func(r *Revision) {
			r.Operations[1].Args = json.RawMessage(`{"command":"go test","timeout_seconds":9007199254740992}`)
		},
		"op args larger": func(r *Revision) {
			r.Operations[1].Args = json.RawMessage(`{"command":"go test","timeout_seconds":9007199254740993}`)
		},
		"op args absent":     func(r *Revision) { r.Operations[1].Args = nil },
		"op args broken":     func(r *Revision) { r.Operations[1].Args = json.RawMessage(`{"command":`) },
		"op args twice":      func(r *Revision) { r.Operations[1].Args = json.RawMessage(`{"command":"a","command":"b"}`) },
		"op args deep":       func(r *Revision) { r.Operations[1].Args = deep(9_998) },
		"op args too deep":   func(r *Revision) { r.Operations[1].Args = deep(20_000) },
		"op order":           func(r *Revision) { o := r.Operations; o[0], o[1] = o[1], o[0] },
		"op gone":            func(r *Revision) { r.Operations = r.Operations[:1] },
		"ops gone":           func(r *Revision) { r.Operations = nil },
		"change path":        func(r *Revision) { r.Changes[0].Path = "a/c.go" },
		"change new path":    func(r *Revision) { r.Changes[0].NewPath = "a/c.go" },
		"change action":      func(r *Revision) { r.Changes[0].Action = Rename },
		"change mode":        func(r *Revision) { r.Changes[0].Mode = 0o755 },
		"change base":        func(r *Revision) { r.Changes[0].Base = BlobOf("3\n") },
		"change proposed":    func(r *Revision) { r.Changes[0].Proposed = BlobOf("3\n") },
		"change base exists": func(r *Revision) { r.Changes[0].BaseExists = false },
		"change charset":     func(r *Revision) { r.Changes[0].Charset = charset.Latin1 },
		"change gone":        func(r *Revision) { r.Changes = nil },
		"change twice":       func(r *Revision) { r.Changes = append(r.Changes, r.Changes[0]) },
		"hunk id":            func(r *Revision) { r.Changes[0].Hunks[0].ID = "h2" },
		"hunk old start":     func(r *Revision) { r.Changes[0].Hunks[0].Old.Start++ },
		"hunk old end":       func(r *Revision) { r.Changes[0].Hunks[0].Old.End++ },
		"hunk new start":     func(r *Revision) { r.Changes[0].Hunks[0].New.Start++ },
		"hunk new end":       func(r *Revision) { r.Changes[0].Hunks[0].New.End++ },
		"hunks gone":         func(r *Revision) { r.Changes[0].Hunks = nil },
	} {
		differs(name, 7, change)
	}
}

func deep(n int) json.RawMessage {
	return json.RawMessage(strings.Repeat("[", n) + strings.Repeat("]", n))
}

func TestApprovalHashLeavesOutWhatChangesNothing(t *testing.T) {
	want := ApprovalHash(7, approvedRevision())
	for name, change := range map[string]func(*Revision){
		"parent":  func(r *Revision) { r.Parent = 0 },
		"author":  func(r *Revision) { r.Author = AuthorUser },
		"created": func(r *Revision) { r.Created = r.Created.AddDate(1, 0, 0) },
		"steps":   func(r *Revision) { r.Steps = nil },
		"hash":    func(r *Revision) { r.Hash = "x" },
		"match":   func(r *Revision) { r.Changes[0].Hunks[0].Match = "blanks" },
		"arg order": func(r *Revision) {
			r.Operations[1].Args = json.RawMessage(`{"timeout_seconds":10,"command":"go test"}`)
		},
		"arg blanks": func(r *Revision) {
			r.Operations[1].Args = json.RawMessage("{ \"command\" : \"go test\",\n\"timeout_seconds\":\t10 }")
		},
		"arg spelling": func(r *Revision) {
			r.Operations[1].Args = json.RawMessage(`{"command":"g\u006f test","timeout_seconds":10}`)
		},
	} {
		r := approvedRevision()
		change(r)
		if got := ApprovalHash(7, r); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// Any two sets of arguments that differ in a value give two hashes, and the
// hash does not touch the revision.
func TestApprovalHashOfArguments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) (map[string]string, json.RawMessage) {
			m := rapid.MapOf(rapid.SampledFrom([]string{"path", "content", "é", "\U0001D11E", "\uFB33"}), rapid.String()).Draw(t, name)
			raw, err := json.MarshalIndent(m, "", rapid.SampledFrom([]string{"", " "}).Draw(t, name+" indent"))
			if err != nil {
				t.Fatal(err)
			}
			return m, raw
		}
		a, rawA := draw("a")
		b, rawB := draw("b")
		same := len(a) == len(b)
		for k, v := range a {
			if w, ok := b[k]; !ok || v != w {
				same = false
			}
		}
		hash := func(raw json.RawMessage) string {
			before := string(raw)
			h := ApprovalHash(1, &Revision{Operations: []Operation{{Args: raw}}})
			if string(raw) != before {
				t.Fatalf("the arguments were changed to %s", raw)
			}
			return h
		}
		if got := hash(rawA) == hash(rawB); got != same {
			t.Fatalf("%s and %s: same hash is %t", rawA, rawB, got)
		}
	})
}

func BenchmarkApprovalHash1000(b *testing.B) {
	r := &Revision{Number: 1}
	for range 1000 {
		r.Operations = append(r.Operations, approvedRevision().Operations[0])
		r.Changes = append(r.Changes, approvedRevision().Changes[0])
	}
	for b.Loop() {
		ApprovalHash(1, r)
	}
}

// golden is the SHA-256 of testdata/approval.json.
const golden = "ba9500dd0a9dc56b3b5f175e6eea3288156631dfaa0678f56f5dc32cf724c431"
