package share

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"redline/agent/plan"
)

// universe draws documents of one plan: each has some of a tree of revisions, each with its parents, and
// some of what was said about them.
func universe(t *rapid.T) func(name string) *Document {
	const base = "a\nb\nc\n"
	first, texts := planOf(base, "a\nB\nc\n")
	whole := madeOf(t, Source{Plan: first, With: With{By: "Ada"}}, texts)
	n := rapid.IntRange(1, 5).Draw(t, "revisions")
	for i := 1; i < n; i++ {
		r := whole.Revisions[0]
		r.Revision, r.Parent = i+1, rapid.IntRange(1, i).Draw(t, "parent")
		r.Created = then.Add(time.Duration(rapid.IntRange(-2, 2).Draw(t, "created")) * time.Second)
		r.Description = fmt.Sprintf("way %d", i)
		r.Content, _ = contentOf(whole.ID, whole.Revisions[r.Parent-1].Content, &r)
		whole.Revisions = append(whole.Revisions, r)
	}
	persons := rapid.SampledFrom([]string{"", "Ada", "Bob"})
	times := rapid.Custom(func(t *rapid.T) time.Time {
		return then.Add(time.Duration(rapid.IntRange(0, 2).Draw(t, "second")) * time.Second)
	})
	return func(name string) *Document {
		d := *whole
		d.Revisions = nil
		numbers := map[int]int{}
		for _, r := range whole.Revisions {
			if r.Parent > 0 && numbers[r.Parent] == 0 || r.Parent > 0 && rapid.Bool().Draw(t, name+" leaves out") {
				continue
			}
			numbers[r.Revision] = len(d.Revisions) + 1
			r.Revision, r.Parent, r.By = numbers[r.Revision], numbers[r.Parent], persons.Draw(t, "by")
			d.Revisions = append(d.Revisions, r)
		}
		d.Current = rapid.IntRange(1, len(d.Revisions)).Draw(t, "current")
		d.Updated, d.Created = times.Draw(t, "updated"), times.Draw(t, "begun")
		d.Plan, d.Rating = rapid.IntRange(1, 3).Draw(t, "plan"), rapid.IntRange(0, 2).Draw(t, "rating")
		d.Goal = rapid.SampledFrom([]string{"tidy up", "tidy more"}).Draw(t, "goal")
		any := func() *Revision { return &d.Revisions[rapid.IntRange(0, len(d.Revisions)-1).Draw(t, "about")] }
		for range rapid.IntRange(0, 3).Draw(t, "comments") {
			r := any()
			c := Comment{
				ID: rapid.SampledFrom([]string{"c1", "c2"}).Draw(t, "id"), Revision: r.Revision, Content: r.Content, Path: "a.txt", Line: 1, Side: "new",
				Text: rapid.SampledFrom([]string{"why?", "no"}).Draw(t, "says"), Author: persons.Draw(t, "author"), Time: times.Draw(t, "said"), Done: rapid.Bool().Draw(t, "done"),
			}
			if !slices.ContainsFunc(d.Comments, func(other Comment) bool { return other.key() == c.key() }) {
				d.Comments = append(d.Comments, c)
			}
		}
		for range rapid.IntRange(0, 2).Draw(t, "decisions") {
			r := any()
			one := Decision{Revision: r.Revision, Content: r.Content, Verdict: "approve", Who: "user", By: persons.Draw(t, "decided"), At: times.Draw(t, "when")}
			one.ID, _ = one.idOf()
			if !slices.ContainsFunc(d.Decisions, func(other Decision) bool { return other.ID == one.ID }) {
				d.Decisions = append(d.Decisions, one)
			}
		}
		for range rapid.IntRange(0, 2).Draw(t, "trials") {
			r := any()
			one := Trial{Revision: r.Revision, Content: r.Content, Command: "go test", By: persons.Draw(t, "tried"), At: times.Draw(t, "ended"), Output: persons.Draw(t, "output")}
			one.ID, _ = one.idOf()
			if !slices.ContainsFunc(d.Trials, func(other Trial) bool { return other.ID == one.ID }) {
				d.Trials = append(d.Trials, one)
			}
		}
		if rapid.Bool().Draw(t, "report") {
			r := any()
			d.Problems = []Report{{Revision: r.Revision, Content: r.Content, Fixed: rapid.IntRange(0, 2).Draw(t, "fixed"), At: times.Draw(t, "reported")}}
		}
		if rapid.Bool().Draw(t, "said") {
			d.Conversation = []Exchange{{times.Draw(t, "answered"), persons.Draw(t, "request"), "yes"}}
		}
		d.arrange()
		return &d
	}
}

func merge(t *rapid.T, x, y *Document) *Document {
	d, err := Merge(x, y)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func bytesOf(t *rapid.T, d *Document) string {
	data, err := d.Encode(false)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := universe(t)
		x, y, z := draw("x"), draw("y"), draw("z")
		before := bytesOf(t, x)
		xy := merge(t, x, y)
		if diff := cmp.Diff(bytesOf(t, xy), bytesOf(t, merge(t, y, x))); diff != "" {
			t.Fatalf("the order of two documents matters: %s", diff)
		}
		if diff := cmp.Diff(bytesOf(t, merge(t, xy, z)), bytesOf(t, merge(t, x, merge(t, y, z)))); diff != "" {
			t.Fatalf("the order of merges matters: %s", diff)
		}
		for _, again := range []*Document{x, y, xy} {
			if diff := cmp.Diff(bytesOf(t, xy), bytesOf(t, merge(t, xy, again))); diff != "" {
				t.Fatalf("what is there already changes something: %s", diff)
			}
		}
		if diff := cmp.Diff(before, bytesOf(t, merge(t, x, x))); diff != "" {
			t.Fatalf("a document merged with itself is another: %s", diff)
		}
		if diff := cmp.Diff(before, bytesOf(t, x)); diff != "" {
			t.Fatalf("a document was changed: %s", diff)
		}
		for _, of := range []*Document{x, y} {
			fresh, all := of.Fresh(xy), xy.numbers()
			if len(fresh.Comments)+len(fresh.Decisions)+len(fresh.Trials) > 0 {
				t.Fatalf("lost: %+v", fresh)
			}
			for _, r := range of.Revisions {
				if all[r.Content] == 0 {
					t.Fatalf("revision %d is lost", r.Revision)
				}
			}
		}
		read, err := Decode([]byte(bytesOf(t, xy)))
		if err != nil {
			t.Fatalf("what was merged cannot be read: %v", err)
		}
		if diff := cmp.Diff(bytesOf(t, xy), bytesOf(t, read)); diff != "" {
			t.Fatalf("what was written is read as another: %s", diff)
		}
	})
}

func TestPlansThatAreNotTheSameAreNotMerged(t *testing.T) {
	p, texts := planOf("a\n", "b\n")
	ours := document(t, p, texts)
	p.ID = plan.NewID()
	if _, err := Merge(ours, document(t, p, texts)); err == nil || !strings.Contains(err.Error(), "is of another plan") {
		t.Errorf("got %v", err)
	}
}

// A file whose hash is not that of its content is refused, whatever was changed in it.
func TestAHashThatLiesIsRefused(t *testing.T) {
	p, texts := planOf("a\nb\n", "a\nB\n")
	p.Progress.Comments = []plan.Comment{{ID: "c1", Revision: 1, Path: "a.txt", Line: 1, Side: plan.NewSide, Text: "why?", Author: "user", Time: then}}
	p.Trials = []plan.Trial{{ID: "t1", Command: "go test", Revision: 1, At: then, Output: "token=123"}}
	for name, change := range map[string]func(*Document){
		"words":               func(d *Document) { d.Revisions[0].Description = "other" },
		"time":                func(d *Document) { d.Revisions[0].Created = then.Add(1) },
		"author":              func(d *Document) { d.Revisions[0].Author = "user" },
		"charset":             func(d *Document) { d.Revisions[0].Changes[0].Charset = "windows-1252" },
		"mode":                func(d *Document) { d.Revisions[0].Changes[0].Mode = 0o755 },
		"command":             func(d *Document) { d.Revisions[0].Operations[1].Command = "rm -rf ~" },
		"arguments":           func(d *Document) { d.Revisions[0].Operations[0].Args = json.RawMessage(`{"path":"b.txt"}`) },
		"hash":                func(d *Document) { d.Revisions[0].Content = string(plan.BlobOf("")) },
		"no hash":             func(d *Document) { d.Revisions[0].Content = "" },
		"plan":                func(d *Document) { d.ID = plan.NewID() },
		"verdict":             func(d *Document) { d.Decisions[0].Verdict = "approve" },
		"decision of another": func(d *Document) { d.Decisions[0].Content = string(plan.BlobOf("")) },
		"revision said":       func(d *Document) { d.Comments[0].Revision = 2 },
		"trial":               func(d *Document) { d.Trials[0].Verdict = "passed" },
		"approval hash":       func(d *Document) { d.Revisions[0].Hash = "sha256:00" },
		"comment elsewhere":   func(d *Document) { d.Comments[0].Path = "/etc/passwd" },
		"comment twice":       func(d *Document) { d.Comments = append(d.Comments, d.Comments[0]) },
		"comment id":          func(d *Document) { d.Comments[0].ID = "c1\n- [x]" },
		"comment author":      func(d *Document) { d.Comments[0].Author = "Ada\u202e" },
		"comment size":        func(d *Document) { d.Comments[0].Text = strings.Repeat("x", maxComment+1) },
		"comment line":        func(d *Document) { d.Comments[0].Line = 0 },
		"person":              func(d *Document) { d.Revisions[0].By = "Ada\x1b[2J" },
		"person's size":       func(d *Document) { d.Decisions[0].By = strings.Repeat("x", maxPerson+1) },
		"too many":            func(d *Document) { d.Conversation = make([]Exchange, maxSaid+1) },
	} {
		d := madeOf(t, Source{Plan: p, Decisions: []plan.Decision{{Revision: 1, Verdict: plan.VerdictReject, Who: "user", At: then}}, With: With{By: "Ada"}}, texts)
		if _, err := Read(encode(t, d), rules()); err != nil {
			t.Fatal(err)
		}
		change(d)
		_, err := Read(encode(t, d), rules())
		if err == nil || strings.ContainsAny(err.Error(), "\n\r\x1b") || len(err.Error()) > 300 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What printed, was asked and was answered leaves only on request.
func TestOutputAndConversationLeaveOnRequest(t *testing.T) {
	p, texts := planOf("a\nb\n", "a\nB\n")
	p.Trials = []plan.Trial{{ID: "t1", Command: "go test", Revision: 1, At: then, Output: "printed"}}
	said := []Exchange{{then, "asked", "answered"}}
	all := madeOf(t, Source{Plan: p, Exchanges: said, With: With{Output: true, Conversation: true}}, texts)
	for _, kept := range []*Document{nil, all} {
		little := encode(t, madeOf(t, Source{Plan: p, Exchanges: said, Kept: kept}, texts))
		for _, words := range []string{"printed", "asked", "answered"} {
			if !bytes.Contains(encode(t, all), []byte(words)) || bytes.Contains(little, []byte(words)) {
				t.Errorf("%s is in\n%s", words, little)
			}
		}
	}
	if l := all.Leaves(); l.Outputs != 1 || l.Messages != 1 || l.Trials != 1 || l.Revisions != 1 || l.Bytes != 8 ||
		!slices.Equal(l.Files, []LeavingFile{{"a.txt", 8}}) {
		t.Errorf("what leaves is %+v", l)
	}
}
