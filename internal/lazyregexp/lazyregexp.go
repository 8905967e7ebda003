// Package lazyregexp compiles regular expressions when they are first used instead of at
// the start of the program: most runs need few of them.
package lazyregexp

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// New returns a function that returns the compiled expression. An invalid expression
// panics: in a test when its package is loaded, so that tests find it, else at its first
// use.
func New(expr string) func() *regexp.Regexp {
	compile := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
	if inTest {
		compile()
	}
	return compile
}

// inTest is derived from the program's name, since a program that is not a test must not
// import testing.
var inTest = len(os.Args) > 0 && strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test")
