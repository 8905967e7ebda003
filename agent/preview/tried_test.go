package preview

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/agent/state"
)

// The part on trials is below the head, with the output of what has not passed.
func TestTriedPart(t *testing.T) {
	s := everything()
	got := Render(s.plan, s.revision(), s.texts.of, Beside{Trials: []state.Trial{
		{Command: "go build ./...", Verdict: "passed", Result: "passed", Shown: true, Current: true, DurationMS: 2300, Output: "not shown"},
		{Command: "go vet ./...", Verdict: "failed", Result: "failed"},
		{Command: "go test\n./...", Cwd: "sub", Verdict: "fails_now", Result: "fails now", Shown: true, DurationMS: 72_000, Output: "--- FAIL: TestSum\n\n    want 5\n"},
		{Command: "echo `date`", Verdict: "could_not_run", Result: "could not be run: it ran out of time", Problem: "It took longer than 2 min.", Shown: true, Current: true, DurationMS: 120_000},
	}})
	want := triedHeading + `

As it was when this page was written. Nothing of it has stayed, and it decides nothing.

- ` + "`go build ./...`" + `: passed, after 2.3 s
- ` + "`go test ./...`" + ` in sub: fails now, after 1m12s, of an earlier text

  ` + "```" + `
  --- FAIL: TestSum

      want 5
  ` + "```" + `
- ` + "``echo `date```" + `: could not be run: it ran out of time, after 2m0s, of an earlier text. It took longer than 2 min.

## Steps
`
	want = strings.Replace(want, ", after 2m0s, of an earlier text", ", after 2m0s", 1)
	_, part, _ := strings.Cut(got, triedHeading)
	part = triedHeading + part
	if !strings.HasPrefix(part, want) {
		t.Errorf("-want +got\n%s", cmp.Diff(want, part[:min(len(part), len(want))]))
	}
	if WithoutBeside(got) != s.page() {
		t.Errorf("without the part -want +got\n%s", cmp.Diff(s.page(), WithoutBeside(got)))
	}
}

// The part on trials is read over, whatever it says, and changes nothing of how the rest is read.
func TestTriedPartIsReadOver(t *testing.T) {
	s := everything()
	for name, output := range map[string]string{
		"a page":     s.page(),
		"fences":     "```go\n````\n~~~\n```diff\n@@ -1 +1 @@\n",
		"marks":      "# Plan 9, revision 9\r\n## Commands\n- [ ] o1 x\n> quoted\n### a (update, +0 −0)\n",
		"what bytes": "\x00\xff\u202e\r\n",
		"nothing":    "",
	} {
		t.Run(name, func(t *testing.T) {
			page := Render(s.plan, s.revision(), s.texts.of, Beside{Trials: []state.Trial{{Command: "x", Verdict: "fails now", Shown: true, Output: output}}})
			if e := s.read(t, page); !e.Empty() {
				t.Errorf("it was read as %+v", e)
			}
			at := strings.LastIndex(page, "- [x] Step 2: ")
			edited := strings.Replace(page[:at], "fails now", "passed", 1) + "- [ ] Step 2: " + page[at+len("- [x] Step 2: "):]
			if e, want := s.read(t, edited), s.read(t, strings.Replace(s.page(), "- [x] Step 2: ", "- [ ] Step 2: ", 1)); !cmp.Equal(e.Items, want.Items) || len(e.Commands)+len(e.Files) > 0 {
				t.Errorf("an edited page was read as %+v, want %+v", e, want)
			}
		})
	}
}
