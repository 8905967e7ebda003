package adapt_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"redline/edits"
	"redline/edits/adapt"
	"redline/edits/internal/edittest"
	"redline/edits/internal/linetext"
)

func TestWholeTable(t *testing.T) {
	for _, test := range []struct {
		name, base, content, want string
		kept                      adapt.Kept
	}{
		{"plain", "a\nb\n", "a\nc\n", "a\nc\n", adapt.Kept{}},
		{"CRLF", "a\r\nb\r\n", "a\nnew\nb\n", "a\r\nnew\r\nb\r\n", adapt.Kept{Ends: true}},
		{"CRLF, only less", "a\r\nb\r\n", "a\n", "a\r\n", adapt.Kept{Ends: true}},
		{"CRLF on purpose", "a\nb\n", "a\r\nb\r\n", "a\r\nb\r\n", adapt.Kept{}},
		{"mixed stays mixed", "a\r\nb\nc\r\nd\n", "a\nb\nB\nc\nC\nd\n", "a\r\nb\nB\nc\r\nC\r\nd\n", adapt.Kept{Ends: true}},
		{"mixed on purpose", "a\r\nb\nc\r\n", "a\nb\r\nc\n", "a\nb\r\nc\n", adapt.Kept{}},
		{"a changed line keeps its end", "a\r\nb\nc\r\n", "A\nB\nC\n", "A\r\nB\nC\r\n", adapt.Kept{Ends: true}},
		{"a lone CR", "a\rb\r", "a\nc\n", "a\rc\r", adapt.Kept{Ends: true}},
		{"LF, written with CRLF", "a\nb\n", "a\r\nnew\r\nb\r\n", "a\nnew\nb\n", adapt.Kept{Ends: true}},
		{"CRLF, half of it written with LF", "a\r\nb\r\n", "a\nnew\r\nb\n", "a\r\nnew\r\nb\r\n", adapt.Kept{Ends: true}},
		{"CRLF, written with it", "a\r\nb\r\n", "a\r\nnew\r\n", "a\r\nnew\r\n", adapt.Kept{}},
		{"mixed, written with CRLF", "a\nb\r\nc\n", "a\r\nB\r\nc\r\nd\r\n", "a\nB\r\nc\nd\n", adapt.Kept{Ends: true}},
		{"a CR that is text", "a\nb\n", "a\n1%\r2%\n", "a\n1%\r2%\n", adapt.Kept{}},
		{"LF on purpose", "a\r\nb\r\nc\n", "a\nb\nc\r\n", "a\nb\nc\r\n", adapt.Kept{}},
		{"the last line end", "a\nb\n", "a\nc", "a\nc\n", adapt.Kept{Last: true}},
		{"the last line end, CRLF", "a\r\n", "b", "b\r\n", adapt.Kept{Last: true}},
		{"both", "a\r\nb\r\n", "a\nc", "a\r\nc\r\n", adapt.Kept{Ends: true, Last: true}},
		{"the last line end, CRLF given", "a\r\nb\r\n", "a\r\nc", "a\r\nc\r\n", adapt.Kept{Last: true}},
		{"a last line end where none was", "a", "a\n", "a\n", adapt.Kept{}},
		{"none where none was", "a\nb", "a\nc", "a\nc", adapt.Kept{}},
		{"a byte order mark", "a\n", "\ufeffb\n", "b\n", adapt.Kept{}},
		{"a byte order mark, CRLF", "a\r\n", "\ufeffb\n", "b\r\n", adapt.Kept{Ends: true}},
		{"nothing but a byte order mark", "a\n", "\ufeff", "", adapt.Kept{}},
		{"a byte order mark in the middle", "a\n", "b\n\ufeffc\n", "b\n\ufeffc\n", adapt.Kept{}},
		{"emptied", "a\r\n", "", "", adapt.Kept{}},
		{"of an empty file", "", "a\nb", "a\nb", adapt.Kept{}},
		{"of an empty file, with a byte order mark", "", "\ufeffa\nb", "a\nb", adapt.Kept{}},
		{"a blank line at the end", "a\r\n\r\n", "a\n", "a\r\n", adapt.Kept{Ends: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, kept := adapt.Whole(test.base, test.content)
			if got != test.want || kept != test.kept {
				t.Errorf("%q over %q is %q, %+v, want %q, %+v", test.content, test.base, got, kept, test.want, test.kept)
			}
		})
	}
}

// TestWholeKeepsTheLines shows that only the parts that Kept names, and a byte order mark, are not
// content, and that a file read with "\n" for every line end is written back unchanged.
func TestWholeKeepsTheLines(t *testing.T) {
	plain := func(s string) string {
		return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(linetext.WithoutBOM(s))
	}
	edittest.Check(t, func(t *rapid.T) {
		base := linetext.WithoutBOM(edittest.Text(12).Draw(t, "base"))
		content := rapid.SampledFrom([]string{"", edits.BOM}).Draw(t, "mark") + linetext.WithoutBOM(edittest.Text(12).Draw(t, "content"))
		got, kept := adapt.Whole(base, content)
		want := plain(content)
		if kept.Last {
			want += "\n"
		}
		if plain(got) != want || kept == (adapt.Kept{}) && got != linetext.WithoutBOM(content) {
			t.Fatalf("%q over %q is %q, %+v", content, base, got, kept)
		}
		if !strings.Contains(content, "\r") && strings.Contains(base, "\r\n") && !strings.Contains(strings.ReplaceAll(base, "\r\n", ""), "\n") &&
			hasOnlyCRLF(base) && strings.Count(got, "\n") != strings.Count(got, "\r\n") && content != "" {
			t.Fatalf("%q over %q is mixed: %q", content, base, got)
		}
		if again, _ := adapt.Whole(base, plain(base)); again != base && plain(base) != "" {
			t.Fatalf("%q is written back as %q", base, again)
		}
	})
}

func hasOnlyCRLF(s string) bool { return strings.Count(s, "\r") == strings.Count(s, "\r\n") }
