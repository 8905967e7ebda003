package linetext_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"redline/edits/internal/linetext"
)

func TestSplit(t *testing.T) {
	for text, want := range map[string][]string{
		"":               nil,
		"a":              {"a"},
		"a\n":            {"a\n"},
		"a\r\nb\rc\n\nd": {"a\r\n", "b\r", "c\n", "\n", "d"},
		"\n\r":           {"\n", "\r"},
	} {
		got := linetext.Split(text)
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q", text, got)
		}
		for _, line := range got {
			if linetext.Content(line)+linetext.End(line) != line || strings.ContainsAny(linetext.Content(line), "\r\n") {
				t.Errorf("%q: content %q, end %q", line, linetext.Content(line), linetext.End(line))
			}
		}
	}
}

func TestParts(t *testing.T) {
	for _, c := range []struct {
		line string
		want linetext.Parts
	}{
		{"", linetext.Parts{}},
		{"a", linetext.Parts{Body: "a"}},
		{"\t a b\u00a0 ", linetext.Parts{Indent: "\t ", Body: "a b", Tail: "\u00a0 "}},
		{" \t", linetext.Parts{Tail: " \t"}},
	} {
		if got := linetext.PartsOf(c.line); got != c.want || got.String() != c.line {
			t.Errorf("%q: %+v", c.line, got)
		}
	}
}

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"“a” – ‘b’\u00a0c": `"a" - 'b' c`,
		"größe":            "größe",
		"\xff":             "\xff",
	} {
		if got := linetext.Plain(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
		if a, b := linetext.Words(text), linetext.Words(want); len(a) != len(b) || strings.Join(a, "") != text {
			t.Errorf("%q has the words %q, %q has %q", text, a, want, b)
		}
	}
}

// The common part of two texts ends inside no character and no line end.
func TestInCommon(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "é", "è", "€", "\r", "\n", "\r\n", "\xff"}), 0, 8).Draw(t, "bits"), "")
		})
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		n := linetext.CommonPrefix(a, b)
		if a[:n] != b[:n] || linetext.Divides(a, n) || linetext.Divides(b, n) {
			t.Fatalf("%q and %q: prefix of %d bytes", a, b, n)
		}
		n = linetext.CommonSuffix(a, b)
		if i, j := len(a)-n, len(b)-n; a[i:] != b[j:] || linetext.Divides(a, i) || linetext.Divides(b, j) {
			t.Fatalf("%q and %q: suffix of %d bytes", a, b, n)
		}
	})
}
