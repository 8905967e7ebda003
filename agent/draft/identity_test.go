package draft_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"redline/agent/draft"
	"redline/agent/plan"
	"redline/edits"
	_ "redline/internal/seed"
)

// TestEqualHunksAreNotMistaken checks that a hunk that was decided on does not
// become one that does the same elsewhere.
func TestEqualHunksAreNotMistaken(t *testing.T) {
	const base = "a\nfoo\nb\nfoo\nc\nfoo\ntail\n"
	for _, test := range []struct {
		name   string
		status map[string]plan.HunkStatus
		live   string
		do     []string
		want   string
	}{
		{"the first rejected", map[string]plan.HunkStatus{"h1": plan.HunkRejected}, base, []string{"edit a|tail|TAIL"}, "h2 h3 h4"},
		{"the first applied", map[string]plan.HunkStatus{"h1": plan.HunkApplied}, "a\nbar\nb\nfoo\nc\nfoo\ntail\n", []string{"edit a|tail|TAIL"}, "h2 h3 h4"},
		{"the first rejected, and nothing more", map[string]plan.HunkStatus{"h1": plan.HunkRejected}, base, nil, "h2 h3"},
		{"the first rejected, and made again", map[string]plan.HunkStatus{"h1": plan.HunkRejected}, base, []string{"edit a|a\nfoo|a\nbar"}, "h4 h2 h3"},
		{"the first two decided", map[string]plan.HunkStatus{"h1": plan.HunkApplied, "h2": plan.HunkRejected}, "a\nbar\nb\nfoo\nc\nfoo\ntail\n",
			[]string{"edit a|tail|TAIL"}, "h3 h4"},
		{"one taken back and made again", nil, base, []string{"edit a|b\nbar|b\nfoo", "edit a|b\nfoo|b\nbar"}, "h1 h4 h3"},
		{"the user has made the first", nil, "a\nbar\nb\nfoo\nc\nfoo\ntail\n", []string{"edit a|tail|TAIL"}, "h2 h3 h4"},
		{"written as a whole", nil, base, []string{"write a|a\nbar\nb\nbar\nc\nfoo\ntail\n"}, "h4 h5"},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := memory{"a": base}
			d := draft.New(files)
			if _, err := d.Edit("a", "foo", "bar", true, op("edit_file")); err != nil {
				t.Fatal(err)
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

// TestWhatIsLeftMayAddUpToNothing checks that a file that a rework does not touch keeps its
// hunks even if, with one rejected, the others would lead to the same text as before: each
// can still be decided on.
func TestWhatIsLeftMayAddUpToNothing(t *testing.T) {
	files := memory{"a": "x\nx\nx\n"}
	d := draft.New(files)
	for _, e := range []edits.Edit{{Span: edits.Span{End: 2}}, {Span: edits.Span{Start: 2, End: 2}, New: "x\n"}, {Span: edits.Span{Start: 4, End: 6}, New: "y\n"}} {
		if _, err := d.Splice("a", e, op("text_editor")); err != nil {
			t.Fatal(err)
		}
	}
	p, texts := planOf(t, d, files)
	if got := summary(p.Latest())[0]; got != "update a h1=line h2=line h3=line o1,o2,o3" {
		t.Fatal(got)
	}
	p.Progress.MarkHunk("h3", plan.HunkRejected, "")
	d, err := draft.Resume(files, p, texts)
	if err != nil {
		t.Fatal(err)
	}
	if got := summary(next(t, p, d, files))[0]; got != "update a h1=line h2=line o1,o2,o3" {
		t.Error(got)
	}
}

// change makes random calls on the lines of a and b, of which many are equal;
// the first one stays.
func change(t *rapid.T, d *draft.Draft, what string) (done int) {
	for range rapid.IntRange(0, 4).Draw(t, what) {
		path := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "path")
		text, exists, err := d.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		if !exists {
			continue
		}
		switch rapid.SampledFrom([]string{"lines", "lines", "lines", "all", "write"}).Draw(t, "call") {
		case "lines":
			l := edits.NewLines(text)
			from := rapid.IntRange(1, l.Count()-1).Draw(t, "from")
			to := min(from+rapid.IntRange(0, 2).Draw(t, "count"), l.Count()-1)
			e := edits.Edit{
				Span: edits.Span{Start: l.Line(from).Start, End: l.Line(to).Start},
				New:  rapid.SampledFrom([]string{"", "x\n", "y\n", "x\ny\n"}).Draw(t, "new"),
			}
			_, err = d.Splice(path, e, op("text_editor"))
		case "all":
			_, err = d.Edit(path, "x", "y", true, op("edit_file"))
		case "write":
			_, err = d.Write(path, rapid.SampledFrom([]string{"top\nx\ny\nx\n", "top\ny\n"}).Draw(t, "text"), op("write_file"))
		}
		if err == nil { // a refusal is fine: nothing is staged
			done++
		}
	}
	return done
}

// TestOnlyWhatStayedKeepsItsID checks that after any decisions and any rework, a
// hunk with an id of the revision before does the same at the same place, that
// nothing becomes a hunk that was rejected, and that one that was applied stays
// only together with its base.
func TestOnlyWhatStayedKeepsItsID(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"x\n", "x\n", "y\n", "z\n"})
		files := memory{}
		for _, path := range []string{"a", "b"} {
			files[path] = "top\n" + strings.Join(rapid.SliceOfN(line, 0, 10).Draw(t, path), "")
		}
		d := draft.New(files)
		change(t, d, "calls")
		p, texts := planOf(t, d, files)
		first, last := p.Latest(), p.NextHunk
		checkMakers(t, first)

		shift := map[string]func(plan.Hunk) int{} // by path: the distance of a hunk from its place in the base
		var left []string                         // hunks that were not rejected
		for i := range first.Changes {
			c := &first.Changes[i]
			applied := map[string]bool{}
			for _, h := range c.Hunks {
				status := rapid.SampledFrom([]plan.HunkStatus{plan.HunkPending, plan.HunkApplied, plan.HunkRejected}).Draw(t, h.ID)
				if status != plan.HunkPending {
					p.Progress.MarkHunk(h.ID, status, "")
				}
				if applied[h.ID] = status == plan.HunkApplied; status != plan.HunkRejected {
					left = append(left, h.ID)
				}
			}
			joined, _ := plan.Reference(kept[c.Base], kept[c.Proposed], c.Hunks, func(id string) bool { return applied[id] })
			typed := rapid.SampledFrom([]string{"", "typed\n"}).Draw(t, "typed")
			files[c.Path] = typed + joined
			shift[c.Path] = func(h plan.Hunk) int {
				n := len(typed)
				for _, before := range c.Hunks {
					if before.ID == h.ID {
						break
					}
					if applied[before.ID] {
						n += before.New.Len() - before.Old.Len()
					}
				}
				return n
			}
		}

		d, err := draft.Resume(files, p, texts)
		if err != nil {
			t.Fatal(err)
		}
		reworked := change(t, d, "rework")
		second := next(t, p, d, files)
		checkMakers(t, second)
		var ids []string
		for _, c := range second.Changes {
			for _, h := range c.Hunks {
				ids = append(ids, h.ID)
				was, old, ok := first.Hunk(h.ID)
				if !ok {
					if n, err := strconv.Atoi(h.ID[1:]); err != nil || n <= last {
						t.Fatalf("%s is not new, and not of the revision before", h.ID)
					}
					continue
				}
				before, after := [2]string{kept[was.Base][old.Old.Start:old.Old.End], kept[was.Proposed][old.New.Start:old.New.End]},
					[2]string{kept[c.Base][h.Old.Start:h.Old.End], kept[c.Proposed][h.New.Start:h.New.End]}
				if before != after || was.Path != c.Path {
					t.Fatalf("%s was %q in %s and is %q in %s", h.ID, before, was.Path, after, c.Path)
				}
				same := was.Base == c.Base && old.Old == h.Old
				if want := old.Old.Start + shift[c.Path](*old); !same && h.Old.Start != want {
					t.Fatalf("%s is at %v, was at %v in %q: want it at %d in %q", h.ID, h.Old, old.Old, kept[was.Base], want, kept[c.Base])
				}
				if status := p.Progress.Hunk(h.ID).Status; status == plan.HunkRejected || status == plan.HunkApplied && !same {
					t.Fatalf("%s was %s and is there again, in %q", h.ID, status, kept[c.Base])
				}
			}
		}
		if reworked == 0 && !slices.Equal(ids, left) {
			t.Fatalf("without a rework the hunks are %v, want %v", ids, left)
		}
	})
}

// checkMakers checks that each hunk, and each move, was made by operations of its change.
func checkMakers(t *rapid.T, r *plan.Revision) {
	for i := range r.Changes {
		c := &r.Changes[i]
		for j := range c.Hunks {
			makers := c.MakersOf(&c.Hunks[j])
			if len(makers) == 0 || slices.ContainsFunc(makers, func(id string) bool { return !slices.Contains(c.Operations, id) }) {
				t.Fatalf("%s was made by %v, its change by %v", c.Hunks[j].ID, makers, c.Operations)
			}
		}
		if c.Action == plan.Rename && len(c.Movers()) == 0 {
			t.Fatalf("nothing has moved %s", c.Path)
		}
	}
}

// TestMakers checks which operations made each hunk, in the first revision and after a
// rework.
func TestMakers(t *testing.T) {
	for _, test := range []struct {
		name   string
		do     []string
		rework []string
		want   []string
	}{
		{"two calls", []string{"edit a|2|two", "edit a|8|eight"}, nil, []string{"a h1:o1 h2:o2"}},
		{"on one line", []string{"edit a|2|two", "edit a|8|eight", "edit a|two|zwei"}, nil, []string{"a h1:o1,o3 h2:o2"}},
		{"two insertions at one place", []string{"edit a|2\n|2\nx\n", "edit a|x\n|x\ny\n", "edit a|8|eight"}, nil, []string{"a h1:o1,o2 h2:o3"}},
		{"written, then edited", []string{"edit a|2|two", "write a|1\n2\n3\n4\n5\n6\n7\n8\nnine\n", "edit a|5|five"}, nil, []string{"a h1:o3 h2:o2"}},
		{"a new file", []string{"write n|x\n", "edit n|x|y"}, nil, []string{"n h1:o1,o2"}},
		{"a move", []string{"edit b|5|five", "rename b|c", "edit c|8|eight"}, nil, []string{"b>c:o2 h1:o1 h2:o3"}},
		{"two moves", []string{"rename b|c", "edit c|5|five", "rename c|d"}, nil, []string{"b>d:o1,o3 h1:o2"}},
		{"reworked elsewhere", []string{"edit a|2|two", "edit a|8|eight", "rename b|c", "edit c|5|five"}, []string{"run make"},
			[]string{"a h1:o1 h2:o2", "b>c:o3 h3:o4"}},
		{"reworked", []string{"edit a|2|two", "edit a|8|eight"}, []string{"edit a|two|zwei", "edit a|5|five"}, []string{"a h3:o1,o3 h4:o4 h2:o2"}},
		{"moved in a rework", []string{"edit a|2|two"}, []string{"rename a|z", "edit z|8|eight"}, []string{"a>z:o2 h2:o1 h3:o3"}},
		{"edited in a rework", []string{"rename b|c", "edit c|5|five"}, []string{"edit c|8|eight"}, []string{"b>c:o1 h1:o2 h2:o3"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := workspaceOf()
			d := draft.New(files)
			for _, line := range test.do {
				if err := do(t, d, line); err != nil {
					t.Fatal(err)
				}
			}
			p, texts := planOf(t, d, files)
			if test.rework != nil {
				d, err := draft.Resume(files, p, texts)
				if err != nil {
					t.Fatal(err)
				}
				for _, line := range test.rework {
					if err := do(t, d, line); err != nil {
						t.Fatal(err)
					}
				}
				next(t, p, d, files)
			}
			var got []string
			r := p.Latest()
			for i := range r.Changes {
				c := &r.Changes[i]
				row := c.Path
				if c.NewPath != "" {
					row += ">" + c.NewPath + ":" + strings.Join(c.Movers(), ",")
				}
				for j := range c.Hunks {
					row += fmt.Sprintf(" %s:%s", c.Hunks[j].ID, strings.Join(c.MakersOf(&c.Hunks[j]), ","))
				}
				got = append(got, row)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestNamedAgain checks that operations get ids from another number when a revision is
// stored at the second attempt, and those that had ids keep them.
func TestNamedAgain(t *testing.T) {
	files := workspaceOf()
	d := draft.New(files)
	if err := do(t, d, "edit a|2|two"); err != nil {
		t.Fatal(err)
	}
	p, texts := planOf(t, d, files)
	d, err := draft.Resume(files, p, texts)
	if err != nil {
		t.Fatal(err)
	}
	if err := do(t, d, "edit a|8|eight"); err != nil {
		t.Fatal(err)
	}
	s, err := d.Seal(files.live)
	if err != nil {
		t.Fatal(err)
	}
	for _, last := range []int{1, 7} {
		if got := s.Name(last); got != last+1 {
			t.Errorf("after %d the last one is %d", last, got)
		}
		want := []string{"o1", fmt.Sprintf("o%d", last+1)}
		if got := s.Changes[0].Operations; !slices.Equal(got, want) {
			t.Errorf("after %d the operations are %v, want %v", last, got, want)
		}
	}
}
