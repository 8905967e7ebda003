package draft_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"redline/agent/draft"
	"redline/agent/plan"
	"redline/edits"
	"redline/edits/patch"
)

// recorded stages a call, written as for do, so that again can repeat it. In addition to
// the calls of do: "all path|old|new", "put path|line|text" before the line of that number,
// and "both path|path|old|new", one edit in two files.
func recorded(d *draft.Draft, line string) ([]draft.Staged, error) {
	verb, rest, _ := strings.Cut(line, " ")
	args := strings.Split(rest, "|")
	raw, _ := json.Marshal(line)
	op := plan.Operation{Tool: verb, Args: raw}
	var s draft.Staged
	var err error
	switch verb {
	case "edit", "all":
		s, err = d.Edit(args[0], args[1], args[2], verb == "all", op)
	case "write":
		s, err = d.Write(args[0], args[1], op)
	case "delete":
		s, err = d.Delete(args[0], op)
	case "rename":
		s, err = d.Rename(args[0], args[1], op)
	case "run":
		s, err = d.Command(args[0], "", op)
	case "put":
		text, _, _ := d.Read(args[0])
		n, _ := strconv.Atoi(args[1])
		at := edits.NewLines(text).Line(min(n, edits.NewLines(text).Count()) - 1).Start
		s, err = d.Splice(args[0], edits.Edit{Span: edits.Span{Start: at, End: at}, New: args[2] + "\n"}, op)
	case "both":
		var files []patch.File
		for _, path := range args[:2] {
			files = append(files, patch.File{Path: path, Kind: edits.Update, Chunks: []patch.Chunk{{Old: args[2] + "\n", New: args[3] + "\n"}}})
		}
		return d.Patch(files, op)
	}
	return []draft.Staged{s}, err
}

func again(d *draft.Draft, o plan.Operation) ([]draft.Staged, error) {
	var line string
	if err := json.Unmarshal(o.Args, &line); err != nil {
		return nil, err
	}
	return recorded(d, line)
}

// without takes operations out of a plan's newest revision and makes the rest the next one.
func without(p *plan.Plan, remove ...string) (*plan.Revision, draft.Rest, error) {
	decided := func(id string) bool { return p.Progress.Hunk(id).Status != plan.HunkPending }
	rest, err := draft.Without(p.Latest(), remove, decided, func(b plan.Blob) (string, error) { return kept[b], nil }, again)
	if err != nil {
		return nil, rest, err
	}
	maps.Copy(kept, rest.Texts)
	return p.Add(plan.Revision{Operations: rest.Operations, Changes: rest.Changes}, func(b plan.Blob) string { return kept[b] }), rest, nil
}

func TestWithout(t *testing.T) {
	tests := map[string]struct {
		calls  []string
		remove string
		happen func(*plan.Plan)
		want   string // in the form of summary, with the texts
		err    string // part of it
	}{
		"one of two hunks": {
			calls: []string{"edit a|2|two", "edit a|8|eight"}, remove: "o1",
			want: `update a h2=exact o2 "1 2 3 4 5 6 7 eight 9"; o2`,
		},
		"a whole file": {
			calls: []string{"edit a|2|two", "edit b|8|eight", "run make"}, remove: "o1",
			want: `update b h2=exact o2 "1 2 3 4 5 6 7 eight 9"; o2,o3`,
		},
		"a command": {
			calls: []string{"edit a|2|two", "run make"}, remove: "o2",
			want: `update a h1=exact o1 "1 two 3 4 5 6 7 8 9"; o1`,
		},
		"all": {calls: []string{"edit a|2|two", "run make"}, remove: "o1 o2", want: ``},
		"the later of two in one hunk": {
			calls: []string{"edit a|2|two", "edit a|two|zwei", "edit a|8|eight"}, remove: "o2",
			want: `update a h3=exact h2=exact o1,o3 "1 two 3 4 5 6 7 eight 9"; o1,o3`,
		},
		"the earlier of two in one hunk": {
			calls: []string{"edit a|2|two", "edit a|two|zwei"}, remove: "o1",
			err: "o2 changes what o1 made and cannot stay without that: name o2 too",
		},
		"what several need": {
			calls: []string{"write new|x\n", "edit new|x|y", "edit new|y|z"}, remove: "o1",
			err: "o2 and o3 change what o1 made and cannot stay without that: name o2 and o3 too",
		},
		"one that uses the other's lines only to find its place": {
			calls: []string{"edit a|2\n|2\nmore\n", "edit a|more\n3\n|more\nthree\n"}, remove: "o1",
			want: `update a h2=exact o2 "1 2 three 4 5 6 7 8 9"; o2`,
		},
		"an edit of a file that is written as a whole later": {
			calls: []string{"edit a|2|two", "write a|1\n2\n"}, remove: "o2",
			want: `update a h2=exact o1 "1 two 3 4 5 6 7 8 9"; o1`,
		},
		"a write over an edit": {
			calls: []string{"edit a|2|two", "write a|1\n2\n"}, remove: "o1",
			want: `update a h1 o2 "1 2"; o2`,
		},
		"what another one has put back": {
			calls: []string{"edit a|2|two", "edit a|8|eight", "all a|two|2"}, remove: "o3",
			want: `update a h2=exact h1=exact o1,o2 "1 two 3 4 5 6 7 eight 9"; o1,o2`,
		},
		"a move, with an edit before it": {
			calls: []string{"edit a|2|two", "rename a|c"}, remove: "o2",
			want: `update a h2=exact o1 "1 two 3 4 5 6 7 8 9"; o1`,
		},
		"a move, with an edit after it": {
			calls: []string{"rename a|c", "edit c|2|two"}, remove: "o1",
			err: "o2 changes what o1 made and cannot stay without that: name o2 too",
		},
		"an edit of a file that moves": {
			calls: []string{"rename a|c", "edit c|2|two"}, remove: "o2",
			want: `rename a>c o1 "1 2 3 4 5 6 7 8 9"; o1`,
		},
		"a deletion with a new file in its place": {
			calls: []string{"delete a", "write a|new\n"}, remove: "o1",
			want: `update a h1 o2 "new"; o2`,
		},
		"one of several files": {
			calls: []string{"both a|b|2|two", "edit b|8|eight"}, remove: "o2",
			want: `update a h1=exact o1 "1 two 3 4 5 6 7 8 9"; update b h2=exact o1 "1 two 3 4 5 6 7 8 9"; o1`,
		},
		"several files": {
			calls: []string{"both a|b|2|two", "edit b|8|eight"}, remove: "o1",
			want: `update b h3=exact o2 "1 2 3 4 5 6 7 eight 9"; o2`,
		},
		"a place by its number, after the one that goes": {
			calls: []string{"put a|1|top", "put a|5|mid"}, remove: "o1",
			want: `update a h2=line o2 "1 2 3 mid 4 5 6 7 8 9"; o2`,
		},
		"a place by its number, in the one that goes": {
			calls: []string{"edit a|2\n|2\nx\ny\n", "put a|4|mid"}, remove: "o1",
			err: "o2 has its place by the number of a line in what o1 made: name it too",
		},
		"an operation that comes to nothing then": {
			calls: []string{"write a|1\n2\n", "write a|" + ten, "edit a|2|two"}, remove: "o3",
			want: ``,
		},
		"a file that cannot be made again": {
			calls: []string{"edit a|2|two", "edit a|two|zwei"}, remove: "o2",
			happen: func(p *plan.Plan) { p.Latest().Operations[0].Args = []byte(`"edit a|5|five"`) },
			err:    "what o2 and the operations that stay have made together cannot be told apart any more",
		},
		"a file that cannot be made again, with hunks of its own": {
			calls: []string{"edit a|2|two", "edit a|8|eight"}, remove: "o2",
			happen: func(p *plan.Plan) { p.Latest().Operations[0].Args = []byte(`"edit a|5|five"`) },
			want:   `update a h1=exact o1 "1 two 3 4 5 6 7 8 9"; o1`,
		},
		"a decided hunk of a move": {
			calls: []string{"edit a|2|two", "rename a|c"}, remove: "o2",
			happen: func(p *plan.Plan) { p.Progress.MarkHunk("h1", plan.HunkRejected, "") },
			err:    "hunk h1 would not be the same without o2",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			files := memory{"a": ten, "b": ten}
			d := draft.New(files)
			for _, line := range tt.calls {
				if _, err := recorded(d, line); err != nil {
					t.Fatal(err)
				}
			}
			p, _ := planOf(t, d, files)
			if tt.happen != nil {
				tt.happen(p)
			}
			r, rest, err := without(p, strings.Fields(tt.remove)...)
			if tt.err != "" {
				if _, ok := errors.AsType[*draft.Refusal](err); !ok || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("got %v\nwant %s", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			rows := summary(r)
			for i := range r.Changes {
				rows[i] += fmt.Sprintf(" %q", strings.Join(strings.Fields(kept[r.Changes[i].Proposed]), " "))
			}
			if got := strings.Join(rows, "; "); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if strings.HasPrefix(name, "an operation that comes to nothing") && !slices.Equal(rest.Idle, []string{"o1", "o2"}) {
				t.Errorf("idle %v", rest.Idle)
			}
		})
	}
}

// TestWithoutIsNeverHavingMade checks for random operations that the rest is what the
// remaining ones make by themselves, and that the hunks made by these alone stay the same
// hunks.
func TestWithoutIsNeverHavingMade(t *testing.T) {
	taken, compared := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		files := memory{"a": "l1\nl2\nl3\nl4\nl5\nl6\n", "b": "l1\nx\nl2\nx\n", "d/e": "l1\n"}
		d := draft.New(files)
		for i := range rapid.IntRange(1, 9).Draw(t, "operations") {
			verb := rapid.SampledFrom([]string{"edit", "edit", "edit", "edit", "all", "write", "delete", "rename", "both", "run"}).Draw(t, "verb")
			path := rapid.SampledFrom([]string{"a", "a", "b", "c", "d/e", "d"}).Draw(t, "path")
			other := rapid.SampledFrom([]string{"a", "b", "c", "d/e"}).Draw(t, "other")
			old := rapid.SampledFrom([]string{"l1", "l2", "l3", "l4", "l5\nl6", "x", "y"}).Draw(t, "old")
			text := rapid.SampledFrom([]string{"x", "y", "l1", "l2", "y\nx", fmt.Sprint("n", i)}).Draw(t, "text")
			var line string
			switch verb {
			case "edit", "all":
				line = fmt.Sprintf("%s %s|%s\n|%s\n", verb, path, old, text)
			case "write":
				line = fmt.Sprintf("write %s|l1\n%s\n", path, text)
			case "delete", "run":
				line = verb + " " + path
			case "rename":
				line = "rename " + path + "|" + other
			case "both":
				line = fmt.Sprintf("both %s|%s|%s|%s", path, other, old, text)
			}
			recorded(d, line) // a refusal is fine: nothing is staged
		}
		p, _ := planOf(t, d, files)
		before := p.Latest()
		var remove []string
		for _, o := range before.Operations {
			if rapid.Bool().Draw(t, "remove "+o.ID) {
				remove = append(remove, o.ID)
			}
		}
		r, _, err := without(p, remove...)
		if _, ok := errors.AsType[*draft.Refusal](err); ok {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		taken++
		// Hunks without a part by a removed operation.
		before, _ = p.Revision(1)
		for _, c := range before.Changes {
			for _, h := range c.Hunks {
				makers := c.MakersOf(&h)
				if slices.ContainsFunc(makers, func(id string) bool { return slices.Contains(remove, id) }) {
					continue
				}
				now, k, ok := r.Hunk(h.ID)
				switch {
				case ok && now.Path == c.Path && k.Old == h.Old && kept[now.Proposed][k.New.Start:k.New.End] == kept[c.Proposed][h.New.Start:h.New.End]:
				case slices.ContainsFunc(r.Changes, func(d plan.Change) bool { return d.Path == c.Path && d.Action != c.Action }):
				default:
					t.Fatalf("hunk %s of %v is not the same without %v", h.ID, makers, remove)
				}
			}
		}
		checkMakers(t, r)
		// The remaining operations, staged by themselves.
		want := draft.New(files)
		for _, o := range before.Operations {
			if slices.Contains(remove, o.ID) {
				continue
			}
			if _, err := again(want, o); err != nil {
				return // its place depended on a removed operation
			}
		}
		compared++
		s, err := want.Seal(files.live)
		if err != nil {
			t.Fatal(err)
		}
		sameTree(t, "without "+strings.Join(remove, ","), carryOut(t, files, s), carryOut(t, files, draft.Sealed{Changes: r.Changes, Texts: textsOf(r)}))
	})
	t.Logf("taken out %d times, compared %d times", taken, compared)
	if taken == 0 || compared == 0 {
		t.Error("nothing was shown")
	}
}

func textsOf(r *plan.Revision) map[plan.Blob]string {
	texts := map[plan.Blob]string{}
	for _, c := range r.Changes {
		texts[c.Base], texts[c.Proposed] = kept[c.Base], kept[c.Proposed]
	}
	return texts
}
