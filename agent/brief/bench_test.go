package brief_test

import (
	"fmt"
	"strings"
	"testing"

	"redline/agent/brief"
	"redline/agent/draft"
)

// BenchmarkGather is the context of one request, made at a file of 2,000 lines in
// a project with rules, 200 files and an open document: without a mention, and
// with a file and a symbol mentioned.
func BenchmarkGather(b *testing.B) {
	files := map[string]string{
		"AGENTS.md": strings.Repeat("Write short names.\n", 100), "src/AGENTS.md": "Return errors.\n",
		"src/main.go": "package main\n" + strings.Repeat("\nfunc F() {\n\trun()\n}\n", 500),
	}
	for i := range 200 {
		files[fmt.Sprintf("src/p%d/f.go", i)] = fmt.Sprintf("package p\n\n// G%d is it.\nfunc G%d() {}\n", i, i)
	}
	d := newDesk(b, files)
	d.ws.Open(d.ws.URI("src/main.go"), "go", 1, files["src/main.go"])
	for name, own := range map[string]string{"place": "tidy up", "mentions": "tidy up @src/p7/f.go and @G99"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				d.draft = draft.New(d.ws)
				if got := d.gather(brief.Request{Own: own, Path: "src/main.go"}, brief.Limits{}); len(got.Text()) < 2000 {
					b.Fatal(got.Text())
				}
			}
		})
	}
}
