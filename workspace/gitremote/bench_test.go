package gitremote_test

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"redline/workspace/gitremote"
)

// fill puts documents into the remote: each 100 KB of lines, as fast-import reads them.
func (tm *team) fill(documents int) {
	tm.t.Helper()
	var in strings.Builder
	random := make([]byte, 32)
	for i := range documents {
		var text strings.Builder
		for text.Len() < 100_000 {
			_, _ = rand.Read(random)
			fmt.Fprintf(&text, "  {\"path\": \"src/file%d.go\", \"lines\": [%q, \"return the same words\"]},\n", i, hex.EncodeToString(random))
		}
		fmt.Fprintf(&in, "commit refs/redline/plans/%032x\ncommitter Ada <ada@example.org> 1700000000 +0000\ndata 5\nplan\nM 100644 inline plan.json\ndata %d\n%s\n", i, text.Len(), text.String())
	}
	tm.put([]byte(in.String()), "fast-import", "--quiet")
}

// A push and a pull of one of 1,000 plans of 100 KB.
func BenchmarkOneOfThousand(b *testing.B) {
	tm := newTeam(b, "")
	tm.fill(1000)
	dir := tm.clone("ada", tm.remote)
	id := fmt.Sprintf("%032x", 500)
	open := func(b *testing.B) *gitremote.Remote {
		r, err := gitremote.Open(b.Context(), dir, "", gitremote.Options{})
		if err != nil {
			b.Fatal(err)
		}
		return r
	}
	b.Run("pull", func(b *testing.B) {
		for b.Loop() {
			r := open(b)
			if _, err := r.Pull(b.Context(), id); err != nil {
				b.Fatal(err)
			}
			r.Close()
		}
	})
	b.Run("push", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			r := open(b)
			if _, err := r.Push(b.Context(), id, lines(fmt.Sprintf("change %d\n%s", i, strings.Repeat("more\n", 20_000)))); err != nil {
				b.Fatal(err)
			}
			r.Close()
		}
	})
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			r := open(b)
			if all, _, err := r.List(b.Context()); err != nil || len(all) != 1000 {
				b.Fatal(len(all), err)
			}
			r.Close()
		}
	})
}
