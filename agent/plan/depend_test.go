package plan_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"redline/agent/plan"
)

// opsOf makes a revision of short descriptions of operations: "o1 edit a.go",
// "o2 create a.go", "o3 rename a.go b.go", "o4 run make", "o5 patch a.go b.go",
// each with "@s2" at its end for its step.
func opsOf(descriptions ...string) *plan.Revision {
	r := &plan.Revision{Number: 1}
	changes := map[string]*plan.Change{}
	var paths []string
	for _, d := range descriptions {
		d, step, _ := strings.Cut(d, " @")
		words := strings.Fields(d)
		o := plan.Operation{ID: words[0], Step: step}
		switch words[1] {
		case "run":
			o.Tool, o.Command = "run_command", strings.Join(words[2:], " ")
		case "rename":
			o.Tool, o.Path = "rename_file", words[2]
			o.Args, _ = json.Marshal(map[string]string{"path": words[2], "new_path": words[3]})
		case "patch":
			o.Tool = "apply_patch"
		default:
			o.Tool, o.Path = words[1]+"_file", words[2]
		}
		if !o.IsCommand() {
			for _, p := range words[2:] {
				if changes[p] == nil {
					changes[p] = &plan.Change{Path: p, Action: plan.Update}
					paths = append(paths, p)
					if words[1] == "create" {
						changes[p].Action = plan.Create
					}
				}
				changes[p].Operations = append(changes[p].Operations, o.ID)
			}
		}
		r.Operations = append(r.Operations, o)
	}
	for _, p := range paths {
		r.Changes = append(r.Changes, *changes[p])
	}
	return r
}

func TestDependencies(t *testing.T) {
	tests := map[string]struct {
		ops   []string
		steps []plan.Step
		want  map[string]string // what each operation depends on; what is not named, on nothing
	}{
		"different files": {ops: []string{"o1 edit a.go", "o2 edit b.go"}},
		"the same file, the nearest one": {
			ops:  []string{"o1 edit a.go", "o2 edit b.go", "o3 edit a.go", "o4 edit a.go"},
			want: map[string]string{"o3": "o1", "o4": "o3"},
		},
		"a file that moves": {
			ops:  []string{"o1 edit a.go", "o2 rename a.go b.go", "o3 edit b.go", "o4 create a.go"},
			want: map[string]string{"o2": "o1", "o3": "o2", "o4": "o2"},
		},
		"a patch of several files": {
			ops:  []string{"o1 edit a.go", "o2 edit b.go", "o3 patch a.go b.go c.go", "o4 edit c.go"},
			want: map[string]string{"o3": "o1 o2", "o4": "o3"},
		},
		"a file in the place of a file": {
			ops:  []string{"o1 delete a", "o2 create a/b", "o3 create a/c", "o4 create ab"},
			want: map[string]string{"o2": "o1", "o3": "o1"},
		},
		"a file in the place of a folder": {
			ops:  []string{"o1 delete a/b/c", "o2 delete a/d", "o3 create a", "o4 edit a"},
			want: map[string]string{"o3": "o1 o2", "o4": "o3"},
		},
		"commands": {
			ops:  []string{"o1 edit a.go", "o2 edit b.go", "o3 run go vet", "o4 edit c.go", "o5 run go test", "o6 edit d.go"},
			want: map[string]string{"o3": "o1 o2", "o5": "o3 o4"},
		},
		"steps": {
			ops:   []string{"o1 edit a.go @s2", "o2 edit b.go @s1", "o3 edit c.go @s3"},
			steps: []plan.Step{{ID: "s1"}, {ID: "s2", DependsOn: []string{"s1", "s2", "s9"}}, {ID: "s3"}},
			want:  map[string]string{"o1": "o2"},
		},
		"steps without operations between": {
			ops:   []string{"o1 edit a.go @s1", "o2 edit b.go @s3"},
			steps: []plan.Step{{ID: "s1"}, {ID: "s2", DependsOn: []string{"s1"}}, {ID: "s3", DependsOn: []string{"s2"}}},
			want:  map[string]string{"o2": "o1"},
		},
		"steps that the files overrule": {
			ops:   []string{"o1 edit a.go @s1", "o2 edit a.go @s2", "o3 edit b.go @s1"},
			steps: []plan.Step{{ID: "s1", DependsOn: []string{"s2"}}, {ID: "s2"}},
			want:  map[string]string{"o2": "o1"},
		},
		"steps in a circle": {
			ops:   []string{"o1 edit a.go @s1", "o2 edit b.go @s2"},
			steps: []plan.Step{{ID: "s1", DependsOn: []string{"s2"}}, {ID: "s2", DependsOn: []string{"s1"}}},
			want:  map[string]string{"o1": "o2"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := opsOf(tt.ops...)
			r.Steps = tt.steps
			d := r.Dependencies()
			got := map[string]string{}
			for _, o := range r.Operations {
				if needs := d.Of(o.ID); len(needs) > 0 {
					got[o.ID] = strings.Join(needs, " ")
				}
			}
			if tt.want == nil {
				tt.want = map[string]string{}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error("dependencies (-want +got):\n" + diff)
			}
		})
	}
}

func TestBrokenOrder(t *testing.T) {
	tests := map[string]struct {
		ops   []string
		steps []plan.Step
		named string
		want  string // the order, or the error
	}{
		"all":          {ops: []string{"o1 edit a", "o2 edit b", "o3 edit c"}, named: "o3 o1 o2", want: "o3 o1 o2"},
		"a part":       {ops: []string{"o1 edit a", "o2 edit b", "o3 edit c"}, named: "o3 o1", want: "o3 o2 o1"},
		"same file":    {ops: []string{"o1 edit a.go", "o2 edit a.go", "o3 edit a.go"}, named: "o2 o1", want: "o2 must come after o1: both change a.go"},
		"creation":     {ops: []string{"o1 create a.go", "o2 edit a.go"}, named: "o2 o1", want: "o2 must come after o1: o1 creates a.go"},
		"nested":       {ops: []string{"o1 delete a", "o2 create a/b"}, named: "o2 o1", want: "o2 must come after o1: a/b is in a"},
		"folder":       {ops: []string{"o1 delete a/b", "o2 create a"}, named: "o2 o1", want: "o2 must come after o1: o1 is about a file in a"},
		"command":      {ops: []string{"o2 edit a.go", "o5 run make"}, named: "o5 o2", want: "o5 must come after o2: a command runs after the edits before it"},
		"commands":     {ops: []string{"o1 run a", "o2 run b"}, named: "o2 o1", want: "o2 must come after o1: commands run one after the other"},
		"before a run": {ops: []string{"o1 run make", "o2 edit a.go"}, named: "o2 o1", want: "o2 o1"},
		"step": {
			ops:   []string{"o1 edit a @s1", "o2 edit b @s1", "o3 edit c @s2"},
			steps: []plan.Step{{ID: "s1"}, {ID: "s2", DependsOn: []string{"s1"}}},
			named: "o3 o2", want: "o3 must come after o2: step s2 depends on step s1",
		},
		"unknown": {ops: []string{"o1 edit a"}, named: "o7", want: "there is no operation o7: it has o1"},
		"twice":   {ops: []string{"o1 edit a", "o2 edit b"}, named: "o2 o2", want: "o2 is named twice: name each operation once"},
		"nothing": {named: "o7", want: "there is no operation o7: it has none"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := opsOf(tt.ops...)
			r.Steps = tt.steps
			order, err := r.Dependencies().Ordered(strings.Fields(tt.named))
			got := strings.Join(order, " ")
			if err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestSuggested(t *testing.T) {
	tests := map[string]struct {
		ops   []string
		steps []plan.Step
		want  string
	}{
		"as it is":           {ops: []string{"o1 edit b", "o2 edit a"}, want: "o1 o2"},
		"steps in order":     {ops: []string{"o1 edit a @s2", "o2 edit b @s1"}, steps: []plan.Step{{ID: "s1"}, {ID: "s2"}}, want: "o2 o1"},
		"the same file wins": {ops: []string{"o1 edit a @s2", "o2 edit a @s1"}, steps: []plan.Step{{ID: "s1"}, {ID: "s2"}}, want: "o1 o2"},
		"edits before commands": {
			ops:  []string{"o1 edit a", "o2 run make", "o3 edit b", "o4 run make test"},
			want: "o1 o3 o2 o4",
		},
		"edits before commands in each step": {
			ops:   []string{"o1 edit a @s1", "o2 run make @s1", "o3 edit b @s2", "o4 edit c @s1"},
			steps: []plan.Step{{ID: "s1"}, {ID: "s2"}},
			want:  "o1 o4 o2 o3",
		},
		"a step before the one that depends on it": {
			ops:   []string{"o1 edit a @s1", "o2 edit b @s2"},
			steps: []plan.Step{{ID: "s1", DependsOn: []string{"s2"}}, {ID: "s2"}},
			want:  "o2 o1",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := opsOf(tt.ops...)
			r.Steps = tt.steps
			d := r.Dependencies()
			if got := strings.Join(d.Suggested(), " "); got != tt.want {
				t.Errorf("suggested %s, want %s", got, tt.want)
			}
		})
	}
}

// drawn is a revision of some operations on few paths.
func drawn(t *rapid.T) *plan.Revision {
	paths := rapid.SampledFrom([]string{"a", "a/b", "a/b/c", "a/d", "e", "f", "g"})
	var ops []string
	for i := range rapid.IntRange(0, 12).Draw(t, "operations") {
		step := rapid.SampledFrom([]string{"", " @s1", " @s2", " @s3", " @s4"}).Draw(t, "step")
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			ops = append(ops, fmt.Sprintf("o%d run make%s", i+1, step))
		case 1:
			ops = append(ops, fmt.Sprintf("o%d patch %s %s%s", i+1, paths.Draw(t, "path"), paths.Draw(t, "path"), step))
		default:
			ops = append(ops, fmt.Sprintf("o%d edit %s%s", i+1, paths.Draw(t, "path"), step))
		}
	}
	r := opsOf(ops...)
	for _, id := range []string{"s1", "s2", "s3", "s4"} {
		r.Steps = append(r.Steps, plan.Step{ID: id, DependsOn: rapid.SliceOfN(rapid.SampledFrom([]string{"s1", "s2", "s3", "s4"}), 0, 2).Draw(t, "needs")})
	}
	return r
}

// inOrder is r with its operations in another order.
func inOrder(r *plan.Revision, order []string) *plan.Revision {
	next := *r
	next.Operations = nil
	for _, id := range order {
		o, _ := r.Operation(id)
		next.Operations = append(next.Operations, *o)
	}
	return &next
}

// behind returns all operations that each one must come after, by following Of.
func behind(d *plan.Dependencies, r *plan.Revision) map[string]map[string]bool {
	out := map[string]map[string]bool{}
	var all func(id string) map[string]bool
	all = func(id string) map[string]bool {
		if out[id] == nil {
			out[id] = map[string]bool{}
			for _, n := range d.Of(id) {
				out[id][n] = true
				for m := range all(n) {
					out[id][m] = true
				}
			}
		}
		return out[id]
	}
	for _, o := range r.Operations {
		all(o.ID)
	}
	return out
}

func TestDependenciesProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawn(t)
		d := r.Dependencies()
		after := behind(d, r)
		for id, all := range after {
			if all[id] {
				t.Fatalf("%s depends on itself", id)
			}
		}
		// The plain rules, for each two operations.
		for i := range r.Operations {
			for j := range i {
				a, b := &r.Operations[j], &r.Operations[i]
				if b.IsCommand() || !a.IsCommand() && touch(r, a, b) {
					if !after[b.ID][a.ID] {
						t.Fatalf("%s does not depend on %s", b.ID, a.ID)
					}
				}
			}
		}
		suggested := d.Suggested()
		if err := d.Check(suggested); err != nil {
			t.Fatalf("the suggested order %v: %v", suggested, err)
		}
		if again := inOrder(r, suggested).Dependencies().Suggested(); !slices.Equal(again, suggested) {
			t.Fatalf("%v is suggested for %v", again, suggested)
		}
		// Check accepts an order if and only if it keeps the dependencies of Of.
		order := rapid.Permutation(d.Suggested()).Draw(t, "order")
		keeps := true
		for at, id := range order {
			for _, n := range d.Of(id) {
				keeps = keeps && slices.Index(order, n) < at
			}
		}
		if err := d.Check(order); (err == nil) != keeps {
			t.Fatalf("Check(%v) = %v", order, err)
		}
		// All dependencies follow from the reduced graph, and from no smaller one.
		edges := d.Reduced()
		if got := closure(edges, -1); !cmp.Equal(got, flat(after)) {
			t.Fatalf("the reduced graph says %v, not %v", got, flat(after))
		}
		for k := range edges {
			if cmp.Equal(closure(edges, k), flat(after)) {
				t.Fatalf("%v follows from the others", edges[k])
			}
		}
	})
}

// touch reports whether two operations concern the same path or one inside the other's.
func touch(r *plan.Revision, a, b *plan.Operation) bool {
	for _, c := range r.Concerns(a) {
		for _, k := range r.Concerns(b) {
			if c.Path == k.Path || strings.HasPrefix(c.Path, k.Path+"/") || strings.HasPrefix(k.Path, c.Path+"/") {
				return true
			}
		}
	}
	return false
}

func flat(after map[string]map[string]bool) map[plan.Edge]bool {
	out := map[plan.Edge]bool{}
	for id, all := range after {
		for n := range all {
			out[plan.Edge{From: n, To: id}] = true
		}
	}
	return out
}

// closure returns everything that follows from the edges without the one left out.
func closure(edges []plan.Edge, left int) map[plan.Edge]bool {
	out := map[plan.Edge]bool{}
	for i, e := range edges {
		if i != left {
			out[e] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for e := range out {
			for f := range out {
				if g := (plan.Edge{From: e.From, To: f.To}); e.To == f.From && !out[g] {
					out[g], grown = true, true
				}
			}
		}
	}
	return out
}

// BenchmarkDependencies measures 1,000 edits of 1,000 files with a command after each
// hundred, and 1,000 edits of one file.
func BenchmarkDependencies(b *testing.B) {
	run := func(name string, op func(i int) string) {
		var ops []string
		for i := range 1000 {
			ops = append(ops, op(i))
		}
		r := opsOf(ops...)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				d := r.Dependencies()
				for i := range r.Operations {
					d.Of(r.Operations[i].ID)
				}
				d.Suggested()
			}
		})
	}
	run("files", func(i int) string { return fmt.Sprintf("o%d edit pkg%d/file%d.go", i, i%10, i) })
	run("one file", func(i int) string { return fmt.Sprintf("o%d edit a.go", i) })
	run("commands", func(i int) string {
		if i >= 900 {
			return fmt.Sprintf("o%d run make", i)
		}
		return fmt.Sprintf("o%d edit f%d.go", i, i)
	})
}
