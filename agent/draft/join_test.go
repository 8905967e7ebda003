package draft_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"redline/agent/draft"
	"redline/agent/plan"
)

// byLine stages an operation whose arguments are the line that it was written as, so that
// it can be staged again.
func byLine(d *draft.Draft, o plan.Operation) ([]draft.Staged, error) {
	var line string
	if err := json.Unmarshal(o.Args, &line); err != nil {
		return nil, err
	}
	verb, rest, _ := strings.Cut(line, " ")
	args := strings.Split(rest, "|")
	var s draft.Staged
	var err error
	switch verb {
	case "edit":
		s, err = d.Edit(args[0], args[1], args[2], false, o)
	case "write":
		s, err = d.Write(args[0], args[1], o)
	case "delete":
		s, err = d.Delete(args[0], o)
	case "rename":
		s, err = d.Rename(args[0], args[1], o)
	case "run":
		s, err = d.Command(args[0], "", o)
	default:
		err = errors.New("no verb " + verb)
	}
	return []draft.Staged{s}, err
}

func lined(line string) plan.Operation {
	args, _ := json.Marshal(line)
	verb, _, _ := strings.Cut(line, " ")
	return plan.Operation{Tool: verb, Args: args}
}

// joined lets several specialists work in forks of d, and joins their work.
func joined(t *testing.T, d *draft.Draft, forks ...[]string) []string {
	t.Helper()
	var parts []draft.Part
	for i, lines := range forks {
		f := d.Fork()
		for _, line := range lines {
			if _, err := byLine(f, lined(line)); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
		}
		parts = append(parts, draft.Part{Draft: f, Step: fmt.Sprintf("s%d", i+1)})
	}
	var lost []string
	for _, l := range d.Join(parts, byLine) {
		var line string
		_ = json.Unmarshal(l.Operation.Args, &line)
		row := fmt.Sprintf("%d: %s: %s", l.Part, line, l.Why)
		if l.Same {
			row = fmt.Sprintf("%d: %s: same", l.Part, line)
		}
		lost = append(lost, row)
	}
	return lost
}

func TestJoin(t *testing.T) {
	const ten = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
	for _, test := range []struct {
		name  string
		begun []string
		forks [][]string
		want  []string // the files of the draft, sorted
		lost  []string
	}{
		{
			name:  "different files, and places of one",
			forks: [][]string{{"edit a|2|two", "write x|X\n"}, {"edit a|8|eight", "edit b|1|one"}, {"run go test", "edit a|5|5\n5½"}},
			want:  []string{"a=1\ntwo\n3\n4\n5\n5½\n6\n7\neight\n9\n", "b=one\n2\n3\n4\n5\n6\n7\n8\n9\n", "x=X\n"},
		},
		{
			name:  "the same lines",
			forks: [][]string{{"edit a|2|two"}, {"edit a|2|zwei", "edit a|9|nine"}},
			want:  []string{"a=1\ntwo\n3\n4\n5\n6\n7\n8\nnine\n"},
			lost:  []string{"1: edit a|2|zwei: another has changed the same lines"},
		},
		{
			name:  "what builds on a lost edit is lost with it",
			forks: [][]string{{"edit a|2|two"}, {"edit a|2|zwei\ndrei", "edit a|drei|vier", "edit b|2|B"}},
			want:  []string{"a=1\ntwo\n3\n4\n5\n6\n7\n8\n9\n", "b=1\nB\n3\n4\n5\n6\n7\n8\n9\n"},
			lost:  []string{"1: edit a|2|zwei\ndrei: another has changed the same lines", "1: edit a|drei|vier: another has changed the same lines"},
		},
		{
			name:  "the same edit, file, command and move",
			forks: [][]string{{"edit a|2|two", "write x|X\n", "run go test", "rename b|c"}, {"edit a|2|two", "write x|X\n", "run go test", "rename b|c", "run go vet"}},
			want:  []string{"a=1\ntwo\n3\n4\n5\n6\n7\n8\n9\n", "b gone", "c=" + ten, "x=X\n"},
			lost:  []string{"1: edit a|2|two: same", "1: write x|X\n: same", "1: run go test: same", "1: rename b|c: same"},
		},
		{
			name:  "two files of one name, one deleted that another edits, one moved that another edits",
			forks: [][]string{{"write x|X\n", "delete a", "rename b|c"}, {"write x|Y\n", "edit a|2|two", "edit b|2|two"}},
			want:  []string{"a gone", "b gone", "c=" + ten, "x=X\n"},
			lost: []string{"1: write x|Y\n: another has made a file of that name", "1: edit a|2|two: another has taken the file away",
				"1: edit b|2|two: another has taken the file away"},
		},
		{
			name:  "a deletion of what another has edited",
			forks: [][]string{{"edit a|2|two"}, {"delete a"}},
			want:  []string{"a=1\ntwo\n3\n4\n5\n6\n7\n8\n9\n"},
			lost:  []string{"1: delete a: another has changed the file"},
		},
		{
			// The text that the second wanted to change is gone, and the only similar text
			// is the first one's: found by its words, the edit would land there.
			name:  "a place that only looks the same",
			forks: [][]string{{"edit a|2|two", "edit a|8|2"}, {"edit a|2|zwei"}},
			want:  []string{"a=1\ntwo\n3\n4\n5\n6\n7\n2\n9\n"},
			lost:  []string{"1: edit a|2|zwei: another has changed the same lines"},
		},
		{
			name:  "words that are in two places by now",
			forks: [][]string{{"edit a|8|2"}, {"edit a|2|two"}},
			want:  []string{"a=1\n2\n3\n4\n5\n6\n7\n2\n9\n"},
			lost:  []string{"1: edit a|2|two: what it goes by was changed by another"},
		},
		{
			name:  "on top of what was there",
			begun: []string{"edit a|1|one", "write y|Y\n"},
			forks: [][]string{{}, {"edit a|one|uno", "edit y|Y|Z"}, {"edit a|9|nine", "edit a|one|un"}},
			want:  []string{"a=uno\n2\n3\n4\n5\n6\n7\n8\nnine\n", "y=Z\n"},
			lost:  []string{"2: edit a|one|un: another has changed the same lines"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := memory{"a": ten, "b": ten}
			d := draft.New(files)
			for _, line := range test.begun {
				if _, err := byLine(d, lined(line)); err != nil {
					t.Fatal(err)
				}
			}
			lost := joined(t, d, test.forks...)
			for i := range lost { // another test checks the refusal's words
				lost[i], _, _ = strings.Cut(lost[i], " by another: ")
				if strings.HasSuffix(lost[i], "was changed") {
					lost[i] += " by another"
				}
			}
			if diff := cmp.Diff(test.lost, lost); diff != "" {
				t.Errorf("lost (-want +got):\n%s", diff)
			}
			var got []string
			for _, path := range d.Paths() {
				if text, exists, _ := d.Read(path); exists {
					got = append(got, path+"="+text)
				} else {
					got = append(got, path+" gone")
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if news := d.News(); len(d.Operations())-len(news) != 0 {
				t.Errorf("the turn began with %d operations", len(d.Operations())-len(news))
			}
			seal(t, d, files)
		})
	}
}

// Hunks belong to the operations that made them, and those to the step of their specialist;
// a lost edit's changes are reported.
func TestJoinKeepsWhoDidWhat(t *testing.T) {
	files := memory{"a": "1\n2\n3\n4\n5\n"}
	d := draft.New(files)
	one, two := d.Fork(), d.Fork()
	for f, lines := range map[*draft.Draft][]string{one: {"edit a|1|one"}, two: {"edit a|1|uno", "edit a|5|cinque"}} {
		for _, line := range lines {
			if _, err := byLine(f, lined(line)); err != nil {
				t.Fatal(err)
			}
		}
	}
	lost := d.Join([]draft.Part{{Draft: one, Step: "s1"}, {Draft: two, Step: "s2"}}, byLine)
	if len(lost) != 1 || lost[0].Diff != "-1\n+uno\n" || lost[0].Path != "a" || lost[0].Part != 1 {
		t.Errorf("lost: %+v", lost)
	}
	s := seal(t, d, files)
	if len(s.Operations) != 2 || s.Operations[0].Step != "s1" || s.Operations[1].Step != "s2" || stepsOf(d) != 2 {
		t.Errorf("operations: %+v", s.Operations)
	}
	if hunks := s.Changes[0].Hunks; len(hunks) != 2 || !slices.Equal(hunks[0].Operations, []string{"o1"}) || !slices.Equal(hunks[1].Operations, []string{"o2"}) {
		t.Errorf("hunks: %+v", hunks)
	}
}

// Whatever several specialists stage, nothing is lost without a report, the first one's
// work stays, and untouched lines are unchanged.
func TestJoinLosesNothingSilently(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		files := memory{"a": "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "b": "1\n2\n3\n"}
		d := draft.New(files)
		var parts []draft.Part
		staged := 0
		touched := map[string]bool{}
		for i := range rapid.IntRange(2, 4).Draw(rt, "forks") {
			f := d.Fork()
			for k := range rapid.IntRange(0, 4).Draw(rt, "operations") {
				path := rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "path")
				digit := fmt.Sprint(rapid.IntRange(1, 9).Draw(rt, "line"))
				line := fmt.Sprintf("edit %s|%s\n|%c%d-\n", path, digit, 'p'+i, k)
				switch rapid.IntRange(0, 8).Draw(rt, "verb") {
				case 0:
					line = fmt.Sprintf("write new%s|%d\n", digit, i/2)
				case 1:
					line = "run go " + digit
				case 2:
					line = "delete " + path
				}
				if _, err := byLine(f, lined(line)); err == nil {
					staged++
					touched[path+digit] = true
					if strings.HasPrefix(line, "delete") {
						for n := range 10 {
							touched[path+fmt.Sprint(n)] = true
						}
					}
				}
			}
			parts = append(parts, draft.Part{Draft: f, Step: fmt.Sprintf("s%d", i+1)})
		}
		first := parts[0].Draft.Fork()
		lost := d.Join(parts, byLine)
		if got := len(d.News()) + len(lost); got != staged {
			rt.Fatalf("%d operations were staged, %d are there or told of", staged, got)
		}
		for _, l := range lost {
			if l.Part == 0 {
				rt.Errorf("the first part has lost %+v", l)
			}
		}
		if len(d.News()) < len(first.Operations()) {
			rt.Errorf("the first part's operations are not all there")
		}
		for _, path := range []string{"a", "b"} {
			text, exists, _ := d.Read(path)
			for line := range strings.Lines(files[path]) {
				if digit := strings.TrimSpace(line); !touched[path+digit] && (!exists || !strings.Contains("\n"+text, "\n"+line)) {
					rt.Errorf("line %s of %s is gone, and nobody touched it:\n%s", digit, path, text)
				}
			}
		}
		if _, err := d.Seal(files.live); err != nil {
			rt.Fatal(err)
		}
	})
}

// stepsOf returns how many steps have operations.
func stepsOf(d *draft.Draft) int {
	steps := map[string]bool{}
	for _, o := range d.Operations() {
		steps[o.Step] = true
	}
	return len(steps)
}
