package turn

import (
	"context"
	"errors"
	"testing"

	"redline/agent/plan"
)

// A plan is made by the program that a command line starts with.
func TestProgramOf(t *testing.T) {
	for line, want := range map[string]string{
		"gofmt -w .": "gofmt", "GOFLAGS=-x /usr/bin/go generate ./...": "go", "pwd; gofmt -w .": "pwd", "(npx eslint)": "npx",
		"for f in *.go; do gofmt -w $f; done": "gofmt", "if true; then make; fi": "make", "! black .": "black", "cd src && npm run fix": "npm",
		"$tool -x": "a command", "": "a command", "echo 'x": "a command", "set -e\nsed -i s/a/b/ f": "sed",
		"false": "a command", "exit 7": "a command", "[ -f go.mod ] || exit 1; go fmt ./...": "go",
	} {
		if got := programOf(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

// A plan of more than 2,000 files needs a yes, and nobody's yes is a no.
func TestManyFilesAreAsked(t *testing.T) {
	asked := 0
	says := func(yes bool, err error) func(context.Context, int) (bool, error) {
		return func(context.Context, int) (bool, error) { asked++; return yes, err }
	}
	stopped := errors.New("stopped")
	for _, c := range []struct {
		files   int
		many    func(context.Context, int) (bool, error)
		asked   int
		refused bool
		err     error
	}{
		{files: 2000},
		{files: 2000, many: says(false, nil)},
		{files: 2001, refused: true},
		{files: 2001, many: says(false, nil), asked: 1, refused: true},
		{files: 2001, many: says(true, nil), asked: 1},
		{files: 2001, many: says(false, stopped), asked: 1, err: stopped},
	} {
		asked = 0
		err := Adoption{Many: c.many}.many(t.Context(), c.files)
		_, refused := errors.AsType[*plan.Refusal](err)
		if asked != c.asked || refused != c.refused || c.err != nil && !errors.Is(err, c.err) || err != nil && !refused && c.err == nil {
			t.Errorf("%+v: asked %d times, %v", c, asked, err)
		}
	}
}
