package draft_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/agent/draft"
	"redline/agent/plan"
)

const ten = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"

// proposed is a plan with two hunks in a, a move of b, a new and a deleted
// file and a command.
func proposed(t *testing.T, files memory) (*plan.Plan, func(plan.Blob) (string, error)) {
	t.Helper()
	d := draft.New(files)
	for _, line := range []string{"edit a|2|two", "edit a|8|eight", "rename b|moved", "edit moved|5|five", "write new|n\n", "delete gone", "run go test"} {
		if err := do(t, d, line); err != nil {
			t.Fatal(err)
		}
	}
	return planOf(t, d, files)
}

func workspaceOf() memory {
	return memory{"a": ten, "b": ten, "gone": "g\n"}
}

// summary describes what a plan's newest revision proposes.
func summary(r *plan.Revision) []string {
	var out []string
	for _, c := range r.Changes {
		row := string(c.Action) + " " + c.Path
		if c.NewPath != "" {
			row += ">" + c.NewPath
		}
		for _, h := range c.Hunks {
			row += " " + h.ID
			if h.Match != "" {
				row += "=" + h.Match
			}
		}
		out = append(out, row+" "+strings.Join(c.Operations, ","))
	}
	var ids []string
	for _, o := range r.Operations {
		ids = append(ids, o.ID)
	}
	return append(out, strings.Join(ids, ","))
}

func TestResume(t *testing.T) {
	for _, test := range []struct {
		name   string
		happen func(*plan.Plan, memory) // after the plan was shown
		do     []string                 // in the rework
		want   []string
		see    memory // what the rework reads
	}{
		{
			name:   "nothing decided",
			happen: func(*plan.Plan, memory) {},
			want: []string{"update a h1=exact h2=exact o1,o2", "rename b>moved h3=exact o3,o4", "create new h4 o5", "delete gone h5 o6",
				"o1,o2,o3,o4,o5,o6,o7"},
			see: memory{"a": "1\ntwo\n3\n4\n5\n6\n7\neight\n9\n", "new": "n\n"},
		},
		{
			name: "rejected parts are left out",
			happen: func(p *plan.Plan, _ memory) {
				for _, id := range []string{"h1", "h4", "h5"} {
					p.Progress.MarkHunk(id, plan.HunkRejected, "")
				}
				p.Progress.MarkFile(1, "b", plan.FileRejected, "")
				p.Progress.MarkCommand("o7", plan.CommandMark{Status: plan.CommandRejected})
			},
			want: []string{"update a h2=exact o1,o2", "update b h6=exact o3,o4", "o1,o2,o3,o4"},
			see:  memory{"a": "1\n2\n3\n4\n5\n6\n7\neight\n9\n", "b": "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"},
		},
		{
			name: "applied parts stay as they are",
			happen: func(p *plan.Plan, files memory) {
				files["a"] = "1\ntwo\n3\n4\n5\n6\n7\n8\n9\n"
				files["new"] = "n\n"
				p.Progress.MarkHunk("h1", plan.HunkApplied, "")
				p.Progress.MarkHunk("h4", plan.HunkApplied, "")
			},
			want: []string{"update a h1=exact h2=exact o1,o2", "rename b>moved h3=exact o3,o4", "create new h4 o5", "delete gone h5 o6",
				"o1,o2,o3,o4,o5,o6,o7"},
			see: memory{"a": "1\ntwo\n3\n4\n5\n6\n7\neight\n9\n"},
		},
		{
			name: "what was applied is the base of further edits",
			happen: func(p *plan.Plan, files memory) {
				files["a"] = "1\ntwo\n3\n4\n5\n6\n7\n8\n9\n"
				files["new"] = "n\n"
				p.Progress.MarkHunk("h1", plan.HunkApplied, "")
				p.Progress.MarkHunk("h4", plan.HunkApplied, "")
			},
			do: []string{"edit a|two|zwei", "write new|m\n"},
			want: []string{"update a h6=exact h2=exact o1,o2,o8", "rename b>moved h3=exact o3,o4", "update new h7 o5,o9", "delete gone h5 o6",
				"o1,o2,o3,o4,o5,o6,o7,o8,o9"},
		},
		{
			name: "an applied move is where the file is",
			happen: func(p *plan.Plan, files memory) {
				files["moved"] = files["b"]
				delete(files, "b")
				p.Progress.MarkFile(1, "b", plan.FileApplied, "")
			},
			want: []string{"update a h1=exact h2=exact o1,o2", "update moved h6=exact o3,o4", "create new h4 o5", "delete gone h5 o6",
				"o1,o2,o3,o4,o5,o6,o7"},
			see: memory{"moved": "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"},
		},
		{
			name: "an applied move of which a hunk failed later",
			happen: func(p *plan.Plan, files memory) {
				files["moved"] = files["b"]
				delete(files, "b")
				p.Progress.MarkFile(1, "b", plan.FileApplied, "")
				p.Progress.MarkFile(1, "b", plan.FileFailed, "the file is locked")
			},
			want: []string{"update a h1=exact h2=exact o1,o2", "update moved h6=exact o3,o4", "create new h4 o5", "delete gone h5 o6",
				"o1,o2,o3,o4,o5,o6,o7"},
		},
		{
			name:   "a stale hunk stays, and is not in the way of a new one",
			happen: func(_ *plan.Plan, files memory) { files["a"] = "1\ntyped\n3\n4\n5\n6\n7\n8\n9\n" },
			want: []string{"update a h1=exact h2=exact o1,o2", "rename b>moved h3=exact o3,o4", "create new h4 o5", "delete gone h5 o6",
				"o1,o2,o3,o4,o5,o6,o7"},
			see: memory{"a": "1\ntyped\n3\n4\n5\n6\n7\neight\n9\n"},
		},
		{
			name:   "a stale hunk is made anew",
			happen: func(_ *plan.Plan, files memory) { files["a"] = "1\ntyped\n3\n4\n5\n6\n7\n8\n9\n" },
			do:     []string{"edit a|typed|two"},
			want: []string{"update a h6=exact h2=exact o1,o2,o8", "rename b>moved h3=exact o3,o4", "create new h4 o5", "delete gone h5 o6",
				"o1,o2,o3,o4,o5,o6,o7,o8"},
		},
		{
			name:   "a move whose target is in use now stays",
			happen: func(_ *plan.Plan, files memory) { files["moved"] = "mine\n" },
			want: []string{"update a h1=exact h2=exact o1,o2", "rename b>moved h3=exact o3,o4", "create new h4 o5", "delete gone h5 o6",
				"o1,o2,o3,o4,o5,o6,o7"},
		},
		{
			name:   "undone by the rework",
			happen: func(*plan.Plan, memory) {},
			do:     []string{"rename moved|b", "edit b|five|5", "delete new", "write gone|g\n", "edit a|two|2", "edit a|eight|8"},
			want:   []string{"o7"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := workspaceOf()
			p, texts := proposed(t, files)
			test.happen(p, files)
			d, err := draft.Resume(files, p, texts)
			if err != nil {
				t.Fatal(err)
			}
			for path, want := range test.see {
				if got, _, err := d.Read(path); got != want || err != nil {
					t.Errorf("%s reads %q (%v), want %q", path, got, err, want)
				}
			}
			for _, line := range test.do {
				if err := do(t, d, line); err != nil {
					t.Fatalf("%s: %v", line, err)
				}
			}
			if diff := cmp.Diff(test.want, summary(next(t, p, d, files))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestResumeKeepsTouchingHunks checks that a rework keeps hunks on adjacent lines, whatever
// was decided on the others, and that its changes next to them are hunks of their own.
func TestResumeKeepsTouchingHunks(t *testing.T) {
	for _, test := range []struct {
		name   string
		status map[string]plan.HunkStatus
		live   string
		do     []string
		want   string
	}{
		{"nothing decided", nil, "1\n2\n3\n4\n5\n", nil, "h1 h2 h3"},
		{"next to them", nil, "1\n2\n3\n4\n5\n", []string{"edit a|5|five"}, "h1 h2 h3 h4"},
		{"one is made anew", nil, "1\n2\n3\n4\n5\n", []string{"edit a|three|drei"}, "h1 h4 h3"},
		{"the middle one rejected", map[string]plan.HunkStatus{"h2": plan.HunkRejected}, "1\n2\n3\n4\n5\n", nil, "h1 h3"},
		{"the middle one rejected, and made anew", map[string]plan.HunkStatus{"h2": plan.HunkRejected}, "1\n2\n3\n4\n5\n", []string{"edit a|3|drei"}, "h1 h4 h3"},
		{"the middle one applied", map[string]plan.HunkStatus{"h2": plan.HunkApplied}, "1\n2\nthree\n4\n5\n", nil, "h1 h2 h3"},
		{"the middle one applied, and more", map[string]plan.HunkStatus{"h2": plan.HunkApplied}, "1\n2\nthree\n4\n5\n", []string{"edit a|5|five"}, "h1 h3 h4"},
		{"the user typed, and more", nil, "0\n1\n2\n3\n4\n5\n", []string{"edit a|5|five"}, "h1 h2 h3 h4"},
		{"the user typed in one, and more", nil, "1\n2\n3 typed\n4\n5\n", []string{"edit a|5|five"}, "h1 h3 h4"},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := memory{"a": "1\n2\n3\n4\n5\n"}
			d := draft.New(files)
			for _, line := range []string{"edit a|2|two", "edit a|3|three", "edit a|4|four"} {
				if err := do(t, d, line); err != nil {
					t.Fatal(err)
				}
			}
			p, texts := planOf(t, d, files)
			for id, status := range test.status {
				p.Progress.MarkHunk(id, status, "")
			}
			files["a"] = test.live
			d, err := draft.Resume(files, p, texts)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range test.do {
				if err := do(t, d, line); err != nil {
					t.Fatal(err)
				}
			}
			var got []string
			for _, h := range next(t, p, d, files).Changes[0].Hunks {
				got = append(got, h.ID)
			}
			if got := strings.Join(got, " "); got != test.want {
				t.Errorf("hunks %s, want %s", got, test.want)
			}
		})
	}
}

func TestResumeFails(t *testing.T) {
	files := workspaceOf()
	p, _ := proposed(t, files)
	lost := errors.New("the text is lost")
	if _, err := draft.Resume(files, p, func(plan.Blob) (string, error) { return "", lost }); !errors.Is(err, lost) {
		t.Errorf("error %v", err)
	}
	if _, err := draft.Resume(files, &plan.Plan{Number: 2}, nil); err == nil {
		t.Error("a plan without a revision was resumed")
	}
}

// TestResumeOfANewFileThatIsThereNow checks that a rework can continue with a file to be
// created although the user has created it meanwhile: then it is a change of that file.
func TestResumeOfANewFileThatIsThereNow(t *testing.T) {
	for _, mine := range []string{"m\n", "mine\n2\n3\n4\n5\n", ""} {
		files := memory{}
		d := draft.New(files)
		if err := do(t, d, "write n|1\n2\n3\n"); err != nil {
			t.Fatal(err)
		}
		p, texts := planOf(t, d, files)
		files["n"] = mine
		d, err := draft.Resume(files, p, texts)
		if err != nil {
			t.Fatal(err)
		}
		if err := do(t, d, "edit n|3|three"); err != nil {
			t.Fatal(err)
		}
		r := next(t, p, d, files)
		c := r.Changes[0]
		got, _ := plan.Reference(kept[c.Base], kept[c.Proposed], c.Hunks, func(string) bool { return true })
		if kept[c.Base] != mine || kept[c.Proposed] != "1\n2\nthree\n" || got != kept[c.Proposed] {
			t.Errorf("over %q: base %q, proposed %q, by its hunks %q", mine, kept[c.Base], kept[c.Proposed], got)
		}
	}
}

// TestResumeOfAMoveWhoseFileIsGone checks that a rework can continue with a file to be
// moved that the user has deleted meanwhile: then it is created.
func TestResumeOfAMoveWhoseFileIsGone(t *testing.T) {
	files := workspaceOf()
	d := draft.New(files)
	for _, line := range []string{"rename b|c", "edit c|5|five"} {
		if err := do(t, d, line); err != nil {
			t.Fatal(err)
		}
	}
	p, texts := planOf(t, d, files)
	delete(files, "b")
	d, err := draft.Resume(files, p, texts)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"edit c|8|eight", "edit c|eight|acht"} {
		if err := do(t, d, line); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"create c h2 o1,o2,o3,o4", "o1,o2,o3,o4"}, summary(next(t, p, d, files))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
