package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRenameModule(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "go.mod", "module redline\n\ngo 1.26\n")
	write(t, "edits/edits.go", "package edits\n")
	write(t, "cmd/main.go", `package main

import "redline/edits"

var (
	_        = edits.X
	method   = "redline/event" // no package
	settings = "redline"
	pkg      = "redline/edits"
	raw      = `+"`redline/edits`"+`
)
`)
	if err := run(t.Output(), []string{"module", "example.org/owner/redline"}); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"go.mod":         "module example.org/owner/redline\n\ngo 1.26\n",
		"edits/edits.go": "package edits\n",
		"cmd/main.go": `package main

import "example.org/owner/redline/edits"

var (
	_        = edits.X
	method   = "redline/event" // no package
	settings = "redline"
	pkg      = "example.org/owner/redline/edits"
	raw      = "example.org/owner/redline/edits"
)
`,
	} {
		got, err := os.ReadFile(path)
		if diff := cmp.Diff(want, string(got)); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", path, err, diff)
		}
	}
}
