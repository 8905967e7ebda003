package brief_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent/brief"
	"redline/agent/draft"
	"redline/workspace"
)

// desk is a workspace on disk with an empty draft over it.
type desk struct {
	t     testing.TB
	dir   string
	ws    *workspace.Workspace
	draft *draft.Draft
}

func newDesk(t testing.TB, files map[string]string) *desk {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ws := workspace.New([]workspace.Folder{{Name: "ws", Dir: dir}}, workspace.Options{})
	return &desk{t, dir, ws, draft.New(ws)}
}

func (d *desk) gather(r brief.Request, l brief.Limits) brief.Brief {
	if l.Tokens == 0 {
		l.Tokens = brief.DefaultTokens
	}
	return brief.Gather(d.t.Context(), d.ws, d.draft, r, l)
}

// want checks the text of the brief of a request, without its outer fence.
func (d *desk) want(r brief.Request, want ...string) {
	d.t.Helper()
	got := d.gather(r, brief.Limits{}).Text()
	lines := strings.Split(got, "\n")
	if got != "" {
		lines = lines[1 : len(lines)-1]
	}
	if got := strings.TrimSpace(strings.Join(lines, "\n")); got != strings.Join(want, "\n") {
		d.t.Errorf("%+v\ngot:\n%s\nwant:\n%s", r, got, strings.Join(want, "\n"))
	}
}
