package fence_test

import (
	"strings"
	"testing"

	"redline/internal/fence"
)

func TestOpen(t *testing.T) {
	for _, c := range []struct {
		line, marks, info string
		ok                bool
	}{
		{"```", "```", "", true},
		{"```go", "```", "go", true},
		{"~~~~ go title=\"`x`\"", "~~~~", " go title=\"`x`\"", true},
		{"``", "", "", false},
		{"", "", "", false},
		{"```code``` in a sentence", "", "", false},
		{" ```", "", "", false},
		{"text", "", "", false},
	} {
		marks, info, ok := fence.Open(c.line)
		if marks != c.marks || info != c.info || ok != c.ok {
			t.Errorf("%q: %q, %q, %v", c.line, marks, info, ok)
		}
	}
}

func TestCloses(t *testing.T) {
	for _, c := range []struct {
		line, marks string
		want        bool
	}{
		{"```", "```", true},
		{"````  ", "```", true},
		{"```\r", "```", true},
		{"``", "```", false},
		{"```go", "```", false},
		{"~~~", "```", false},
		{"```~", "```", false},
		{"", "", false},
	} {
		if got := fence.Closes(c.line, c.marks); got != c.want {
			t.Errorf("%q after %q: %v", c.line, c.marks, got)
		}
	}
}

func TestReader(t *testing.T) {
	for _, c := range []struct{ text, inside string }{
		{"a\n```go\nb\n```\nc", "01110"},
		{"````\n```\n~~~\n````\na", "11110"},
		{"```x``` y\n    ```\n   ~~~\na", "0011"},
	} {
		var r fence.Reader
		got := ""
		for line := range strings.SplitSeq(c.text, "\n") {
			if r.Next(fence.Body(line)) {
				got += "1"
			} else {
				got += "0"
			}
		}
		if got != c.inside {
			t.Errorf("%q: %s, want %s", c.text, got, c.inside)
		}
	}
}

func TestUnwrap(t *testing.T) {
	for _, c := range []struct{ reply, want string }{
		{"{}", "{}"},
		{" \n{}\n", "{}"},
		{"```json\n{}\n```", "{}"},
		{"```\n{}\n```\n", "{}"},
		{"```text\n{}\n```", "{}"},
		{"````JSON\r\n{\"a\": \"```\"}\r\n````", "{\"a\": \"```\"}"},
		{"```json{}```", "{}"},
		{"```{}```", "{}"},
		{"```json {\n}\n```", "{\n}"},
		{"```json\n{}", "```json\n{}"},
		{"Here:\n```\n{}\n```", "Here:\n```\n{}\n```"},
		{"```json\n```", ""},
		{"```jsonschema```", "jsonschema"},
		{"", ""},
		{"```", "```"},
		{"`{}`", "`{}`"},
	} {
		if got := fence.Unwrap(c.reply); got != c.want {
			t.Errorf("%q: %q, want %q", c.reply, got, c.want)
		}
	}
}

func TestAround(t *testing.T) {
	if got := fence.Around("a ``` b", "````x"); got != "`````" {
		t.Errorf("got %q", got)
	}
	if got := fence.Around("", "a`b"); got != "```" {
		t.Errorf("got %q", got)
	}
}
