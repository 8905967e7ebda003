package commands

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	_ "redline/internal/seed"
)

// A failure in the middle of much output is shown, with its beginning and its end.
func TestFailureInTheMiddle(t *testing.T) {
	var b strings.Builder
	b.WriteString("go test ./...\n")
	for i := range 5000 {
		if i == 2500 {
			b.WriteString("=== RUN   TestSum\n    sum_test.go:12: got 3\n        want 4\n--- FAIL: TestSum (0.00s)\n")
		}
		fmt.Fprintf(&b, "ok  \tapp/p%d\t0.1s\n", i)
	}
	b.WriteString("FAIL\tapp/sum\nexit status 1\n")
	got := Excerpt(b.String(), 8<<10)
	for _, want := range []string{"go test ./...\n", "    sum_test.go:12: got 3\n        want 4\n--- FAIL: TestSum", "exit status 1\n", "lines left out …"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if len(got) > 8<<10+200 {
		t.Errorf("it has %d bytes", len(got))
	}
}

// A line without end is cut, and output that fits stays.
func TestLongLinesAndShortOutput(t *testing.T) {
	if got := Excerpt(strings.Repeat("é", 100_000)+"\nerror: x", 8<<10); !strings.Contains(got, "error: x") || len(got) > 1000 || !utf8.ValidString(got) {
		t.Errorf("%d bytes: %.100q", len(got), got)
	}
	if got := Excerpt("a\n\nb", 100); got != "a\n\nb" {
		t.Errorf("%q", got)
	}
}

// A log of a build machine has colours, line ends of Windows and bytes that are no text.
func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"": "", " \n\n": "",
		"\x1b[31;1mFAIL\x1b[0m a_test.go:3\r\nok\r\n":        "FAIL a_test.go:3\nok",
		"\x1b]8;;http://x\x07link\x1b]8;;\x1b\\ \x1b(Bx\xff": "link x\uFFFD",
	} {
		if got := Plain(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := Plain(strings.Repeat("\x1b[32mok\x1b[0m  \tapp/p\t0.1s\n", 5000) + "FAIL\tapp/sum\n"); !strings.HasSuffix(got, "FAIL\tapp/sum\n") || len(got) > ExcerptSize+200 {
		t.Errorf("%d bytes: …%q", len(got), got[max(0, len(got)-40):])
	}
}

// An excerpt is bounded, and has lines of the output only, in their order, all but the ones
// that say what is left out.
func TestExcerptIsOfTheOutput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOf(rapid.SampledFrom([]string{"ok", "", "FAIL x", "a.go:3: bad", strings.Repeat("x", 500), "error é"})).Draw(t, "lines")
		output, max := strings.Join(lines, "\n"), rapid.IntRange(0, 2000).Draw(t, "max")
		got := Excerpt(output, max)
		if len(output) <= max {
			if got != output {
				t.Fatalf("%q became %q", output, got)
			}
			return
		}
		size, left, at := 0, 0, 0
		for line := range strings.SplitSeq(strings.TrimSuffix(got, "\n"), "\n") {
			var n int
			if _, err := fmt.Sscanf(line, "… %d line", &n); err == nil {
				left += n
				at += n
				continue
			}
			if at >= len(lines) || line != clip(lines[at]) {
				t.Fatalf("line %d is not %q", at, line)
			}
			at++
			size += len(line) + 1
		}
		if size > max+1 {
			t.Fatalf("%d bytes, at most %d", size, max)
		}
	})
}
