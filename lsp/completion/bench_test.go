package completion

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"redline/agent/chat"
	"redline/agent/view"
	"redline/internal/wire"
	"redline/workspace"
)

// Measures the completion of a name after @ in a workspace of 10,000 files, when their
// names are known and while the folders are read again.
func BenchmarkCompletion10000Files(b *testing.B) {
	dir := b.TempDir()
	for i := range 10_000 {
		name := filepath.Join(dir, fmt.Sprintf("dir%d", i%100), fmt.Sprintf("file%d.go", i))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("package x\n"), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	near, far := net.Pipe()
	go io.Copy(io.Discard, far)
	conn := wire.NewConn(b.Context(), near, wire.NewRouter(), wire.Options{})
	conn.Start()
	b.Cleanup(func() { conn.Close(); <-conn.Done() })
	w := workspace.New([]workspace.Folder{{URI: "file://" + dir}}, workspace.Options{})
	c := New(nil, w, conn)
	for c.names.get(b.Context(), w) == nil { // the first list may take longer than a completion waits
	}
	for name, known := range map[string]bool{"at hand": true, "looked for": false} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				c.names.mu.Lock()
				if c.names.at = time.Now(); !known {
					c.names.at = time.Time{}
				}
				c.names.mu.Unlock()
				at := chat.Completing{What: chat.MentionedName, Prefix: "file12"}
				if items := c.Complete(b.Context(), at, protocol.Range{}, &view.Snapshot{}); len(items) != maxItems {
					b.Fatalf("got %d items", len(items))
				}
			}
		})
	}
}
