package lsp

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redline/agent"
	"redline/agent/state"
	"redline/edits"
	"redline/lsp/apply"
	"redline/lsp/command"
	"redline/lsp/lsptest"
)

// inReview starts an editor that has a review, with a plan of two hunks in one file, a
// creation, a move with an edit, and a deletion.
func inReview(t *testing.T, set ...func(*agent.Options)) *connected {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"a.txt": twoFruits, "old.txt": "an apple\n", "gone.txt": "gone\n"} {
		write(t, filepath.Join(dir, name), text)
	}
	c := connectTo(t, lsptest.VSCodeLike(), dir, Options{NewAgent: builtinAgent(t, set...)})
	c.must(c.Open("a.txt"))
	c.plan(`replace "apple" with "pear" then create new/d.txt with "hello" then delete gone.txt then move old.txt to moved.txt`)
	return c
}

// letThrough makes the user tick the proposals whose "PATH DESCRIPTION" matches.
func (c *connected) letThrough(ok func(string) bool) {
	c.OnReview(func(all []lsptest.Proposal) []bool {
		var ticked []bool
		for _, p := range all {
			ticked = append(ticked, ok(p.Path+" "+p.Description))
		}
		return ticked
	})
}

func anything(string) bool { return true }

// Every change is a separate proposal that says what it does.
func TestReviewShowsEveryChange(t *testing.T) {
	c := inReview(t)
	var got []string
	c.OnReview(func(all []lsptest.Proposal) []bool {
		for _, p := range all {
			got = append(got, p.Kind+" | "+p.Label+" | "+p.Description)
		}
		return nil
	})
	if _, err := c.decide(command.Review, 1); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"edit | Redline plan 1: a.txt | h1 +1 −1",
		"edit | Redline plan 1: a.txt | h2 +1 −1",
		"edit | Redline plan 1: old.txt | h3 +1 −1",
		"rename | Redline plan 1: old.txt | move the file to moved.txt",
		"create | Redline plan 1: new/d.txt | h4 create the file +1 −0",
		"edit | Redline plan 1: new/d.txt | h4 its text +1 −0",
		"delete | Redline plan 1: gone.txt | h5 delete the file +0 −1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(c.dir, "new")); err == nil {
		t.Error("a folder was made before the user let anything through")
	}
	c.await(lsptest.MessageContains("you accepted no change in the review"))
	for _, f := range c.planState().Files {
		if f.Status != "pending" || f.Reason != "" {
			t.Errorf("%s is %s (%s) after the review was dismissed", f.Path, f.Status, f.Reason)
		}
	}
	c.wantFile("a.txt", twoFruits)
}

// planState returns plan 1 from redline.state.
func (c *connected) planState() state.Plan {
	c.t.Helper()
	raw, err := c.Execute(c.ctx, command.State, map[string]any{"all": true})
	c.must(err)
	var s state.State
	c.must(json.Unmarshal(raw, &s))
	return s.Plans[0]
}

func TestReviewOfEverything(t *testing.T) {
	c := inReview(t)
	c.letThrough(anything)
	r, err := c.decide(command.Review, 1)
	c.must(err)
	if r.State != "completed" {
		t.Errorf("the plan is %s: %+v", r.State, r.Files)
	}
	c.wantFile("a.txt", strings.ReplaceAll(twoFruits, "apple", "pear"))
	c.wantFile("moved.txt", "an pear\n")
	if _, err := c.decide(command.Undo, 1); err != nil {
		t.Fatal(err)
	}
	c.wantFile("a.txt", twoFruits)
	c.wantFile("old.txt", "an apple\n")
}

// Only the ticked proposals are applied; the rest can be decided later.
func TestReviewInPart(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		tick    string // the user ticks the proposals that contain this
		status  map[string]string
		applied []string // hunks
		files   map[string]string
	}{
		"one hunk": {"h2 +1", map[string]string{"a.txt": "pending", "old.txt": "pending", "new/d.txt": "pending", "gone.txt": "pending"},
			[]string{"h2"}, map[string]string{"a.txt": "one apple\ntwo\nthree\nfour 😀 pear\nfive\n", "old.txt": "an apple\n", "gone.txt": "gone\n"}},
		"a move without its edit": {"move the file", map[string]string{"a.txt": "pending", "old.txt": "pending"},
			nil, map[string]string{"moved.txt": "an apple\n", "old.txt": ""}},
		"an edit without its move": {"h3 +1", map[string]string{"old.txt": "pending"},
			[]string{"h3"}, map[string]string{"old.txt": "an pear\n", "moved.txt": ""}},
		"a deletion": {"delete", map[string]string{"gone.txt": "applied", "a.txt": "pending"},
			[]string{"h5"}, map[string]string{"gone.txt": "", "a.txt": twoFruits}},
		"a creation":                  {"h4", map[string]string{"new/d.txt": "applied"}, []string{"h4"}, map[string]string{"new/d.txt": "hello\n"}},
		"a creation without its text": {"create the file", map[string]string{"new/d.txt": "stale"}, nil, map[string]string{"a.txt": twoFruits}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := inReview(t)
			c.letThrough(func(what string) bool { return strings.Contains(what, x.tick) })
			r, err := c.decide(command.Review, 1)
			c.must(err)
			if r.State == "completed" || r.State == "failed" {
				t.Errorf("the plan is %s", r.State)
			}
			var applied []string
			for _, f := range c.planState().Files {
				if want, ok := x.status[f.Path]; ok && f.Status != want {
					t.Errorf("%s is %s (%s), want %s", f.Path, f.Status, f.Reason, want)
				}
				for _, h := range f.Hunks {
					if h.Status == "applied" {
						applied = append(applied, h.ID)
					}
				}
			}
			if !slices.Equal(applied, x.applied) {
				t.Errorf("applied are %v, want %v", applied, x.applied)
			}
			for path, want := range x.files {
				if got := strings.TrimSuffix(c.Text(path), "\n"); got != strings.TrimSuffix(want, "\n") {
					t.Errorf("%s is %q, want %q", path, got, want)
				}
			}
			if name == "a creation without its text" {
				c.await(lsptest.MessageContains("new/d.txt: a file of the name new/d.txt exists now"))
				return
			}
			if r, err := c.approve(); err != nil || r.State != "completed" {
				t.Errorf("after the rest was approved: %+v, %v", r, err)
			}
			c.wantFile("moved.txt", "an pear\n")
			c.wantFile("a.txt", strings.ReplaceAll(twoFruits, "apple", "pear"))
		})
	}
}

// During a long review the command is answered, and no other decision on the plan is
// accepted.
func TestReviewThatTakesLong(t *testing.T) {
	t.Parallel()
	c := inReview(t, func(o *agent.Options) { o.AnswerWithin = time.Millisecond })
	finish := make(chan struct{})
	c.OnReview(func([]lsptest.Proposal) []bool {
		<-finish
		return []bool{true}
	})
	r, err := c.decide(command.Review, 1)
	c.must(err)
	if r.State != "executing" || r.Files[0].Status != "applying" {
		t.Errorf("%+v, want executing", r)
	}
	_, err = c.approve()
	if refusal, ok := errors.AsType[*lsptest.Refusal](err); !ok || refusal.Kind != "busy" {
		t.Errorf("got %v, want busy", err)
	}
	close(finish)
	c.await(lsptest.MessageContains("plan 1: 1 change in 1 file applied. 4 changes not accepted: still pending."))
	if p := c.planState(); p.State != "reviewing" {
		t.Errorf("the plan is %s", p.State)
	}
}

// The user types while the review is open: the editor drops the review, and the plan is
// unchanged.
func TestTypingDuringReview(t *testing.T) {
	c := inReview(t)
	c.OnReview(func(all []lsptest.Proposal) []bool {
		c.must(c.Insert("a.txt", 0, 0, "typed\n"))
		return slices.Repeat([]bool{true}, len(all))
	})
	r, err := c.decide(command.Review, 1)
	c.must(err)
	if r.State != "awaiting_approval" {
		t.Errorf("the plan is %s", r.State)
	}
	c.wantFile("a.txt", "typed\n"+twoFruits)
	if r, err := c.approve(); err != nil || r.State != "completed" {
		t.Errorf("%+v, %v", r, err)
	}
}

// Only an editor that is known to have a review gets one, unless the setting says
// otherwise.
func TestReviewOnlyWhereItIsShown(t *testing.T) {
	for name, x := range map[string]struct {
		profile lsptest.Profile
		setting string
		ok      bool
	}{
		"vscode":         {lsptest.VSCodeLike(), "", true},
		"vscode, never":  {lsptest.VSCodeLike(), "never", false},
		"neovim 0.12":    {lsptest.Neovim12Like(), "auto", false},
		"helix":          {lsptest.HelixLike(), "", false},
		"honest":         {lsptest.Honest(), "", false},
		"helix, always ": {lsptest.HelixLike(), "always", true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "a.txt"), twoFruits)
			c := connectTo(t, x.profile, dir, Options{NewAgent: builtinAgent(t), Review: x.setting})
			c.must(c.Open("a.txt"))
			c.plan(`replace "apple" with "pear"`)
			c.letThrough(anything)
			_, offered := c.ActionTitled(c.ctx, "a.txt", 0, "review plan 1 in the editor")
			if (offered == nil) != x.ok {
				t.Errorf("the action: %v", offered)
			}
			r, err := c.decide(command.Review, 1)
			if !x.ok {
				if refusal, ok := errors.AsType[*lsptest.Refusal](err); !ok || refusal.Kind != "not_allowed" {
					t.Errorf("got %v, want not_allowed", err)
				}
				c.wantFile("a.txt", twoFruits)
				return
			}
			if err != nil || r.State != "completed" {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

// The plan as an edit, for every client: changes that it cannot express are named, and
// nothing is sent.
func TestShowEdit(t *testing.T) {
	for _, profile := range everyClient {
		t.Run(profile.Name, func(t *testing.T) {
			c := connect(t, profile, map[string]string{"a.txt": twoFruits, "gone.txt": "gone\n"})
			c.must(c.Open("a.txt"))
			c.plan(`replace "apple" with "pear" then create new/d.txt with "hello" then delete gone.txt`)
			c.must(c.Insert("a.txt", 0, 1, "x")) // h1 is stale now
			raw, err := c.Execute(c.ctx, command.Show, map[string]any{"plan": 1, "view": "edit"})
			c.must(err)
			var shown struct {
				Edit    lsptest.WorkspaceEdit
				Stale   []string
				Omitted []struct{ Path, Reason string }
			}
			c.must(json.Unmarshal(raw, &shown))
			if !slices.Equal(shown.Stale, []string{"h1"}) {
				t.Errorf("stale are %v", shown.Stale)
			}
			wantOmitted := 0
			if !profile.FileOperations {
				wantOmitted = 2
			}
			if len(shown.Omitted) != wantOmitted {
				t.Errorf("omitted are %+v, want %d", shown.Omitted, wantOmitted)
			}
			if n := c.Applied(); n != 0 {
				t.Errorf("%d edits were sent", n)
			}
			if _, err := os.Stat(filepath.Join(c.dir, "new")); err == nil {
				t.Error("a folder was made")
			}
			if p := c.planState(); p.State != "awaiting_approval" {
				t.Errorf("the plan is %s", p.State)
			}
			// The user may let the editor apply it.
			if _, err := c.RunAction(c.ctx, lsptest.Action{Title: "the edit", Edit: editOf(t, raw)}); err != nil && !profile.CreateNeedsDir {
				t.Fatal(err)
			}
			c.wantFile("a.txt", "oxne apple\ntwo\nthree\nfour 😀 pear\nfive\n")
		})
	}
}

func editOf(t *testing.T, raw json.RawMessage) json.RawMessage {
	t.Helper()
	var shown struct{ Edit json.RawMessage }
	if err := json.Unmarshal(raw, &shown); err != nil {
		t.Fatal(err)
	}
	return shown.Edit
}

// The editor never answers a review: its files stay in the state applying, and the text
// settles them later.
func TestReviewWithoutAnAnswer(t *testing.T) {
	profile := lsptest.VSCodeLike()
	profile.Unanswered = []string{"workspace/applyEdit"}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.txt"), twoFruits)
	c := connectTo(t, profile, dir, Options{NewAgent: builtinAgent(t), Timeouts: Timeouts{Apply: apply.Timeouts{Review: 50 * time.Millisecond, Hidden: time.Millisecond}}})
	c.must(c.Open("a.txt"))
	c.plan(`replace "apple" with "pear"`)
	r, err := c.decide(command.Review, 1)
	c.must(err)
	if r.State != "executing" || r.Files[0].Status != "applying" {
		t.Fatalf("%+v, want executing", r)
	}
	c.must(c.Replace("a.txt", "one apple", "one pear"))
	c.must(c.Replace("a.txt", "😀 apple", "😀 pear"))
	c.await(lsptest.MessageContains("plan 1: 2 changes in 1 file applied"))
}

// A new file whose line ends or byte order mark the editor would change is left out of its
// review, and can be approved by itself.
func TestReviewLeavesOutWhatItCannotKeep(t *testing.T) {
	c := connect(t, lsptest.VSCodeLike(), nil)
	c.plan("create dos.txt with \"one\r\n\" then create mark.txt with \"" + edits.BOM + "one\n\" then create plain.txt with \"one\"")
	c.OnReview(func(all []lsptest.Proposal) []bool { return slices.Repeat([]bool{true}, len(all)) })
	if _, err := c.decide(command.Review, 1); err != nil {
		t.Fatal(err)
	}
	for _, f := range c.planState().Files {
		want, why := "pending", "approve it on its own"
		if f.Path == "plain.txt" {
			want, why = "applied", ""
		}
		if f.Status != want || !strings.Contains(f.Reason, why) {
			t.Errorf("%s is %s: %s", f.Path, f.Status, f.Reason)
		}
	}
	c.must(c.SaveAll())
	if _, err := c.approve(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"dos.txt": "one\r\n", "mark.txt": edits.BOM + "one\n", "plain.txt": "one"} {
		if got := c.onDisk(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
