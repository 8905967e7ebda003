package share

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"redline/agent/plan"
	"redline/edits"
	_ "redline/internal/seed"
	"redline/workspace"
)

func rules() Rules {
	ws := workspace.New([]workspace.Folder{{Name: "ws", Dir: "/nowhere/ws"}}, workspace.Options{})
	return Rules{
		Clean: ws.Clean, Secret: ws.Secret, MaxText: 1 << 20,
		LimitOf: func(string) int64 { return 1 << 19 },
		Tool:    func(name string) bool { return name == "edit_file" || name == "write_file" || name == "run_command" },
	}
}

var then = time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)

// planOf is a plan that changes base to proposed, and runs a command.
func planOf(base, proposed string) (*plan.Plan, map[plan.Blob]string) {
	texts := map[plan.Blob]string{plan.BlobOf(base): base, plan.BlobOf(proposed): proposed}
	p := &plan.Plan{Number: 7, Conversation: "c1", Goal: "tidy up", State: plan.AwaitingApproval, Created: then, Updated: then, NextOperation: 2, ID: "0f1e2d3c4b5a69788796a5b4c3d2e1f0"}
	p.Add(plan.Revision{
		Author: plan.AuthorModel, Created: then, Description: "Tidy /nowhere/ws/a.txt up.",
		Steps: []plan.Step{{ID: "s1", Description: "do it", Rationale: "why", Risk: "none"}},
		Operations: []plan.Operation{
			{ID: "o1", Step: "s1", Tool: "edit_file", Args: json.RawMessage(`{"path":"/nowhere/ws/a.txt","old_string":"b","n":9007199254740993}`), Path: "a.txt"},
			{ID: "o2", Step: "s1", Tool: "run_command", Args: json.RawMessage(`{"command":"go test"}`), Command: "go test"},
		},
		Changes: []plan.Change{{
			Path: "a.txt", Action: plan.Update, Base: plan.BlobOf(base), Proposed: plan.BlobOf(proposed), BaseExists: true, Mode: 0o644,
			Hunks: plan.Hunks(plan.Update, base, proposed, nil), Operations: []string{"o1"},
		}},
	}, func(b plan.Blob) string { return texts[b] })
	return p, texts
}

func relative(s string) string { return strings.ReplaceAll(s, "/nowhere/ws/", "") }

func document(t testing.TB, p *plan.Plan, texts map[plan.Blob]string) *Document {
	t.Helper()
	return madeOf(t, Source{Plan: p, Decisions: []plan.Decision{
		{Revision: 1, Verdict: plan.VerdictReject, Hunks: []string{"h1"}, Reason: "in /nowhere/ws/a.txt", Who: "user", At: then},
	}}, texts)
}

func madeOf(t interface {
	Helper()
	Fatal(...any)
}, src Source, texts map[plan.Blob]string) *Document {
	t.Helper()
	src.Local = Local{Words: relative, Name: relative}
	src.Text = func(b plan.Blob) (string, error) {
		if text, ok := texts[b]; ok {
			return text, nil
		}
		return "", errors.New("no such text")
	}
	d, _, err := Make(src)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// hashed gives the revisions of a document that was changed their content hashes again, and what is said of
// them.
func hashed(d *Document) {
	hashes, err := d.contents()
	if err != nil {
		return // it is not to be read
	}
	was := map[string]string{}
	for i := range d.Revisions {
		was[d.Revisions[i].Content] = hashes[i]
		d.Revisions[i].Content = hashes[i]
	}
	for i := range d.Decisions {
		one := &d.Decisions[i]
		one.Content = was[one.Content]
		one.ID, _ = one.idOf()
	}
}

func encode(t testing.TB, d *Document) []byte {
	t.Helper()
	data, err := d.Encode(false)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestWhatIsExportedIsImported(t *testing.T) {
	line := rapid.SampledFrom([]string{"a\n", "b\n", "c\r\n", "d\r", "\n", "é\n", "x"})
	text := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(line, 0, 8).Draw(t, "lines"), "") })
	rapid.Check(t, func(rt *rapid.T) {
		base, proposed := text.Draw(rt, "base"), text.Draw(rt, "proposed")
		if base == proposed {
			return
		}
		p, texts := planOf(base, proposed)
		in, err := Read(encode(t, document(t, p, texts)), rules())
		if err != nil {
			rt.Fatalf("%q → %q: %v", base, proposed, err)
		}
		if diff := cmp.Diff(texts, in.Texts); diff != "" {
			rt.Fatal(diff)
		}
		q := &plan.Plan{Number: 7, Goal: in.Goal}
		in.Into(q, func(b plan.Blob) string { return in.Texts[b] }, func(*plan.Revision) {})
		got := q.Latest()
		want := p.Latest()
		if diff := cmp.Diff(want.Changes, got.Changes); diff != "" {
			rt.Fatalf("changes: %s", diff)
		}
		if diff := cmp.Diff(want.Steps, got.Steps); diff != "" {
			rt.Fatalf("steps: %s", diff)
		}
		if len(got.Operations) != 2 || got.Operations[1].Command != "go test" || q.NextOperation != 2 || q.Goal != "tidy up" {
			rt.Fatalf("operations: %+v", got.Operations)
		}
	})
}

// Whoever exported a plan decides whether a new file is a program, and nothing else about who may
// read or write a file.
func TestPermissionsOfAnImport(t *testing.T) {
	for mode, want := range map[uint32]struct{ create, update uint32 }{
		0: {0, 0}, 0o644: {0o644, 0o644}, 0o666: {0o644, 0o644}, 0o600: {0o644, 0o600}, 0o777: {0o755, 0o755}, 0o755: {0o755, 0o755}, 0o101: {0o755, 0o101},
	} {
		for action, want := range map[plan.Action]uint32{plan.Create: want.create, plan.Update: want.update} {
			base := "a\n"
			if action == plan.Create {
				base = ""
			}
			p, texts := planOf(base, "b\n")
			d := document(t, p, texts)
			c := &d.Revisions[0].Changes[0]
			c.Action, c.BaseExists, c.Mode = string(action), action == plan.Update, mode
			hashed(d)
			in, err := Read(encode(t, d), rules())
			if err != nil {
				t.Fatal(err)
			}
			if got := in.Revisions[0].Changes[0].Mode; got != want {
				t.Errorf("%s with %o: %o, want %o", action, mode, got, want)
			}
		}
	}
}

func TestLocalArgs(t *testing.T) {
	for args, want := range map[string]string{
		``: `{}`,
		`{"path": "/nowhere/ws/a", "old_string": "/nowhere/ws/a"}`: `{"path":"a","old_string":"/nowhere/ws/a"}`,
		`{"": "path", "/nowhere/ws/x": "/nowhere/ws/a", "cwd": 1}`: `{"":"path","/nowhere/ws/x":"/nowhere/ws/a","cwd":1}`,
		`{"path": {"path": "/nowhere/ws/a"}, "n": [1.50, "path"]}`: `{"path":{"path":"/nowhere/ws/a"},"n":[1.50,"path"]}`,
		`["path", "/nowhere/ws/a"]`:                                `["path","/nowhere/ws/a"]`,
	} {
		if got, err := localArgs(json.RawMessage(args), relative); err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v, want %s", args, got, err, want)
		}
	}
	if got, err := localArgs(json.RawMessage(`{"path": `), relative); err == nil {
		t.Errorf("half of an object is %s", got)
	}
}

func TestNothingOfTheMachineIsExported(t *testing.T) {
	p, texts := planOf("a\n", "b\n")
	p.Progress.MarkCommand("o2", plan.CommandMark{Status: plan.CommandSucceeded, Output: "token=123"})
	data := string(encode(t, document(t, p, texts)))
	for _, secret := range []string{"/nowhere", `"c1"`, "token=123"} {
		if strings.Contains(data, secret) {
			t.Errorf("the file has %s:\n%s", secret, data)
		}
	}
	if !strings.Contains(data, "9007199254740993") {
		t.Error("a number has lost digits")
	}
	again := string(encode(t, document(t, p, texts)))
	if data != again {
		t.Error("two exports of one plan differ")
	}
}

// Each hostile file is one change of a good one.
func TestWhatIsWrongIsRefused(t *testing.T) {
	r := func(d *Document) *Revision { return &d.Revisions[0] }
	c := func(d *Document) *Change { return &r(d).Changes[0] }
	o := func(d *Document) *plan.Operation { return &r(d).Operations[0] }
	h := func(d *Document) *Hunk { return &c(d).Hunks[0] }
	for name, test := range map[string]struct {
		change func(*Document)
		want   string
	}{
		"newer":          {func(d *Document) { d.Version = 4 }, "was written by a newer Redline (version 4 of the format, this one knows 3)"},
		"no version":     {func(d *Document) { d.Version = 0 }, "version 0"},
		"something else": {func(d *Document) { d.Format = "x" }, "is not a plan file"},
		"id":             {func(d *Document) { d.ID = "../../x" }, "not the id of a plan"},
		"current":        {func(d *Document) { d.Current = 3 }, "no revision 3"},
		"numbers":        {func(d *Document) { r(d).Revision = 2 }, "numbered from 1"},
		"goal":           {func(d *Document) { d.Goal = strings.Repeat("x", maxGoal+1) }, "the goal has more than"},
		"text":           {func(d *Document) { d.Texts[0].Lines = []string{"other\n"} }, "was changed or damaged"},
		"text too long": {func(d *Document) {
			text := strings.Repeat("x", 2<<20)
			name := string(plan.BlobOf(text))
			d.Texts, c(d).Base = append(d.Texts, Text{name, []string{text}}), name
		}, "more than 1048576 bytes"},
		"text too long for its file": {func(d *Document) {
			text := strings.Repeat("x", 1<<19+1)
			name := string(plan.BlobOf(text))
			d.Texts, c(d).Base = append(d.Texts, Text{name, []string{text}}), name
		}, "a text of more than 524288 bytes, which is more than this file may have here"},
		"text missing":    {func(d *Document) { d.Texts = d.Texts[:1] }, "has a text that is not in the file"},
		"hunk outside":    {func(d *Document) { h(d).Old[1] = 1 << 40 }, "is not whole lines"},
		"hunk backwards":  {func(d *Document) { h(d).Old = [2]int{4, 2} }, "not"},
		"hunk negative":   {func(d *Document) { h(d).New[0] = -1 }, "not where its texts differ"},
		"hunk in a line":  {func(d *Document) { h(d).Old[1]-- }, "not whole lines"},
		"hunk elsewhere":  {func(d *Document) { h(d).Old = [2]int{0, 2} }, "not"},
		"hunk left out":   {func(d *Document) { c(d).Hunks = nil }, "do not lead from its base text"},
		"hunk id":         {func(d *Document) { h(d).ID = "h1\n- [x]" }, "not the id of one hunk"},
		"hunk match":      {func(d *Document) { h(d).Match = "looks good" }, "no matching step"},
		"hunk operations": {func(d *Document) { h(d).Operations = []string{"o9"} }, "operations of something else"},
		"above":           {func(d *Document) { c(d).Path = "../a.txt" }, "outside the workspace"},
		"absolute":        {func(d *Document) { c(d).Path = "/etc/passwd" }, "outside the workspace"},
		"absolute inside": {func(d *Document) { c(d).Path = "/nowhere/ws/a.txt" }, "not the path of a file"},
		"not clean":       {func(d *Document) { c(d).Path = "./a.txt" }, "not the path of a file"},
		"git":             {func(d *Document) { c(d).Path = ".GIT/hooks/pre-commit" }, "inside .git"},
		"own":             {func(d *Document) { c(d).Path = ".redline/templates/x.md" }, "belongs to Redline"},
		"secret":          {func(d *Document) { c(d).Path = ".env" }, "may hold secrets"},
		"no path":         {func(d *Document) { c(d).Path = "" }, "no file was named"},
		"twice":           {func(d *Document) { r(d).Changes = append(r(d).Changes, *c(d)) }, "two changes"},
		"a path of another": {func(d *Document) {
			moved, chained := *c(d), *c(d)
			moved.Action, moved.Path, moved.NewPath, moved.Hunks = "rename", "b.txt", "c.txt", []Hunk{{ID: "h2", Old: h(d).Old, New: h(d).New}}
			chained.Action, chained.Path, chained.NewPath = "rename", "a.txt", "b.txt"
			r(d).Changes = []Change{chained, moved}
		}, `two changes of "b.txt"`},
		"action":             {func(d *Document) { c(d).Action = "chmod" }, "which nothing can do"},
		"mode":               {func(d *Document) { c(d).Mode = 0o4755 }, "permission bits"},
		"create over":        {func(d *Document) { c(d).Action = "create" }, "does not fit"},
		"delete half":        {func(d *Document) { c(d).Action = "delete" }, "does not fit its texts"},
		"rename to nothing":  {func(d *Document) { c(d).Action = "rename" }, "new path"},
		"made by nobody":     {func(d *Document) { c(d).Operations = []string{"o7"} }, "operations that are not there"},
		"made by a command":  {func(d *Document) { c(d).Operations = []string{"o2"} }, "is made by operations"},
		"made by one twice":  {func(d *Document) { c(d).Operations = []string{"o1", "o1"} }, "named twice"},
		"moved by one twice": {func(d *Document) { c(d).MovedBy = []string{"o1", "o1"} }, "named twice"},
		"hunk by one twice":  {func(d *Document) { h(d).Operations = []string{"o1", "o1"} }, "named twice"},
		"step depends twice": {func(d *Document) {
			r(d).Steps = append(r(d).Steps, plan.Step{ID: "s2", DependsOn: []string{"s1", "s1"}})
		}, "twice"},
		"byte order mark":    {func(d *Document) { c(d).BOM = true }, "byte order mark"},
		"operation id":       {func(d *Document) { o(d).ID = "1" }, "not the id of one operation"},
		"operation twice":    {func(d *Document) { r(d).Operations[1].ID = "o1" }, "not the id of one operation"},
		"tool":               {func(d *Document) { o(d).Tool = "read_file" }, "no tool that a plan can have"},
		"step":               {func(d *Document) { o(d).Step = "s2" }, "which is not there"},
		"arguments":          {func(d *Document) { o(d).Args = json.RawMessage(`[1]`) }, "no object"},
		"argument outside":   {func(d *Document) { o(d).Args = json.RawMessage(`{"path":"/etc/passwd"}`) }, "outside the workspace"},
		"another command":    {func(d *Document) { r(d).Operations[1].Args = json.RawMessage(`{"command":"rm -rf ~"}`) }, "does not show the command"},
		"command in an edit": {func(d *Document) { o(d).Command = "x" }, "its tool does not run"},
		"folder of a command": {func(d *Document) {
			r(d).Operations[1].Args = json.RawMessage(`{"command":"go test","cwd":"../.."}`)
		}, "outside the workspace"},
		"step id":        {func(d *Document) { r(d).Steps[0].ID = "a b" }, "not the id of one step"},
		"step on itself": {func(d *Document) { r(d).Steps[0].DependsOn = []string{r(d).Steps[0].ID} }, "depends on itself"},
		"steps in a circle": {func(d *Document) {
			r(d).Steps[0].DependsOn = []string{"s2"}
			r(d).Steps = append(r(d).Steps, plan.Step{ID: "s2", DependsOn: []string{r(d).Steps[0].ID}})
		}, "wait for one another in a circle"},
		"step depends": {func(d *Document) { r(d).Steps[0].DependsOn = []string{"s7"} }, "depends on"},
		"only words":   {func(d *Document) { r(d).TextOnly = true }, "in words only and has operations"},
		"nothing":      {func(d *Document) { r(d).Changes, r(d).Operations = nil, nil }, "does nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			p, texts := planOf("a\nb\nc\n", "a\nB\nc\n")
			d := document(t, p, texts)
			test.change(d)
			if len(d.Revisions) == 1 && d.Revisions[0].Revision == 1 {
				hashed(d)
			}
			_, err := Read(encode(t, d), rules())
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestWhatIsNoJSONIsRefused(t *testing.T) {
	p, texts := planOf("a\n", "b\n")
	good := string(encode(t, document(t, p, texts)))
	for _, data := range []string{
		"", "null", "{}", "[]", "\x00\xff", good[:len(good)/2], good + good, strings.Repeat("[", 20000),
		strings.Replace(good, `"goal"`, `"approved": true, "goal"`, 1), // an unknown member
		strings.Replace(good, `"goal"`, `"goal": "other", "goal"`, 1),  // a duplicate member
		strings.Replace(good, "tidy up", "tidy \xff up", 1),
		strings.Replace(good, `"mode": 420`, `"mode": "rw"`, 1),
	} {
		if _, err := Read([]byte(data), rules()); err == nil || strings.Contains(err.Error(), "share.") {
			t.Errorf("%.60q: got %v", data, err)
		}
	}
	if _, err := Read(make([]byte, MaxSize+1), rules()); err == nil || !strings.Contains(err.Error(), "larger than 64 MiB") {
		t.Errorf("got %v", err)
	}
}

// Any file is either refused or a plan that can be shown and applied.
func FuzzImport(f *testing.F) {
	p, texts := planOf("a\nb\nc\n", "a\nB\nc\nd")
	good := encode(f, document(f, p, texts))
	f.Add(good)
	f.Add([]byte(strings.ReplaceAll(string(good), "a.txt", "../a.txt")))
	f.Add([]byte(strings.Replace(string(good), "[\n                2,", "[\n                1,", 1)))
	f.Add([]byte(`{"format":"redline-plan","version":1,"current":1,"revisions":[{"revision":1,"changes":[{}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := Read(data, rules())
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("not one line: %q", err)
			}
			return
		}
		p := &plan.Plan{Number: 1}
		r := p.Add(in.Revisions[0], func(b plan.Blob) string { return in.Texts[b] })
		for i := range r.Changes {
			c := &r.Changes[i]
			base, proposed := in.Texts[c.Base], in.Texts[c.Proposed]
			if got, err := edits.Apply(base, c.Edits(proposed)); err != nil || got != proposed {
				t.Errorf("%s does not lead from base to proposed: %v", c.Path, err)
			}
			if clean, err := rules().Clean(c.Path); err != nil || clean != c.Path {
				t.Errorf("the path %q was let through", c.Path)
			}
		}
	})
}

// Every field of the format is on its page, and the page has no other.
func TestFormatPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/plan-format.md")
	if err != nil {
		t.Fatal(err)
	}
	described, optional := map[string]bool{}, map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z]+)\\.([A-Za-z]+)` \\| (optional; )?[^ |]").FindAllStringSubmatch(string(page), -1) {
		described[m[1]+"."+m[2]], optional[m[1]+"."+m[2]] = true, m[3] != ""
	}
	for name, v := range map[string]any{
		"plan": Document{}, "revision": Revision{}, "unfinished": plan.Unfinished{}, "refused": plan.Refused{}, "step": plan.Step{}, "when": plan.Condition{}, "operation": plan.Operation{}, "change": Change{}, "hunk": Hunk{},
		"decision": Decision{}, "comment": Comment{}, "trial": Trial{}, "report": Report{}, "problem": Problem{}, "checked": plan.Checked{}, "exchange": Exchange{}, "progress": Progress{}, "status": Status{}, "text": Text{},
	} {
		for f := range reflect.TypeOf(v).Fields() {
			field, omitted, _ := strings.Cut(f.Tag.Get("json"), ",")
			if !described[name+"."+field] {
				t.Errorf("docs/reference/plan-format.md does not have %s.%s", name, field)
			}
			if got := optional[name+"."+field]; got != (omitted != "") {
				t.Errorf("docs/reference/plan-format.md says that %s.%s is optional: %v", name, field, got)
			}
			delete(described, name+"."+field)
		}
	}
	for name := range described {
		t.Errorf("docs/reference/plan-format.md describes %s, which is not in the format", name)
	}
	_, example, _ := strings.Cut(string(page), "```json\n")
	example, _, _ = strings.Cut(example, "```")
	if in, err := Read([]byte(example), rules()); err != nil || len(in.Revisions[0].Changes) != 1 {
		t.Errorf("the example of docs/reference/plan-format.md cannot be imported: %v", err)
	}
}

// What a turn left undone is exported with its plan, as one line each.
func TestWhatWasLeftUndoneIsShared(t *testing.T) {
	p, texts := planOf("a\n", "b\n")
	p.Latest().Unfinished = plan.Unfinished{
		Stopped: "Ended.", NotTaken: "Two blocks.", Refused: []plan.Refused{{Path: "/nowhere/ws/c.go", Reason: "not\nthere", Tool: "edit_file"}, {Reason: "no such folder", Tool: "run_command"}},
	}
	got, err := Read(encode(t, document(t, p, texts)), rules())
	if err != nil {
		t.Fatal(err)
	}
	want := plan.Unfinished{Stopped: "Ended.", NotTaken: "Two blocks.", Refused: []plan.Refused{{Path: "c.go", Reason: "not there", Tool: "edit_file"}, {Reason: "no such folder", Tool: "run_command"}}}
	if diff := cmp.Diff(want, got.Revisions[0].Unfinished); diff != "" {
		t.Error(diff)
	}
	p.Latest().Unfinished.Stopped = strings.Repeat("x", maxGoal+1)
	if _, err := Read(encode(t, document(t, p, texts)), rules()); err == nil || !strings.Contains(err.Error(), "left undone") {
		t.Errorf("too many words were taken: %v", err)
	}
}

func TestAPlanInWordsIsShared(t *testing.T) {
	p, texts := planOf("a\n", "b\n")
	r := p.Latest()
	r.TextOnly, r.Predicted, r.Operations, r.Changes = true, []string{"a.go", "b/c.go"}, nil, nil
	d := document(t, p, texts)
	got, err := Read(encode(t, d), rules())
	if err != nil {
		t.Fatal(err)
	}
	if !got.Revisions[0].TextOnly || !slices.Equal(got.Revisions[0].Predicted, r.Predicted) {
		t.Errorf("got %+v", got.Revisions[0])
	}
}

// TestEveryMatchIsImported imports a hunk found in each possible way.
func TestEveryMatchIsImported(t *testing.T) {
	for _, match := range []string{
		"", "exact", "line", "line endings", "indentation", "look-alikes", "end of file",
		"left-out lines kept", "indentation, left-out lines kept",
	} {
		p, texts := planOf("a\n", "b\n")
		d := document(t, p, texts)
		d.Revisions[0].Changes[0].Hunks[0].Match = match
		hashed(d)
		if _, err := Read(encode(t, d), rules()); err != nil {
			t.Errorf("%q: %v", match, err)
		}
	}
	p, texts := planOf("a\n", "b\n")
	d := document(t, p, texts)
	d.Revisions[0].Changes[0].Hunks[0].Match = "indentation, exact"
	hashed(d)
	if _, err := Read(encode(t, d), rules()); err == nil {
		t.Error("a match that there is not is imported")
	}
}
