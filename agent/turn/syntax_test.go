package turn_test

import (
	"strings"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/model"
	"redline/agent/view"
)

const settings = "{\n  \"port\": 80\n}\n"

// The answer to an edit tells the model that the file does not parse, and the model fixes it: the
// plan has no note.
func TestAModelFixesWhatDoesNotParse(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.json": settings})
	s.Model.Will(
		agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.json", "80\n", "80\n  \"host\": \"x\"\n")}},
		agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.json", "80\n", "80,\n")}},
		agenttest.Reply{Text: "It has a host."},
	)
	p := s.Plan("add a host")
	var answers []string
	for _, m := range s.LastAsked() {
		if m.Role == model.RoleTool {
			answers = append(answers, m.Content)
		}
	}
	if len(answers) != 2 || !strings.HasSuffix(answers[0], "\na.json does not parse now: line 3: invalid character '\"' after object value (expecting ',' or '}')") ||
		!strings.HasSuffix(answers[1], "\na.json parses again.") {
		t.Errorf("the model was answered %q", answers)
	}
	if page := s.Preview("0001-r1.md"); p.Files[0].Syntax != "" || strings.Contains(page, "parse") {
		t.Errorf("the state says %q, and the preview\n%s", p.Files[0].Syntax, page)
	}
}

// The plan shows which files do not parse as proposed, until a part of them is decided; a revision
// in which they parse has no note.
func TestTheUserSeesWhatDoesNotParse(t *testing.T) {
	files := map[string]string{"a.json": settings, "b.json": "{\n  'was': wrong\n}\n", "c.txt": "c\n"}
	breaks := []model.Call{agenttest.Edit("a.json", "{\n", "{\n  \"a\" 1,\n"), agenttest.Edit("a.json", "80\n", "81\n"), agenttest.Edit("b.json", "was", "is"), agenttest.Edit("c.txt", "c", "{")}
	const problem = "line 2: invalid character '1' after object name"
	syntax := func(s *agenttest.Session) string {
		var said []string
		for _, f := range s.PlanNow(1).Files {
			if f.Syntax != "" {
				said = append(said, f.Path+": "+f.Syntax)
			}
		}
		return strings.Join(said, "; ")
	}

	s := agenttest.New(t, files)
	s.Model.Stages(breaks...)
	p := s.Plan("change all")
	if got := syntax(s); got != "a.json: "+problem {
		t.Errorf("the state says %q", got)
	}
	if page := s.Preview("0001-r1.md"); !strings.Contains(page, "\n## Does not parse\n") || !strings.Contains(page, "\n\n- a.json: "+problem+"\n\n") {
		t.Errorf("the preview does not name a.json:\n%s", page)
	}
	s.Restart()
	if got := syntax(s); got != "a.json: "+problem {
		t.Errorf("after a restart the state says %q", got)
	}
	s.Rework(agenttest.Edit("a.json", "\"a\" 1", "\"a\": 1"))
	if got, page := syntax(s), s.Preview("0001-r2.md"); got != "" || strings.Contains(page, "parse") {
		t.Errorf("of a revision that parses the state says %q, and the preview\n%s", got, page)
	}

	s = agenttest.New(t, files)
	s.Model.Stages(breaks...)
	p = s.Plan("change all")
	s.MustApprove(view.Request{Plan: 1, Revision: 1, Hash: p.Hash, Hunks: []string{p.Files[0].Hunks[1].ID}})
	if got := syntax(s); got != "" {
		t.Errorf("once a part is decided, the state says %q", got)
	}
	s.Until("the preview does not name a.json any more", func() bool { return !strings.Contains(s.Preview("0001-r1.md"), "Does not parse") })
}
