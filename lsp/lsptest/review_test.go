package lsptest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/edits"
)

// annotated is an edit of two places in a file and a deletion, to be confirmed.
const annotated = `{"documentChanges":[
	{"textDocument":{"uri":"URI/a.txt","version":1},"edits":[
		{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":3}},"newText":"ONE","annotationId":"1"},
		{"range":{"start":{"line":1,"character":0},"end":{"line":1,"character":3}},"newText":"TWO","annotationId":"2"}]},
	{"kind":"delete","uri":"URI/gone.txt","annotationId":"3"}],
	"changeAnnotations":{"1":{"label":"a","needsConfirmation":true,"description":"first"},
		"2":{"label":"a","needsConfirmation":true},"3":{"label":"b","needsConfirmation":true}}}`

func TestReviewMakesWhatIsTicked(t *testing.T) {
	for name, c := range map[string]struct {
		ticked  []bool
		typed   bool
		applied bool
		text    string
		gone    bool
	}{
		"dismissed":         {nil, false, false, "one\ntwo\n", false},
		"nothing ticked":    {[]bool{false, false, false}, false, false, "one\ntwo\n", false},
		"one":               {[]bool{false, true}, false, true, "one\nTWO\n", false},
		"all":               {[]bool{true, true, true}, false, true, "ONE\nTWO\n", true},
		"typed in between":  {[]bool{true, true, true}, true, false, "xone\ntwo\n", false},
		"only the deletion": {[]bool{false, false, true}, false, true, "one\ntwo\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			e, s := session(t, VSCodeLike(), edits.UTF16, map[string]string{"a.txt": "one\ntwo\n", "gone.txt": "bye\n"})
			must(t, e.Open("a.txt"))
			var got []Proposal
			e.OnReview(func(all []Proposal) []bool {
				got = all
				if c.typed {
					if err := e.Insert("a.txt", 0, 0, "x"); err != nil {
						t.Error(err)
					}
				}
				return c.ticked
			})
			edit := strings.ReplaceAll(annotated, "URI", strings.TrimSuffix(e.URI(""), "/"))
			answer, err := s.apply(t.Context(), json.RawMessage(edit))
			must(t, err)
			if want := fmt.Sprintf(`{"applied":%t}`, c.applied); answer != want {
				t.Errorf("the answer is %s, want %s", answer, want)
			}
			want := []Proposal{{"edit", "a.txt", "a", "first", "ONE"}, {"edit", "a.txt", "a", "", "TWO"}, {"delete", "gone.txt", "b", "", ""}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("shown (-want +got)\n%s", diff)
			}
			if got := e.Text("a.txt"); got != c.text {
				t.Errorf("a.txt is %q, want %q", got, c.text)
			}
			if gone := e.Text("gone.txt") == ""; gone != c.gone {
				t.Errorf("gone.txt is gone: %v, want %v", gone, c.gone)
			}
		})
	}
}
