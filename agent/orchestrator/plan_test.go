package orchestrator

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/agent/model"
)

func specialistsRegistry(t testing.TB, files ...File) *Registry {
	t.Helper()
	r, notices := NewRegistry(known, files, nil)
	if len(notices) > 0 {
		t.Fatalf("notices: %q", notices)
	}
	return r
}

func TestParsePlan(t *testing.T) {
	r := specialistsRegistry(t)
	for _, test := range []struct{ text, route, notes string }{
		{`{"priorityOrder":["code"],"refinedTask":"x"}`, "code", ""},
		{`{"priorityOrder":["code",{"parallel":["tests","docs","tests"]},"review"],"instructions":null,"extractedContext":null}`, "code, then tests and docs at the same time, then review", ""},
		{`{"priorityOrder":[{"specialist":"docs","after":["code"]},{"specialist":"code","after":[]},{"specialist":"tests","after":["code"]}]}`, "code, then docs and tests at the same time", ""},
		{`{"one":"code"}`, "code", ""},
		{`{"one":"code","priorityOrder":["code"],"refinedTask":"x"}`, "code", ""},
		{`{"one":true,"priorityOrder":["code"]}`, "code", ""},
		{`{"one":false,"priorityOrder":["code","tests"]}`, "code, then tests", ""},
		{`{"one":null,"priorityOrder":["code"]}`, "code", ""},
		{`{"priorityOrder":["code","review","code"]}`, "code, then review, then code", ""},
		{`{"priorityOrder":["nobody","code",{"specialist":"tests","after":["who"]}]}`, "code and tests at the same time", `There is no specialist "nobody"; it was left out. tests was to come after "who", which does not work on this.`},
		{`{"priorityOrder":[{"specialist":"docs","after":["code"]},{"specialist":"code","after":["docs"]}]}`, "docs, then code", "The order went in a circle; the specialists work one after the other as they were listed."},
		{`{"priorityOrder":[{"specialist":"docs","after":["docs"]}]}`, "docs", "The order went in a circle; the specialists work one after the other as they were listed."},
		{`{"priorityOrder":["code","tests","docs","review","run"]}`, "code, then tests, then docs, then review", "The planner wanted 5 specialists; only the first 4 work, which is the limit of steps."},
	} {
		p, err := ParsePlan(test.text, r, 4)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		if got := p.Route(); got != test.route {
			t.Errorf("%s\ngoes %q, want %q", test.text, got, test.route)
		}
		if got := strings.Join(p.Notes, " "); got != test.notes {
			t.Errorf("%s\nnotes %q, want %q", test.text, got, test.notes)
		}
	}
}

// Values without names are one entry.
func TestExtractedContextInAnyForm(t *testing.T) {
	r := specialistsRegistry(t)
	for given, want := range map[string]string{
		`"see https://example.org/7"`:  `{"values":"see https://example.org/7"}`,
		`["https://example.org/7", 7]`: `{"values":["https://example.org/7",7]}`,
		`7`:                            `{"values":7}`,
		`{"issue":7}`:                  `{"issue":7}`,
		`null`:                         `null`,
		`""`:                           `null`,
		`[]`:                           `null`,
	} {
		p, err := ParsePlan(`{"priorityOrder":["code"],"refinedTask":"x","extractedContext":`+given+`}`, r, 4)
		if err != nil {
			t.Errorf("%s: %v", given, err)
			continue
		}
		got, err := json.Marshal(p.Context)
		if err != nil || string(got) != want {
			t.Errorf("%s is read as %s, %v, want %s", given, got, err, want)
		}
		if lost := p.AddPrecise("Look at https://example.org/7"); strings.Contains(given, "example.org") && len(lost) > 0 {
			t.Errorf("%s: %q was added again", given, lost)
		}
	}
}

func TestParsePlanRefuses(t *testing.T) {
	r := specialistsRegistry(t)
	for _, test := range []struct{ text, want string }{
		{"", "cannot be read"},
		{"Sure! {\"priorityOrder\":[\"code\"]}", "cannot be read"},
		{`{"priorityOrder":"code"}`, "cannot be read"},
		{`{"priorityOrder":["code"],"priorityOrder":["run"]}`, "given twice"},
		{`{"one":"nobody"}`, "names none of the specialists"},
		{`{"one":true}`, `"one" is the id of the only specialist`},
		{`{"one":true,"priorityOrder":["code","tests"]}`, `"one" is the id of the only specialist`},
		{`{"one":"code","priorityOrder":["tests"]}`, `"one" is the id of the only specialist`},
		{`{"one":["code"]}`, `"one" is the id of the only specialist`},
		{`{"priorityOrder":[]}`, "names none of the specialists general, code"},
		{`{"priorityOrder":["nobody"]}`, "names none of the specialists"},
		{`{"priorityOrder":[["code"]]}`, "each member of priorityOrder is"},
		{`{"priorityOrder":[{"parallel":[]}]}`, "each member of priorityOrder is"},
		{`{"priorityOrder":["code"],"refinedTask":"` + strings.Repeat("x", maxTask+1) + `"}`, "may have 16 KiB each"},
	} {
		if _, err := ParsePlan(test.text, r, 4); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.80s: %v, want %q", test.text, err, test.want)
		}
	}
}

// The instructions for a specialist may be written flat, under the name of its id in another
// spelling.
func TestInstructionsWrittenFlat(t *testing.T) {
	r := specialistsRegistry(t, agentFile("sql-writer", "---\ndescription: x\n---\nx\n"),
		agentFile("ab-c", "---\ndescription: x\n---\nx\n"), agentFile("a-bc", "---\ndescription: x\n---\nx\n"))
	for _, c := range []struct{ members, id, want, notes string }{
		{`"instructionsForGeneral":"mind it"`, "general", "mind it", ""},
		{`"instructionsForSqlWriter":"mind it"`, "sql-writer", "mind it", ""},
		{`"instructions_for_SQL_writer":" mind it "`, "sql-writer", "mind it", ""},
		{`"InstructionsForSql-Writer":"mind it"`, "sql-writer", "mind it", ""},
		{`"instructionsForCode":"mind it","instructions":{"code":"mind it"}`, "code", "mind it", ""},
		{`"instructionsForCode":"be short","instructions":{"code":"mind it"}`, "code", "mind it\nbe short", ""},
		{`"instructions":{"Code":"mind it"}`, "code", "mind it", ""},
		{`"instructionsForCode":null`, "code", "", ""},
		{`"instructionsForab-c":"mind it"`, "ab-c", "mind it", ""},
		{`"instructionsForAbc":"mind it"`, "ab-c", "", `The planner's "instructionsForAbc" names no specialist; it was left out.`},
		{`"instructionsForNobody":"mind it"`, "code", "", `The planner's "instructionsForNobody" names no specialist; it was left out.`},
	} {
		p, err := ParsePlan(`{"priorityOrder":["code"],`+c.members+`}`, r, 4)
		if err != nil {
			t.Errorf("%s: %v", c.members, err)
			continue
		}
		if got := p.Instructions[c.id]; got != c.want || strings.Join(p.Notes, " ") != c.notes {
			t.Errorf("%s: %s is told %q, want %q; notes %q", c.members, c.id, got, c.want, p.Notes)
		}
	}
	if _, err := ParsePlan(`{"priorityOrder":["code"],"instructionsForCode":["mind it"]}`, r, 4); err == nil || err.Error() != `"instructionsForCode" is no text` {
		t.Errorf("a list was taken: %v", err)
	}
}

func TestKeep(t *testing.T) {
	p := &Plan{
		RefinedTask: "Change the time limit of fetchAll to 120 seconds",
		Context:     map[string]json.RawMessage{"url": json.RawMessage(`"https://a.test/x?a=1\u0026b=2"`)},
	}
	lost := p.AddPrecise("set the timeout of fetchAll to 120, not 12, for https://a.test/x?a=1&b=2 and https://a.test/x")
	if diff := cmp.Diff([]string{"12", "https://a.test/x"}, lost); diff != "" {
		t.Errorf("lost (-want +got):\n%s", diff)
	}
	if task := p.Task("code", "", "", Before{}); !strings.Contains(task, `"https://a.test/x"`) || !strings.Contains(task, "x?a=1&b=2") {
		t.Errorf("the task has lost an address:\n%s", task)
	}
	if again := p.AddPrecise("fetchAll 12 https://a.test/x"); again != nil {
		t.Errorf("%q is in the plan and was kept once more", again)
	}
}

// A plan that continues after an answer keeps the precise words that the planner left out
// of the request, and adds those that it left out of the answer.
func TestPreciseWordsOfThePlanBefore(t *testing.T) {
	before := &Plan{RefinedTask: "Change it"}
	before.AddPrecise("use https://a.test/x")
	for name, next := range map[string]*Plan{
		"a new plan":           {RefinedTask: "Change it", Context: map[string]json.RawMessage{"name": json.RawMessage(`"fetchAll"`)}},
		"the rest of the plan": before.Rest(func(int) bool { return false }),
	} {
		next.InheritContext(before)
		if lost := next.AddPrecise("and 120 seconds"); !slices.Equal(lost, []string{"120"}) {
			t.Errorf("%s: %q were added", name, lost)
		}
		if got := string(next.Context[preciseName]); got != `["https://a.test/x","120"]` {
			t.Errorf("%s keeps %s", name, got)
		}
	}
	if got := string(before.Context[preciseName]); got != `["https://a.test/x"]` {
		t.Errorf("the plan before has %s now", got)
	}
}

func TestFallback(t *testing.T) {
	r := specialistsRegistry(t)
	for _, c := range []struct{ request, recent, want string }{
		{"make it so", "", "general"},
		{"Rename the function and write tests for it", "", "code, then tests"},
		{"update the README, then run the build", "", "docs, then run"},
		{"create an agent that knows SQL", "", "agents"},
		{"code tests docs agents run review and improve", "", "code, then tests, then docs, then agents"},
		{"do the same for b.txt", "user: write tests for a.txt\nRedline: Done.", "tests"},
		{"yes please", "user: rename the function\nRedline: Shall the README say so too?", "docs"},
		{"and the README", "user: write tests for a.txt\nRedline: Done.", "docs"},
		{"again", "(earlier messages that are not shown: 12)\nuser: hello\nRedline: Hello.", "general"},
	} {
		p := Fallback(c.request, c.recent, r, 4)
		if p.Route() != c.want || p.RefinedTask != c.request || p.By != ByRules {
			t.Errorf("%q after %q goes %q, want %q", c.request, c.recent, p.Route(), c.want)
		}
		if told := len(p.Notes) > 0; told != (c.recent != "" && c.want != "general" && c.request != "and the README") {
			t.Errorf("%q after %q has the notes %q", c.request, c.recent, p.Notes)
		}
	}
}

func TestRecent(t *testing.T) {
	said := []model.Message{
		{Role: model.RoleUser, Content: "the first, which is too long ago"},
		{Role: model.RoleUser, Content: "one"}, {Role: model.RoleAssistant, Content: "two"}, {Role: model.RoleUser, Content: "three"},
		{Role: model.RoleAssistant, Content: strings.Repeat("many words ", 40) + "https://a.test/kept"},
	}
	got := Recent(said)
	if !strings.HasPrefix(got, "(earlier messages that are not shown: 1)\n") || strings.Contains(got, "first") || !strings.Contains(got, "user: one\nRedline: two") || !strings.HasSuffix(got, "… https://a.test/kept") || len(got) > 2*recentBytes {
		t.Errorf("recent is %q", got)
	}
	if Recent(nil) != "" {
		t.Error("nothing was said, and something is told")
	}
}

func TestExpand(t *testing.T) {
	r := specialistsRegistry(t,
		agentFile("outer", "---\ndescription: x\nmode: delegator\ndelegates: [inner, docs]\n---\n"),
		agentFile("inner", "---\ndescription: x\nmode: delegator\ndelegates: [outer, tests, code]\n---\n"))
	for _, test := range []struct {
		name, task string
		answers    []string
		want       string
	}{
		{"the model chooses", "x", []string{`{"specialist":"docs"}`}, "docs by model"},
		{"twice", "x", []string{"```json\n{\"specialist\":\"inner\"}\n```", "tests."}, "inner by model, tests by model"},
		{"among words", "x", []string{`I take {"specialist":"docs"} for it.`}, "docs by model"},
		{"it names two", "mend the docs", []string{`{"specialist":"inner"} or {"specialist":"docs"}`}, "docs by rules"},
		{"it names another", "mend the docs", []string{"review"}, "docs by rules"},
		{"it fails and no word says", "x", []string{"!", "!"}, "inner by rules, tests by rules"},
	} {
		p := &Plan{RefinedTask: test.task, Work: []Assignment{{Specialist: "outer"}}, Instructions: map[string]string{"outer": "mind the gap"}}
		var told []string
		choose := func(context.Context, *Specialist, []*Specialist, string) (string, error) {
			answer := test.answers[0]
			test.answers = test.answers[1:]
			if answer == "!" {
				return "", errors.New("no")
			}
			return answer, nil
		}
		if err := r.Expand(t.Context(), p, choose, func(_, to, by string) { told = append(told, to+" by "+by) }); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(told, ", "); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
		if leaf := p.Work[0].Specialist; r.Find(leaf).Delegates != nil || p.Instructions[leaf] != "mind the gap" {
			t.Errorf("%s: the plan is %+v", test.name, p)
		}
	}
}

// Two delegators that name only each other are replaced by a specialist that works.
func TestExpandEndsInACircle(t *testing.T) {
	r := specialistsRegistry(t,
		agentFile("one", "---\ndescription: x\nmode: delegator\ndelegates: [two]\n---\n"),
		agentFile("two", "---\ndescription: x\nmode: delegator\ndelegates: [one]\n---\n"))
	p := &Plan{Work: []Assignment{{Specialist: "one"}}, Instructions: map[string]string{}}
	if err := r.Expand(t.Context(), p, nil, func(string, string, string) {}); err != nil || p.Work[0].Specialist != General {
		t.Errorf("%+v, %v", p, err)
	}
}

func FuzzParsePlan(f *testing.F) {
	f.Add(`{"priorityOrder":["code",{"parallel":["tests","docs"]},{"specialist":"review","after":["code"]}],"refinedTask":"x","extractedContext":{"a":1},"instructions":{"code":"y"}}`)
	f.Add("```\n{}\n```")
	r := specialistsRegistry(f)
	f.Fuzz(func(t *testing.T, text string) {
		object, err := ReadAnswer(text)
		if err != nil {
			return
		}
		p, err := ParsePlan(object, r, 4)
		if err != nil {
			return
		}
		if len(p.Work) == 0 || len(p.Work) > 4 {
			t.Fatalf("%d work", len(p.Work))
		}
		for i, w := range p.Work {
			for _, k := range w.After {
				if p.Work[k].Level >= w.Level {
					t.Errorf("assignment %d does not come after %d: %+v", i, k, p.Work)
				}
			}
		}
		p.AddPrecise(text)
		p.Task("code", "", "", Before{})
	})
}
