package agent_test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/model"
)

// Only names of the workspace become relative: the same letters in another name stay.
func TestWhatOnlyLooksLikeTheFolderIsExportedAsItIs(t *testing.T) {
	s := agenttest.New(t, nil)
	deep := "x" + filepath.ToSlash(s.Dir) + "/a.txt" // contains the folder's name in its own
	s.Write(deep, "one\n")
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit(deep, "one", "1")}}, agenttest.Reply{Text: fmt.Sprintf(
		"%[1]s/b.txt: not %[1]s2/b.txt, %[1]s.old, %[1]s-old/b, https://x.org%[1]s/b, /%[1]s; (%[1]s) and %[1]s.", s.Dir)})
	s.Plan("tidy up")
	document, err := s.Agent.Export(s.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	r := document.Revisions[0]
	if args := string(r.Operations[0].Args); r.Operations[0].Path != deep || !strings.Contains(args, strconv.Quote(deep)) {
		t.Errorf("the path is %s, and in the arguments %s", r.Operations[0].Path, args)
	}
	want := fmt.Sprintf("b.txt: not %[1]s2/b.txt, %[1]s.old, %[1]s-old/b, https://x.org%[1]s/b, /%[1]s; (.) and ..", s.Dir)
	if r.Description != want {
		t.Errorf("the description is\n%q\nwant\n%q", r.Description, want)
	}
}
