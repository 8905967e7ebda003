// Package pagetest checks pages of the documentation against the code that they describe.
package pagetest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// path returns the path of a file of the repository, named from the root with slashes.
// Tests run in the folder of their package.
func path(t testing.TB, name string) string {
	t.Helper()
	root := root()
	if root == "" {
		t.Fatal("the test is not run in the repository")
	}
	return filepath.Join(root, filepath.FromSlash(name))
}

// InRepository reports whether the test is run in the repository, with its sources.
func InRepository() bool { return root() != "" }

// root returns the root of the repository, "" outside of it.
func root() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for dir != filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	return ""
}

// Part checks that the part of a page between the lines
//
//	<!-- made:NAME -->
//	<!-- /made -->
//
// is want, or writes it there if it is to be updated. The page is named from the
// root of the repository. A page that is not there has no such part.
func Part(t testing.TB, page, name, want string, update bool) {
	t.Helper()
	text, err := os.ReadFile(path(t, page))
	if err != nil {
		t.Fatal(err)
	}
	before, got, after, err := cut(string(text), name)
	if err != nil {
		t.Fatalf("%s: %v", page, err)
	}
	want = strings.Trim(want, "\n") + "\n"
	if got == want {
		return
	}
	if update {
		if err := os.WriteFile(path(t, page), []byte(before+want+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("the part %q of %s is not what the code says; go test with -run '^%s$' -update writes it (-page +code):\n%s", name, page, strings.SplitN(t.Name(), "/", 2)[0], cmp.Diff(got, want))
}

// cut returns the text before a part, the part and the text after it; the marks are
// in the texts around it.
func cut(text, name string) (before, part, after string, err error) {
	begin, end := fmt.Sprintf("<!-- made:%s -->\n", name), "<!-- /made -->\n"
	before, rest, begun := strings.Cut(text, begin)
	part, after, ended := strings.Cut(rest, end)
	switch {
	case !begun || !ended || strings.Contains(part, "<!-- made:"):
		return "", "", "", fmt.Errorf("it has no part from %q to %q", begin, end)
	case strings.Contains(after, begin):
		return "", "", "", fmt.Errorf("it has two parts that begin with %q", begin)
	}
	return before + begin, part, end + after, nil
}
