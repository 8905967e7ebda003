package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"redline/agent/agenttest"
	"redline/agent/audit"
	"redline/agent/model"
	"redline/agent/state"
	"redline/agent/view"
	"redline/web"
)

// shown is what the tests read of GET /api/plan.
type shown struct {
	Plan struct {
		State    string
		Revision int
		Hash     string
		Commands []struct{ Status string }
	}
	Editor     web.Editor
	Decision   *web.Pending
	Reply      *web.Reply
	View       web.View
	Seen       int
	SeenFiles  []string
	CanApprove bool
	Why        string
	Ended      bool
}

func (r *review) shown() (s shown) {
	r.t.Helper()
	r.ask("GET", "/api/plan", nil, &s)
	return s
}

// rows writes the rows of a hunk as a diff, with what differs in brackets.
func rows(h web.Hunk) string {
	var b strings.Builder
	for _, row := range h.Rows {
		text := utf16.Encode([]rune(row.Text))
		for _, m := range slices.Backward(row.Marks) {
			text = slices.Concat(text[:m[0]], []uint16{'['}, text[m[0]:m[1]], []uint16{']'}, text[m[1]:])
		}
		b.WriteString(map[string]string{"same": " ", "removed": "-", "added": "+"}[row.Kind] + string(utf16.Decode(text)) + "\n")
	}
	return b.String()
}

// The page draws the changes with the words that differ; what is near is drawn once.
func TestThePlanIsDrawn(t *testing.T) {
	r := begin(t)
	s := r.shown()
	shop := s.View.Files[0]
	if shop.Path != "shop.go" || shop.Added != 2 || len(shop.Hunks) != 2 || !s.CanApprove || s.Plan.Hash != r.plan.Hash {
		t.Fatalf("%+v", s)
	}
	first, second := shop.Hunks[0], shop.Hunks[1]
	if got, want := rows(first), " package shop\n \n-func [Total](a, b int) int { return a + b }\n+func [Add](a, b int) int { return a + b }\n"; got != want {
		t.Errorf("%s", got)
	}
	if got, want := rows(second), " \n-var sum = [Total](1, 2)\n+var sum = [Add](1, 2)\n"; got != want || !second.Joined || first.Joined {
		t.Errorf("%s", got)
	}
	if first.Rows[2].Old != 3 || first.Rows[3].New != 3 || second.At != 5 {
		t.Errorf("%+v", shop)
	}
	var more struct {
		Rows  []web.Row
		Lines int
	}
	r.ask("GET", "/api/context?path=f1&from=1&to=99", nil, &more)
	if len(more.Rows) != 3 || more.Lines != 5 || more.Rows[2].Old != 4 || more.Rows[2].New != 4 {
		t.Errorf("%+v", more)
	}
	r.refused("GET", "/api/context?path=f9&from=1&to=2", nil, 404, "no such file")
	r.refused("GET", "/api/context?path=f1&from=2&to=1", nil, 400, "cannot be read")
}

// A line that is an edit of another one names that one.
func TestEditedLinesSayWhatTheyWere(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "\none apple\ntwo apples\n"})
	s.Model.Stages(agenttest.Edit("a.txt", "one apple\ntwo apples", "new\ntwo apples, three\nother"))
	r := serve(t, s, s.Plan("edit"))
	var from []int
	for _, row := range r.shown().View.Files[0].Hunks[0].Rows {
		if row.Kind == "added" {
			from = append(from, row.From)
		}
	}
	if want := []int{0, 3, 0}; !slices.Equal(from, want) {
		t.Errorf("the added lines were %v, want %v", from, want)
	}
}

// A line that only looks like the one it replaces, since what it hides is written out, is drawn as changed.
func TestHiddenCharactersAreNoTextLikeThem(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "a ⟨U+202E⟩b\n"})
	s.Model.Stages(agenttest.Edit("a.txt", "⟨U+202E⟩", "\u202e"))
	r := serve(t, s, s.Plan("hide"))
	if got, want := rows(r.shown().View.Files[0].Hunks[0]), "-a ⟨U+202E⟩b\n+a ⟨U+202E⟩b\n"; got != want {
		t.Errorf("%s", got)
	}
}

// What a line hides is written out, and counted so by the marks.
func TestHiddenCharactersAreShown(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one of them is two\r\n<b>\n"})
	s.Model.Stages(agenttest.Edit("a.txt", "them is", "🛒 \u202eis"))
	r := serve(t, s, s.Plan("hide"))
	h := r.shown().View.Files[0].Hunks[0]
	if got, want := rows(h), "-one of [them] is two\n+one of [🛒] [⟨U+202E⟩]is two\n <b>\n"; got != want || h.Rows[0].End != "crlf" {
		t.Errorf("%s%+v", got, h)
	}
	_, page := r.send(r.request("GET", "/api/plan", nil))
	if strings.Contains(page, "\u202e") || strings.Contains(page, "<b>") {
		t.Error(page)
	}
	var raw struct{ Text string }
	r.ask("GET", "/api/hunk?id=h1", nil, &raw)
	if raw.Text != "one of 🛒 \u202eis two\r\n" {
		t.Errorf("%q", raw.Text)
	}
}

// Hunks in lines that end with a lone "\r" are drawn as one. What can be decided is what is left of them.
func TestHunksInTheSameLines(t *testing.T) {
	for _, decided := range []string{"h1", "h2"} {
		s := agenttest.New(t, map[string]string{"a.txt": "one\rtwo\rthree\rfour\n"})
		s.Model.Stages(agenttest.Edit("a.txt", "one", "1"), agenttest.Edit("a.txt", "three", "3"))
		r := serve(t, s, s.Plan("figures"))
		if h := r.shown().View.Files[0].Hunks; len(h) != 1 || h[0].ID != "h1" || !slices.Equal(h[0].Also, []string{"h2"}) || h[0].Reason != "" {
			t.Fatalf("%+v", h)
		}
		r.ask("POST", "/api/decide", r.choice(m{"reject": m{"hunks": []string{decided}}}), &struct{}{})
		h := r.shown().View.Files[0].Hunks[0]
		if h.ID == decided || len(h.Also) > 0 || h.Status != "pending" || h.Reason != "1 change in these lines: rejected." {
			t.Errorf("%+v", h)
		}
		r.ask("POST", "/api/decide", r.choice(m{"approve": m{"hunks": append(h.Also, h.ID)}}), &struct{}{})
		if h := r.shown().View.Files[0].Hunks[0]; h.Reason != "1 change in these lines: applied. 1 change in these lines: rejected." {
			t.Errorf("%+v", h)
		}
	}
}

// What a plan moves is marked on both sides, with the place of the other one.
func TestMovedCode(t *testing.T) {
	const sum = "func sum(all []int) (n int) {\n\tfor _, one := range all {\n\t\tn += one\n\t}\n\treturn n\n}\n"
	s := agenttest.New(t, map[string]string{"a.go": "package a\n\n" + sum, "b.go": "package a\n"})
	s.Model.Stages(agenttest.Edit("a.go", "\n"+sum, ""), agenttest.Edit("b.go", "package a\n", "package a\n\n// Sum adds up.\n"+sum))
	r := serve(t, s, s.Plan("move it"))
	all := r.shown().View.Files
	from, to := all[0].Hunks[0], all[1].Hunks[0]
	if len(from.Moved) != 1 || len(to.Moved) != 1 {
		t.Fatalf("%+v %+v", from, to)
	}
	was, is := from.Moved[0], to.Moved[0]
	if was.Path != "b.go" || was.Line != 4 || was.Hunk != to.ID || was.Rows != 6 || from.Rows[was.Row].Old != 3 {
		t.Errorf("%+v", was)
	}
	if is.Path != "a.go" || is.Line != 3 || is.Hunk != from.ID || is.Rows != 6 || to.Rows[is.Row].New != 4 {
		t.Errorf("%+v", is)
	}
}

// A decision says before what it does, does that, and is recorded as one of the page.
func TestADecision(t *testing.T) {
	r := begin(t)
	c := r.choice(m{"approve": m{"hunks": []string{"h1"}}, "reject": m{"hunks": []string{"h2"}, "files": []string{"f2"}}})
	var said struct{ Sentences []string }
	r.ask("POST", "/api/preview-decision", c, &said)
	want := []string{"Changes shop.go: 1 of 2 changes.", "Rejects shop.go: 1 of 2 changes.", "Rejects notes.md: 1 change."}
	if !slices.Equal(said.Sentences, want) {
		t.Errorf("%q", said.Sentences)
	}
	if got := r.Read("shop.go"); got != files["shop.go"] {
		t.Fatal("a preview has changed", got)
	}
	var did struct{ Way string }
	r.ask("POST", "/api/decide", c, &did)
	if got := r.Read("shop.go"); got != strings.Replace(files["shop.go"], "func Total", "func Add", 1) || did.Way != "disk" {
		t.Errorf("%s %+v", got, did)
	}
	if s := r.shown(); !s.Ended || s.Plan.State != "completed" {
		t.Errorf("%+v", s)
	}
	for _, a := range []string{"approved", "rejected"} {
		found := false
		for _, record := range r.audit() {
			found = found || strings.Contains(record, `"event":"`+a+`"`) && strings.Contains(record, `"client":"redline review"`)
		}
		if !found {
			t.Errorf("%s: %s", a, r.audit())
		}
	}
	r.refused("POST", "/api/decide", c, 422, "already")
}

// A decision on another revision, or on lines that have changed since, does nothing.
func TestStaleDecisions(t *testing.T) {
	r := begin(t)
	r.refused("POST", "/api/decide", m{"revision": 1, "approve": m{"plan": true}}, 422, "which revision")
	r.refused("POST", "/api/decide", m{"revision": 2, "hash": r.plan.Hash, "approve": m{"plan": true}}, 409, "changed since")
	r.refused("POST", "/api/decide", r.choice(m{}), 422, "Nothing is decided")
	r.refused("POST", "/api/decide", r.choice(m{"approve": m{"plan": true}, "reject": m{"hunks": []string{"h1"}}}), 422, "at once")
	r.refused("POST", "/api/decide", r.choice(m{"approve": m{"hunks": []string{"h9"}}}), 422, "no hunk h9")
	r.refused("POST", "/api/decide", r.choice(m{"run": []string{"o1"}}), 422, "no command")
	if err := os.WriteFile(r.Dir+"/shop.go", []byte(strings.Replace(files["shop.go"], "Total(a", "Sum(a", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if s := r.shown(); s.View.Files[0].Hunks[0].Status != "stale" {
		t.Errorf("%+v", s.View)
	}
	r.refused("POST", "/api/decide", r.choice(m{"approve": m{"plan": true}}), 409, "cannot be approved as shown")
	if got := r.Read("notes.md"); got != files["notes.md"] {
		t.Error(got)
	}
	r.ask("POST", "/api/decide", r.choice(m{"approve": m{"plan": true}, "skipStale": true}), &struct{}{})
	if got := r.Read("notes.md"); got == files["notes.md"] {
		t.Error(got)
	}
}

// A policy can forbid approvals on the page; a rejection stays possible.
func TestAForbiddenWay(t *testing.T) {
	s := agenttest.New(t, files)
	forbidden := view.Forbidden{view.ByPage: "The policy in P"}
	s.Model.Stages(agenttest.Edit("notes.md", "Nothing yet.", "Total is Add."))
	r := serve(t, s, s.Plan("note it"), func(o *web.Options) { o.Forbidden = forbidden })
	if got := r.shown(); got.CanApprove || !strings.HasPrefix(got.Why, "The policy in P does not allow approval on a page in a browser:") {
		t.Errorf("%+v", got)
	}
}

// An edit of the proposed lines is a revision by the user, and the page shows what has changed since.
func TestAnEditOfProposedLines(t *testing.T) {
	r := begin(t, func(o *web.Options) {
		seen := 0
		o.Seen = func(*state.Plan) int { return seen }
		o.Note = func(p *state.Plan) { seen = p.Revision }
	})
	r.shown()
	edit := m{"revision": 1, "hash": r.plan.Hash, "path": "f1", "hunk": "h1", "text": "func Plus(a, b int) int { return a + b }\n"}
	var made struct{ Revision int }
	r.ask("POST", "/api/edit", edit, &made)
	s := r.shown()
	if made.Revision != 2 || s.Plan.Revision != 2 || s.Seen != 1 {
		t.Fatalf("%+v", s)
	}
	hunks := s.View.Files[0].Hunks
	if !strings.Contains(rows(hunks[0]), "func [Plus]") || !hunks[0].ChangedSince || hunks[1].ChangedSince {
		t.Errorf("%+v", hunks)
	}
	r.refused("POST", "/api/edit", edit, 409, "changed since")
	r.refused("POST", "/api/edit", m{"revision": 2, "hash": s.Plan.Hash, "path": "f2", "hunk": "h2", "text": "x"}, 404, "no such change")
}

// A rework comes as another revision.
func TestARework(t *testing.T) {
	r := begin(t)
	r.Model.Stages(agenttest.Edit("notes.md", "Total is Add.", "Total is now Add."))
	var turn struct{ Turn string }
	r.refused("POST", "/api/rework", m{"revision": 1, "hash": r.plan.Hash, "text": " "}, 422, "what should be different")
	r.ask("POST", "/api/rework", m{"revision": 1, "hash": r.plan.Hash, "text": "say now"}, &turn)
	r.Wait(turn.Turn)
	if s := r.shown(); s.Plan.Revision != 2 {
		t.Errorf("%+v", s)
	}
}

// A rework that makes no revision leaves an answer, which the page shows until there is a revision.
func TestAReworkWithoutARevision(t *testing.T) {
	r := begin(t)
	rework := func(replies ...agenttest.Reply) *web.Reply {
		t.Helper()
		r.Model.Will(replies...)
		var turn struct{ Turn string }
		s := r.shown()
		r.ask("POST", "/api/rework", m{"revision": s.Plan.Revision, "hash": s.Plan.Hash, "text": "why?"}, &turn)
		r.Wait(turn.Turn)
		return r.shown().Reply
	}
	if reply := rework(agenttest.Reply{Text: "It is right as it is."}); reply == nil || reply.State != "done" || reply.Text != "It is right as it is." {
		t.Errorf("%+v", reply)
	}
	if reply := rework(agenttest.Reply{Calls: []model.Call{agenttest.Edit("notes.md", "Total is Add.", "Total is now Add.")}}, agenttest.Reply{Text: "Done."}); reply != nil {
		t.Errorf("there is a revision, and %+v", reply)
	}
}

// Seen marks are those of one revision.
func TestSeenMarks(t *testing.T) {
	r := begin(t)
	r.shown()
	r.ask("POST", "/api/seen", m{"revision": 1, "path": "f2", "seen": true}, &struct{}{})
	if s := r.shown(); !slices.Equal(s.SeenFiles, []string{"f2"}) {
		t.Errorf("%+v", s)
	}
	r.refused("POST", "/api/seen", m{"revision": 2, "path": "f2", "seen": true}, 409, "another revision")
	r.ask("POST", "/api/seen", m{"revision": 1, "path": "f2", "seen": false}, &struct{}{})
	if s := r.shown(); len(s.SeenFiles) > 0 {
		t.Errorf("%+v", s)
	}
}

// The page hears of what happens elsewhere, and of the end of the review.
func TestEvents(t *testing.T) {
	r := begin(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	next := r.listen(ctx)
	if e := next(); e.Kind != "plan" {
		t.Fatalf("%+v", e)
	}
	other := r.Beside(r.Dir)
	defer other.Agent.Close()
	if _, err := other.Agent.Reject(t.Context(), view.Request{Plan: 1, Hash: r.plan.Hash, Hunks: []string{"h1"}}); err != nil {
		t.Fatal(err)
	}
	if e := next(); e.Kind != "plan" || r.shown().View.Files[0].Hunks[0].Status != "rejected" {
		t.Errorf("%+v", e)
	}
	go r.Watch(ctx)
	if _, err := other.Agent.Reject(t.Context(), view.Request{Plan: 1, Hash: r.plan.Hash}); err != nil {
		t.Fatal(err)
	}
	<-r.Ended()
	for {
		e := next()
		if e.Kind == "ended" && e.Text == "3 changes are rejected.\nPlan 1 is cancelled." {
			break
		}
		if e.Kind != "plan" {
			t.Fatalf("%+v", e)
		}
	}
	if s := r.shown(); !s.Ended {
		t.Errorf("%+v", s)
	}
}

// listen reads the stream of events.
func (r *review) listen(ctx context.Context) (next func() event) {
	r.t.Helper()
	got, err := client.Do(r.request("GET", "/api/events", nil).WithContext(ctx))
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { got.Body.Close() })
	lines := bufio.NewScanner(got.Body)
	return func() (e event) {
		r.t.Helper()
		for lines.Scan() {
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
				r.t.Fatal(err)
			}
			if e.Kind != "ping" {
				return e
			}
		}
		r.t.Fatal("the stream has ended", lines.Err())
		return e
	}
}

type event struct{ Kind, Text string }

// audit returns the records of decisions.
func (r *review) audit() (records []string) {
	r.t.Helper()
	if err := r.Store.AuditLog(r.Context(), "", func(e audit.Entry) error {
		records = append(records, e.Record)
		return nil
	}); err != nil {
		r.t.Fatal(err)
	}
	return records
}

// A file that is unsaved in an editor is not changed behind its buffer: the page says where it is
// open, and the plan waits.
func TestNeverBehindABuffer(t *testing.T) {
	s := agenttest.New(t, files)
	s.Agent.Presence.Name("Helix")
	s.Open("notes.md")
	s.Model.Stages(agenttest.Edit("notes.md", "Nothing yet.", "Total is Add."))
	p := s.Plan("note it")
	s.TypeAt("notes.md", "# Notes", "# My ")
	s.Agent.Presence.Publish(false)
	other := s.Beside(s.Dir) // the process of the page
	t.Cleanup(other.Agent.Close)
	r := serve(t, other, p)
	r.refused("POST", "/api/decide", r.choice(m{"approve": m{"plan": true}}), 422, "notes.md has unsaved changes in another editor (Helix, process ")
	if s := r.shown(); s.Ended || s.View.Files[0].Status != "pending" {
		t.Errorf("%+v", s)
	}
}

// What was applied can be taken back while a part of the plan still waits.
func TestUndo(t *testing.T) {
	r := begin(t)
	r.ask("POST", "/api/decide", r.choice(m{"approve": m{"hunks": []string{"h1"}}}), &struct{}{})
	if got := r.Read("shop.go"); got == files["shop.go"] {
		t.Fatal(got)
	}
	r.refused("POST", "/api/undo", m{"revision": 1, "hash": "sha256:0"}, 409, "changed since")
	r.ask("POST", "/api/undo", r.choice(nil), &struct{}{})
	if got := r.Read("shop.go"); got != files["shop.go"] {
		t.Error(got)
	}
	if s := r.shown(); s.Ended || s.View.Files[0].Hunks[0].Status != "pending" {
		t.Errorf("%+v", s)
	}
}
