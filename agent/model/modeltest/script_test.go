package modeltest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	const script = `for: planner
text: I will rename it.
text: Second
line.

call: edit_file {"path":"a.go",
  "old_string":"x"}
finish: tool_calls
---
wait: go on
raw: : keep-alive
raw: data: {bad
text: Done.
cut
---
header: Retry-After: 1
status: 401 {"error":{"message":"no"}}
`
	got, err := Parse(script)
	if err != nil {
		t.Fatal(err)
	}
	want := []Reply{
		{
			Parts: []Part{
				Text("I will rename it."),
				Text("Second\nline."),
				Call("edit_file", "{\"path\":\"a.go\",\n  \"old_string\":\"x\"}"),
			},
			Finish: "tool_calls", For: "planner",
		},
		Stream(Wait("go on"), Raw(": keep-alive\n"), Raw("data: {bad\n"), Text("Done."), Cut()),
		{Status: 401, Body: `{"error":{"message":"no"}}`, Header: http.Header{"Retry-After": {"1"}}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Part{})); diff != "" {
		t.Errorf("replies (-want +got):\n%s", diff)
	}
}

func TestParseRefusals(t *testing.T) {
	for _, test := range []struct{ script, want string }{
		{"hello", `line 1: "hello" is none of`},
		{"text: a\n---\ncal: x", `line 3: "cal: x" is none of`},
		{"text: a\nstatus: oops", `line 2: "oops" is no HTTP status`},
		{"header: nothing", "line 1: a header is written"},
		{"call:", "line 1: a call needs"},
	} {
		if _, err := Parse(test.script); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("Parse(%q) = %v, want %q", test.script, err, test.want)
		}
	}
}

func TestSplit(t *testing.T) {
	for _, text := range []string{"", "a", "abc", "{}", "é😀é", strings.Repeat("long ", 100)} {
		parts := split(text)
		if joined := strings.Join(parts, ""); joined != text {
			t.Errorf("split(%q) joins to %q", text, joined)
		}
		if want := min(3, len([]rune(text))); len(parts) < want {
			t.Errorf("split(%q) = %q, want at least %d fragments", text, parts, want)
		}
	}
}
