package agent_test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"redline/agent/model"
)

// Only names of the workspace become relative: the same letters in another name stay.
func TestWhatOnlyLooksLikeTheFolderIsExportedAsItIs(t *testing.T) {
	s := newSession(t, nil)
	deep := "x" + filepath.ToSlash(s.dir) + "/a.txt" // contains the folder's name in its own
	s.writeFile(deep, "one\n")
	s.model.will(reply{calls: []model.Call{edit(deep, "one", "1")}}, reply{text: fmt.Sprintf(
		"%[1]s/b.txt: not %[1]s2/b.txt, %[1]s.old, %[1]s-old/b, https://x.org%[1]s/b, /%[1]s; (%[1]s) and %[1]s.", s.dir)})
	s.plan("tidy up")
	document, err := s.agent.Export(s.ctx(), 1)
	if err != nil {
		t.Fatal(err)
	}
	r := document.Revisions[0]
	if args := string(r.Operations[0].Args); r.Operations[0].Path != deep || !strings.Contains(args, strconv.Quote(deep)) {
		t.Errorf("the path is %s, and in the arguments %s", r.Operations[0].Path, args)
	}
	want := fmt.Sprintf("b.txt: not %[1]s2/b.txt, %[1]s.old, %[1]s-old/b, https://x.org%[1]s/b, /%[1]s; (.) and ..", s.dir)
	if r.Description != want {
		t.Errorf("the description is\n%q\nwant\n%q", r.Description, want)
	}
}
