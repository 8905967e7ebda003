package preview

import (
	"fmt"
	"strings"
	"testing"

	"redline/agent/plan"
)

// earlierPage is the preview as earlier versions of Redline wrote it.
func (s *sample) earlierPage() string {
	return among.render(s.plan, s.revision(), s.texts.of, Beside{})
}

// many is a plan of edits and commands, in one step.
func many(operations int, commands ...string) *sample {
	return sampleOf(func(b texts) plan.Revision {
		r := plan.Revision{Steps: []plan.Step{{ID: "s1", Description: "much"}}}
		base, proposed := numbered(operations), ""
		var made []string
		for i := range operations {
			id := fmt.Sprintf("o%d", i+1)
			r.Operations, made = append(r.Operations, op(id, "s1", "edit_file", "f")), append(made, id)
			proposed += fmt.Sprintf("row %d\n", i+1)
		}
		if operations > 0 {
			r.Changes = []plan.Change{b.change(plan.Update, "f", "", base, proposed, made...)}
		}
		for i, line := range commands {
			r.Operations = append(r.Operations, command(fmt.Sprintf("o%d", operations+i+1), "s1", line, "{}"))
		}
		return r
	})
}

// However large a plan is, its preview shows each whole command before the files.
func TestEveryCommandIsShown(t *testing.T) {
	lines := make([]string, 2100)
	for i := range lines {
		lines[i] = fmt.Sprintf("echo command %d of many", i)
	}
	long := "echo " + strings.Repeat("x", 100<<10) + "; touch owned"
	for name, c := range map[string]struct {
		edits    int
		commands []string
	}{
		"after 2,100 edits":     {2100, []string{"touch owned"}},
		"after 20,100 edits":    {20_100, []string{"touch owned"}},
		"2,100 commands":        {1, lines},
		"a command of 100 KB":   {1, []string{long, "touch owned"}},
		"nothing but a command": {0, []string{"touch owned"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := many(c.edits, c.commands...)
			page := s.page()
			_, section, ok := strings.Cut(page, "\n## Commands\n")
			if !ok {
				t.Fatalf("no commands in %.500s", page)
			}
			section, _, _ = strings.Cut(section, "\n## ")
			at := 0
			for i, line := range c.commands {
				want := fmt.Sprintf("- [x] Command %d\n  ```sh\n  %s\n  ```\n", i+1, line)
				k := strings.Index(section[at:], want)
				if k < 0 {
					t.Fatalf("command %d is not shown", i)
				}
				at += k + len(want)
			}
			if i, k := strings.Index(page, "\n## Files"), strings.Index(page, "\n## Commands"); i >= 0 && i < k {
				t.Error("the files come before the commands")
			}
			if e := s.read(t, page); !e.Empty() {
				t.Errorf("as it was, it says %+v", e)
			}
			last := fmt.Sprintf("- [x] Command %d\n", len(c.commands))
			if len(c.commands) > 1 || c.edits > 0 {
				r := s.revise(t, strings.Replace(page, last, strings.Replace(last, "x", " ", 1), 1))
				if len(r.Operations) != c.edits+len(c.commands)-1 {
					t.Errorf("without the last command there are %d operations", len(r.Operations))
				}
			}
		})
	}
}

// A preview from an earlier version is read as it was meant; items that it left out stay.
func TestPreviewsOfEarlierVersions(t *testing.T) {
	s := everything()
	page := s.earlierPage()
	if strings.Contains(page, "## Commands") || !strings.Contains(page, "  - [x] o7 run_command, in sub, at most 30 s\n    ```sh\n") {
		t.Fatal(page)
	}
	if e := s.read(t, page); !e.Empty() {
		t.Errorf("as it was, it says %+v", e)
	}
	page = apart.render(s.plan, s.revision(), s.texts.of, Beside{})
	if !strings.Contains(page, "- [x] s2 check\n  After: s1\n  Commands: o7, o8\n") || !strings.Contains(page, "- [x] o7 run_command, in sub, at most 30 s, step s2\n") {
		t.Fatal(page)
	}
	if e := s.read(t, page); !e.Empty() {
		t.Errorf("with ids it says %+v", e)
	}
	if got := operationIDs(s.revise(t, strings.Replace(page, "- [x] o7", "- [ ] o7", 1))); got != "o1 o2 o3 o4 o5 o6 o8" {
		t.Errorf("without o7 by its id: %s", got)
	}
	s = many(2100, "touch owned")
	page = s.earlierPage()
	if strings.Contains(page, "touch owned") || !strings.Contains(page, "102 more steps and operations are left out here") {
		t.Fatal(page[len(page)-2000:])
	}
	if e := s.read(t, page); !e.Empty() {
		t.Errorf("as it was, it says %+v", e)
	}
	r := s.revise(t, strings.Replace(page, "+row 1\n", "+Row 1\n", 1))
	if _, ok := r.Operation("o2101"); !ok {
		t.Error("the command that was not shown is gone")
	}
}

// The edits and the commands are separate lists. An edit may be moved before a command
// that comes before it, but no command before another.
func TestOrdersApart(t *testing.T) {
	made := func() *sample {
		return sampleOf(func(b texts) plan.Revision {
			return plan.Revision{
				Steps: []plan.Step{{ID: "s1", Description: "one"}, {ID: "s2", Description: "two"}},
				Operations: []plan.Operation{
					op("o1", "s1", "edit_file", "a"), command("o2", "s1", "make a", "{}"),
					op("o3", "s2", "edit_file", "b"), command("o4", "s2", "make b", "{}"), op("o5", "s2", "edit_file", "c"),
				},
				Changes: []plan.Change{
					b.change(plan.Update, "a", "", "1\n", "2\n", "o1"), b.change(plan.Update, "b", "", "1\n", "2\n", "o3"),
					b.change(plan.Update, "c", "", "1\n", "2\n", "o5"),
				},
			}
		})
	}
	const s1 = "- [x] Step 1: one\n  Commands: 1\n  - [x] edit a (+1 −1)\n"
	const s2 = "- [x] Step 2: two\n  Commands: 2\n  - [x] edit b (+1 −1)\n  - [x] edit c (+1 −1)\n"
	const c2 = "- [x] Command 1, for step 1\n  ```sh\n  make a\n  ```\n"
	const c4 = "- [x] Command 2, for step 2\n  ```sh\n  make b\n  ```\n"
	s := made()
	if page := s.page(); !strings.Contains(page, s1+s2) || !strings.Contains(page, c2+c4) {
		t.Fatal(page)
	}
	r := s.revise(t, strings.Replace(s.page(), s1+s2, s2+s1, 1))
	if got := operationIDs(r); got != "o3 o5 o1 o2 o4" {
		t.Errorf("the second step first: %s", got)
	}
	s = made()
	edited := strings.Replace(s.page(), s2, "- [x] Step 2: two\n  Commands: 2\n  - [x] edit c (+1 −1)\n  - [x] edit b (+1 −1)\n", 1)
	if got := operationIDs(s.revise(t, edited)); got != "o1 o2 o5 o3 o4" {
		t.Errorf("the last edit before the one before it: %s", got)
	}
	s = made()
	e := s.read(t, strings.Replace(s.page(), c2+c4, c4+c2, 1))
	_, _, problems := e.Revise(s.plan, s.revision(), s.texts.of, s.without)
	if len(problems) != 1 || !strings.Contains(problems[0].Reason, "Command 2 must come after command 1: commands run one after the other") {
		t.Errorf("one command before the other: %+v", problems)
	}
	// The position of an item means nothing else.
	s = made()
	moved := strings.Replace(strings.Replace(s.page(), c2, "", 1), s1, s1+c2, 1)
	if e := s.read(t, moved); len(e.Items) > 0 {
		if next, _, problems := e.Revise(s.plan, s.revision(), s.texts.of, s.without); len(problems) > 0 || next.Operations[1].ID != "o2" || next.Operations[1].Step != "s1" {
			t.Errorf("%+v %+v", next.Operations, problems)
		}
	}
	// A step without a tick takes its commands along, wherever they are.
	s = made()
	if got := operationIDs(s.revise(t, strings.Replace(s.page(), "- [x] Step 1", "- [ ] Step 1", 1))); got != "o3 o4 o5" {
		t.Errorf("without the first step: %s", got)
	}
}

// The page shows only arguments that the runner follows.
func TestCommandNotes(t *testing.T) {
	for args, want := range map[string]string{
		`{"cwd":"tools","timeout_seconds":1.5,"on_failure":"continue"}`: ", in tools, at most 1.5 s, going on if it fails",
		`{"timeout_seconds":2000000}`:                                   "", // more than a command may ask for
		`{"timeout_seconds":1e-12}`:                                     "",
		`{"TIMEOUT_SECONDS":5}`:                                         "",
		`nonsense`:                                                      " nonsense",
	} {
		o := plan.Operation{Tool: "run_command", Command: "make", Args: []byte(args)}
		if got := commandNotes(&o); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}
