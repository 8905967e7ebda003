package brief

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhatIsAMention(t *testing.T) {
	for text, want := range map[string][]string{
		"look at @a.go, please":                {"a.go"},
		"@a.go and @a.go":                      {"a.go"},
		"see (@src/x.ts) and [@y]":             {"src/x.ts", "y"},
		"is it in @a.go? or @b.go!":            {"a.go", "b.go"},
		`the file @"my notes.txt": what of it`: {"my notes.txt"},
		"mail me@example.com":                  nil,
		"use `@Override` there":                nil,
		"```\n@Component\n```\n@b.go":          {"b.go"},
		"a lone ` and @a.go":                   {"a.go"},
		"an ``odd ` one`` @a.go":               {"a.go"},
		"'@Component' is unknown":              nil,
		"@a.go:10 @b.go:10-20 @c.go#L3-L5":     {"a.go 10-10", "b.go 10-20", "c.go 3-5"},
		"@Server.Start @pkg::run":              {"Server.Start", "pkg::run"},
		"@a@b x@@c @ @. @\"x\n\"":              {"a"},
		"日本@a @日本.go":                          {"日本.go"},
		"@types/node":                          {"types/node"},
		"@./a.go @../b @/etc/passwd":           {"./a.go", "../b", "/etc/passwd"},
	} {
		var got []string
		for _, m := range mentionsIn(text) {
			s := m.name
			if m.first > 0 {
				s += fmt.Sprintf(" %d-%d", m.first, m.last)
			}
			got = append(got, s)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func FuzzMentions(f *testing.F) {
	f.Add("@a `@b` ``` @\"c d\" ``@e`` @f:1-2")
	f.Add("`@``@``` @\xff@")
	f.Fuzz(func(t *testing.T, text string) {
		for _, m := range mentionsIn(text) {
			if m.name == "" || !strings.Contains(text, m.written) || !strings.HasPrefix(m.written, "@") {
				t.Errorf("%q: %+v", text, m)
			}
		}
	})
}
