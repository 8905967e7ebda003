package lsp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"redline/lsp/lsptest"
)

// saysOf expects the first diagnostic of a file to contain a text.
func saysOf(path, text string) lsptest.Expectation {
	return lsptest.Expect(path+" is said to be "+text, func(e *lsptest.Editor) bool {
		ds := e.Diagnostics(path)
		return len(ds) > 0 && strings.Contains(ds[0].Message, text)
	})
}

func onDiskBegin(t *testing.T, plans time.Duration) *connected {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "src", "a.txt"), "apple\n")
	c := connectTo(t, lsptest.Honest(), dir, Options{Timeouts: Timeouts{Plans: plans},
		NewAgent: builtinAgent(t)})
	c.plan(`replace "apple" with "pear"`)
	c.await(lsptest.DiagnosticCount("src/a.txt", 1))
	return c
}

// Changes of a closed file are shown without any request.
func TestDiagnosticsFollowTheDisk(t *testing.T) {
	c := onDiskBegin(t, 10*time.Millisecond)
	name := filepath.Join(c.dir, "src", "a.txt")
	c.must(os.Rename(name, filepath.Join(c.dir, "b.txt")))
	c.await(saysOf("src/a.txt", "the file is gone; it seems to be b.txt now"))
	c.must(os.Rename(filepath.Join(c.dir, "b.txt"), name))
	c.await(lsptest.Not(saysOf("src/a.txt", "stale")))
	write(t, name, "an orange\napple\n")
	c.await(lsptest.Expect("the hunk has moved", func(e *lsptest.Editor) bool {
		ds := e.Diagnostics("src/a.txt")
		return len(ds) == 1 && ds[0].Range.Start.Line == 1
	}))
	write(t, name, "an orange\n")
	c.await(saysOf("src/a.txt", "its lines were changed"))
}

// If an editor reports changed files or folders, they are checked at once.
func TestWatchedFilesAreLookedAtAtOnce(t *testing.T) {
	c := onDiskBegin(t, time.Hour)
	tell := func(uris ...string) {
		var changes []map[string]any
		for _, uri := range uris {
			changes = append(changes, map[string]any{"uri": uri, "type": 3})
		}
		c.must(c.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": changes}))
	}
	c.must(os.RemoveAll(filepath.Join(c.dir, "src")))
	tell()
	tell("untitled:x", "file:///elsewhere/a.txt")
	c.must(c.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": "what"}))
	tell(c.URI("src"))
	c.await(saysOf("src/a.txt", "the file is gone"))
	write(t, filepath.Join(c.dir, "src", "a.txt"), "apple\n")
	tell(c.URI("src/a.txt"))
	c.await(lsptest.Not(saysOf("src/a.txt", "stale")))
}
