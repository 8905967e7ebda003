package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/edits/charset"
	"redline/workspace"
)

func TestCharsets(t *testing.T) {
	s, warnings := load(t, "[workspace]\ncharsets = { \"*.txt\" = \"ISO-8859-1\", \"legacy/**\" = \"shift_jis\", \"*.md\" = \"utf-8\" }\n", nil, nil)
	want := []workspace.CharsetRule{{Glob: "*.md", Charset: charset.UTF8}, {Glob: "*.txt", Charset: charset.Latin1}, {Glob: "legacy/**", Charset: charset.ShiftJIS}}
	if diff := cmp.Diff(want, s.Charsets); diff != "" || len(warnings) > 0 {
		t.Error(diff, warnings)
	}
	for text, why := range map[string]string{
		`{ "*.txt" = "ebcdic" }`: "which is none of utf-8, utf-16le", `{ "" = "latin1" }`: "is no glob", `{ "*" = 3 }`: "must be a table", `{ "{a" = "latin1" }`: "is no glob", `"latin1"`: "must be a table",
	} {
		s, warnings := load(t, "[workspace]\ncharsets = "+text+"\n", nil, nil)
		if len(warnings) != 1 || !strings.Contains(string(warnings[0]), why) || s.Charsets != nil {
			t.Errorf("%s: %v, %q", text, s.Charsets, warnings)
		}
	}
}
