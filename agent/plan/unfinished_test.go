package plan_test

import (
	"fmt"
	"testing"

	"redline/agent/plan"
)

// What a program has changed and no plan can have is one line, which says what to do.
func TestNotCarriedIsOneLine(t *testing.T) {
	refused := func(n int) (all []plan.Refused) {
		for i := range n {
			all = append(all, plan.Refused{Path: fmt.Sprintf("f%d", i+1), Reason: "it is a\nsymbolic link.", Tool: plan.InCopy})
		}
		return plan.FirstNotCarried(all)
	}
	for _, c := range []struct {
		all  []plan.Refused
		most int
		want string
	}{
		{refused(1), 2, "Not carried: f1 (it is a symbolic link). Make this change yourself."},
		{refused(2), 2, "Not carried: f1 (it is a symbolic link) and f2 (it is a symbolic link). Make these changes yourself."},
		{refused(3), 2, "Not carried: f1 (it is a symbolic link), f2 (it is a symbolic link) and 1 more. Make these changes yourself."},
		{refused(1500), 1, "Not carried: f1 (it is a symbolic link) and 1499 more. Make these changes yourself."},
	} {
		if said := plan.NotCarried(c.all, c.most); said != c.want {
			t.Errorf("%s\nwant %s", said, c.want)
		}
	}
	if n := len(refused(1500)); n != 1001 {
		t.Errorf("%d are stored", n)
	}
	mixed := plan.Unfinished{Stopped: "It failed.", Refused: append(refused(2), plan.Refused{Path: "a.go", Reason: "it is not there", Tool: "edit_file"})}
	if said := mixed.Sentences(); len(said) != 3 || said[0] != "It failed." || said[2] != plan.NotCarried(refused(2), 20) {
		t.Errorf("%q", said)
	}
}
