package commands

import (
	"fmt"
	"runtime/debug"
	"strings"
	"testing"
)

// nestings are the ways to nest parts of a line: the opening, the possible middle, and the
// closing.
var nestings = map[string][3]string{
	"subshells":               {"(", "make", ")"},
	"subshells with spaces":   {"( ", "make", " )"},
	"blocks":                  {"{ ", "make", "; }"},
	"substitutions":           {"a $(", "make", ")"},
	"substitutions in quotes": {`a "$(`, "make", `)"`},
	"backquotes":              {"a `", "make", "`"},
	"expansions":              {"a ${x:-", "y", "}"},
	"expansions in quotes":    {`a "${x:-`, "y", `}"`},
	"arithmetic":              {"a $((", "1", "))"},
	"brackets in arithmetic":  {"a $((1+(", "1", ")))"},
	"Bash's arithmetic":       {"((", "1", "))"},
	"old arithmetic":          {"a $[", "1", "]"},
	"subscripts":              {"a ${x[", "1", "]}"},
	"conditions":              {"if ", "make", "; then make; fi"},
	"alternatives":            {"if make; then make; elif ", "make", "; fi"},
	"loops":                   {"while ", "make", "; do make; done"},
	"bodies":                  {"for i in a; do ", "make", "; done"},
	"cases":                   {"case a in a) ", "make", ";; esac"},
	"patterns":                {"case $(", "a", ") in a) make;; esac"},
	"functions":               {"f() ", "{ make; }", ""},
	"named functions":         {"function f ", "{ make; }", ""},
	"negations":               {"! ", "make", ""},
	"pipes":                   {"make | ", "make", ""},
	"and":                     {"make && ", "make", ""},
	"here-documents":          {"make <<X; ", "make", "\nX"},
	"documents in documents":  {"a <<X\n$(", "make", ")\nX\n"},
	"processes":               {"a <(", "make", ")"},
	"tests":                   {"[[ ! ( ", "a", " ) ]]"},
	"globs":                   {"a @(", "b", ")"},
	"arrays":                  {"a=(", "b", ")"},
	"braces":                  {"a {a,", "b", "}"},
	"signs":                   {"a $((-", "1", "))"},
	"minus":                   {"-", "1", ""},
	"words":                   {"if ", "", ""},
	"time":                    {"time ", "make", ""},
	"coproc":                  {"coproc ", "make", ""},
	"assignments":             {"x=1 ", "make", ""},
	"redirections":            {">a ", "make", ""},
	"escapes":                 {"\\", "a", ""},
	"quotes":                  {"'\"", "a", "\"'"},
	"eval":                    {"eval ", "make", ""},
	"runners":                 {"sudo ", "make", ""},
	"xargs":                   {"xargs sudo ", "make", ""},
	"find":                    {"find -exec ", "make", " ;"},
	"prefixes":                {"command ", "make", ""},
	"shells":                  {"sh -c ", "make", ""},
}

// However deeply and in whatever way a line nests, judging it takes little stack; a line
// that is too deep is never allowed, and is refused if rules deny.
func TestNesting(t *testing.T) {
	// A million levels took more than the gigabyte of Go's stack limit.
	defer debug.SetMaxStack(debug.SetMaxStack(32 << 20))
	allow, deny := parsed(t, []string{"make", "a"}, nil), parsed(t, nil, []string{"rm"})
	for name, of := range nestings {
		for _, n := range []int{1, 10, 1000, 10_000, 1_000_000} {
			for _, line := range []string{
				strings.Repeat(of[0], n) + of[1] + strings.Repeat(of[2], n),
				strings.Repeat(of[0], n) + of[1],
				"make $((" + strings.Repeat(of[0], n) + of[1] + "))",
			} {
				v := allow.Judge(line, "")
				if v.Answer == Allow && n > 1000 {
					t.Errorf("%s, %d deep, are allowed", name, n)
				}
				if v := deny.Judge(line, ""); v.Answer != Deny && n > 10_000 {
					t.Errorf("%s, %d deep: %+v", name, n, v)
				}
			}
		}
	}
	// Shells in shells, with the quotes that each needs.
	line := "rm x"
	for n := range 12 {
		if v := deny.Judge(line, ""); v.Answer != Deny {
			t.Errorf("%d shells: %+v", n, v)
		}
		line = fmt.Sprintf("sh -c '%s'", strings.ReplaceAll(line, "'", `'\''`))
	}
}
