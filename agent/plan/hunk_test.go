package plan

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"redline/edits"
)

// texts is a store of texts for the tests.
type texts map[Blob]string

func (t texts) get(b Blob) string { return t[b] }

func (t texts) change(path string, action Action, base, proposed string) Change {
	t[BlobOf(base)], t[BlobOf(proposed)] = base, proposed
	return Change{
		Path: path, Action: action, Base: BlobOf(base), Proposed: BlobOf(proposed), BaseExists: action != Create,
		Hunks: Hunks(action, base, proposed, nil),
	}
}

func ids(r *Revision) string {
	var all []string
	for _, c := range r.Changes {
		for _, h := range c.Hunks {
			all = append(all, h.ID)
		}
	}
	return strings.Join(all, " ")
}

func TestWholeFilesAreOneHunk(t *testing.T) {
	for _, tt := range []struct {
		action         Action
		base, proposed string
		added, removed int
	}{
		{Create, "", "one\ntwo\n", 2, 0},
		{Create, "", "", 0, 0},
		{Delete, "one\ntwo", "", 0, 2},
		{Delete, "", "", 0, 0},
	} {
		hunks := Hunks(tt.action, tt.base, tt.proposed, nil)
		if len(hunks) != 1 {
			t.Fatalf("%s of %q: %d hunks", tt.action, tt.base+tt.proposed, len(hunks))
		}
		h := hunks[0]
		if h.Old != (edits.Span{End: len(tt.base)}) || h.New != (edits.Span{End: len(tt.proposed)}) || h.Added != tt.added || h.Removed != tt.removed {
			t.Errorf("%s of %q: %+v", tt.action, tt.base+tt.proposed, h)
		}
	}
	if hunks := Hunks(Rename, "same\n", "same\n", nil); len(hunks) != 0 {
		t.Errorf("rename: %+v", hunks)
	}
}

func TestHunksKeepTheirIDs(t *testing.T) {
	p, s := &Plan{Number: 1}, texts{}
	base := "1\n2\n3\n4\n5\n6\n7\n"
	first := p.Add(Revision{Changes: []Change{
		s.change("a", Update, base, "1\nX\n3\n4\n5\nY\n7\n"),
		s.change("b", Update, base, "1\nX\n3\n4\n5\n6\n7\n"),
	}}, s.get)
	if got := ids(first); got != "h1 h2 h3" {
		t.Fatalf("first: %s", got)
	}
	// The second hunk of a stays, although lines moved; its first changes; b goes, c is new.
	second := p.Add(Revision{Changes: []Change{
		as(s.change("a", Update, base, "1\nX\nX\n3\n4\n5\nY\n7\n"), "h1", "h2"),
		s.change("c", Create, "", "new\n"),
	}}, s.get)
	if got := ids(second); got != "h4 h2 h5" {
		t.Fatalf("second: %s", got)
	}
	// A hunk that returns after it was gone is a new one.
	third := p.Add(Revision{Changes: []Change{s.change("b", Update, base, "1\nX\n3\n4\n5\n6\n7\n")}}, s.get)
	if got := ids(third); got != "h6" {
		t.Fatalf("third: %s", got)
	}
	// A revision made from an older one continues with the older one's hunks.
	fourth := p.Add(Revision{Parent: 1, Changes: p.Revisions[0].Changes}, s.get)
	if got := ids(fourth); got != "h1 h2 h3" {
		t.Fatalf("fourth: %s", got)
	}
	if p.Current != 4 || fourth.Number != 4 || fourth.Parent != 1 || p.Revisions[2].Parent != 2 {
		t.Errorf("numbers: current %d, fourth %d from %d, third from %d", p.Current, fourth.Number, fourth.Parent, p.Revisions[2].Parent)
	}
}

// as gives the hunks of a change the ids that they come with.
func as(c Change, ids ...string) Change {
	for i, id := range ids {
		c.Hunks[i].ID = id
	}
	return c
}

// Only the maker of a revision knows which of several equal hunks is which. A hunk
// without an id is a new one, however much it looks like an old one, and a hunk that does
// something else loses its id.
func TestOnlyAHunkThatIsSaidToBeAnotherIsThatOne(t *testing.T) {
	const base, proposed = "a\n-\nb\n-\nc\n-\nd\n", "a\n+\nb\n+\nc\n+\nd\n"
	for _, tt := range []struct {
		name     string
		path     string
		action   Action
		proposed string
		come     []string
		want     string
	}{
		{"all", "f", Update, proposed, []string{"h1", "h2", "h3"}, "h1 h2 h3"},
		{"none", "f", Update, proposed, nil, "h4 h5 h6"},
		{"the second only", "f", Update, "a\n-\nb\n+\nc\n-\nd\n", []string{"h2"}, "h2"},
		{"the second, and a new one after it", "f", Update, "a\n-\nb\n+\nc\n+\nd\n", []string{"h2", ""}, "h2 h4"},
		{"one twice", "f", Update, proposed, []string{"h1", "h1", "h3"}, "h1 h4 h3"},
		{"one that there was not", "f", Update, proposed, []string{"h9", "h2", "h3"}, "h4 h2 h3"},
		{"another change", "f", Update, "a\n+\nb\n*\nc\n+\nd\n", []string{"h1", "h2", "h3"}, "h1 h4 h3"},
		{"another file", "g", Update, proposed, []string{"h1", "h2", "h3"}, "h4 h5 h6"},
		{"another action", "f", Rename, proposed, []string{"h1", "h2", "h3"}, "h4 h5 h6"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, s := &Plan{Number: 1}, texts{}
			p.Add(Revision{Changes: []Change{s.change("f", Update, base, proposed)}}, s.get)
			r := p.Add(Revision{Changes: []Change{as(s.change(tt.path, tt.action, base, tt.proposed), tt.come...)}}, s.get)
			if got := ids(r); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// Without its texts a hunk cannot be recognized: it must not inherit the decisions on
// another.
func TestHunkWithoutTextIsNew(t *testing.T) {
	p, s := &Plan{Number: 1}, texts{}
	change := s.change("f", Update, "a\n", "b\n")
	p.Add(Revision{Changes: []Change{change}}, s.get)
	r := p.Add(Revision{Changes: []Change{as(change, "h1")}}, func(Blob) string { return "" })
	if got := ids(r); got != "h2" {
		t.Errorf("got %s", got)
	}
}

// lines draws a text of few different lines, so that pieces repeat.
func lines(t *rapid.T, name string) string {
	parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "c\r\n", "é\n", "\n"}), 0, 12).Draw(t, name)
	return strings.Join(parts, "") + rapid.SampledFrom([]string{"", "end"}).Draw(t, name+" end")
}

func TestIDsAreUniqueAndNeverUsedAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, s := &Plan{Number: 1}, texts{}
		highest := 0
		for range rapid.IntRange(1, 5).Draw(t, "revisions") {
			var changes []Change
			for _, path := range []string{"f", "g"} {
				base, proposed := lines(t, path+" base"), lines(t, path+" proposed")
				changes = append(changes, s.change(path, Update, base, proposed))
			}
			before := strings.Fields(idsOf(p.Latest()))
			for _, c := range changes {
				for j := range c.Hunks {
					c.Hunks[j].ID = rapid.SampledFrom(append(before, "", "h1")).Draw(t, "id")
				}
			}
			r := p.Add(Revision{Changes: changes}, s.get)
			seen := map[string]bool{}
			for _, id := range strings.Fields(ids(r)) {
				if seen[id] {
					t.Fatalf("%s twice in one revision: %s", id, ids(r))
				}
				seen[id] = true
				n, err := strconv.Atoi(id[1:])
				if err != nil {
					t.Fatal(err)
				}
				if n <= highest && !slices.Contains(before, id) {
					t.Fatalf("%s is used again: the revision before has %v", id, before)
				}
			}
			highest = p.NextHunk
		}
	})
}

func idsOf(r *Revision) string {
	if r == nil {
		return ""
	}
	return ids(r)
}

func TestReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, proposed := lines(t, "base"), lines(t, "proposed")
		hunks := Hunks(Update, base, proposed, nil)
		applied := map[string]bool{}
		for i := range hunks {
			hunks[i].ID = strconv.Itoa(i)
			applied[hunks[i].ID] = rapid.Bool().Draw(t, "applied")
		}
		with := func(f func(id string) bool) string {
			ref, pieces := Reference(base, proposed, hunks, f)
			if len(pieces) != len(hunks) {
				t.Fatalf("%d pieces for %d hunks", len(pieces), len(hunks))
			}
			for i, h := range hunks {
				want := base[h.Old.Start:h.Old.End]
				if f(h.ID) {
					want = proposed[h.New.Start:h.New.End]
				}
				if got := ref[pieces[i].Start:pieces[i].End]; got != want {
					t.Fatalf("piece %d is %q, want %q", i, got, want)
				}
			}
			return ref
		}
		if got := with(func(string) bool { return false }); got != base {
			t.Fatalf("nothing applied: %q, want %q", got, base)
		}
		if got := with(func(string) bool { return true }); got != proposed {
			t.Fatalf("all applied: %q, want %q", got, proposed)
		}
		var es []edits.Edit
		for _, h := range hunks {
			if applied[h.ID] {
				es = append(es, edits.Edit{Span: h.Old, New: proposed[h.New.Start:h.New.End]})
			}
		}
		want, err := edits.Apply(base, es)
		if err != nil {
			t.Fatal(err)
		}
		if got := with(func(id string) bool { return applied[id] }); got != want {
			t.Fatalf("some applied: %q, want %q", got, want)
		}
	})
}
