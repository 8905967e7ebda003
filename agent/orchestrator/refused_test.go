package orchestrator_test

import (
	"strings"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/model"
)

// A refused edit of one specialist counts as done if a later one makes it, since that one has read the
// answer of the first, or if its text is there, whoever has staged it. Another edit of the same file
// does not count, nor a similar one by a specialist that worked at the same time.
func TestRefusedToOneAndDoneByAnother(t *testing.T) {
	refused := agenttest.Edit("a.txt", "the onee", "the figure 1")
	for name, c := range map[string]struct {
		order string
		other []model.Call
		left  bool // the plan says that the edit is left out
	}{
		"later":                       {`["code","docs"]`, []model.Call{agenttest.Edit("a.txt", "the one", "the digit 1")}, false},
		"later, another edit":         {`["code","docs"]`, []model.Call{agenttest.Edit("a.txt", "words", "letters")}, true},
		"later, another file":         {`["code","docs"]`, []model.Call{agenttest.Edit("b.txt", "two", "the figure 1")}, true},
		"at the same time":            {`[{"parallel":["code","docs"]}]`, []model.Call{agenttest.Edit("a.txt", "the one", "the figure 1")}, false},
		"at the same time, otherwise": {`[{"parallel":["code","docs"]}]`, []model.Call{agenttest.Edit("a.txt", "words", "letters")}, true},
		"at the same time, similar":   {`[{"parallel":["code","docs"]}]`, []model.Call{agenttest.Edit("a.txt", "the one", "the digit 1")}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s, parts := agenttest.Specialists(t, map[string]string{"a.txt": "the one\nwords\nmore\nand more\n", "b.txt": "two\n"})
			parts.Plans(c.order, "figures")
			parts.Stages("code", "One could not be found.", refused)
			parts.Stages("docs", "Done.", c.other...)
			turn := s.AskSpecialists("figures")
			p := planOf(s, turn)
			if said := strings.Join(turn.Unfinished, "\n"); (said != "") != c.left || (len(p.Unfinished) > 0) != c.left || strings.Contains(p.Description, "Left out: a.txt") != c.left {
				t.Errorf("left undone: %q, in the plan %q; described as\n%s", turn.Unfinished, p.Unfinished, p.Description)
			}
		})
	}
}
