package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/edits"
)

// BenchmarkUpdate measures one keystroke in the middle of an open document of 1 MB:
// creating the new text, and all that the workspace does with it.
func BenchmarkUpdate(b *testing.B) {
	w, _ := newWorkspace(b, nil)
	uri := w.URI("a.go")
	text := strings.Repeat("a line of quite ordinary length, forty b\n", 1<<20/41)
	w.Open(uri, "go", 1, text)
	events := 0
	w.Observe(func(BufferEvent) { events++ })
	e := edits.Edit{Span: edits.Span{Start: len(text) / 2, End: len(text)/2 + 1}, New: "x"}
	b.ReportAllocs()
	version := int32(1)
	for b.Loop() {
		buffer, _ := w.BufferURI(uri)
		version++
		if err := w.Update(uri, version, buffer.Lines.Replace(e), []edits.Edit{e}); err != nil {
			b.Fatal(err)
		}
	}
	if events == 0 {
		b.Error("no event was seen")
	}
}

// BenchmarkUpdateAlone measures only the workspace's work for a keystroke, without creating
// the new text.
func BenchmarkUpdateAlone(b *testing.B) {
	w, _ := newWorkspace(b, nil)
	uri := w.URI("a.go")
	lines := edits.NewLines(strings.Repeat("line\n", 1<<20/5))
	w.Open(uri, "go", 1, "")
	e := []edits.Edit{{New: "x"}}
	b.ReportAllocs()
	for b.Loop() {
		if err := w.Update(uri, 1, lines, e); err != nil {
			b.Fatal(err)
		}
	}
}

// manyFiles makes a tree of 10,000 files of 1 KB in 200 folders.
func manyFiles(b *testing.B) *Workspace {
	b.Helper()
	dir := newTree(b, map[string]string{".git/": "", ".gitignore": "*.log\nnode_modules/\n/build\n*.o\n"})
	body := strings.Repeat("package p // some ordinary text here\n", 1024/37)
	for i := range 200 {
		folder := filepath.Join(dir, fmt.Sprintf("pkg%d", i%20), fmt.Sprintf("sub%d", i))
		must(b, os.MkdirAll(folder, 0o755))
		for j := range 50 {
			text := body
			if j == 0 {
				text += "needle\n"
			}
			must(b, os.WriteFile(filepath.Join(folder, fmt.Sprintf("f%d.go", j)), []byte(text), 0o644))
		}
	}
	return New([]Folder{{Dir: dir}}, Options{})
}

func BenchmarkSearch(b *testing.B) {
	w := manyFiles(b)
	for name, q := range map[string]Query{
		"text":   {Pattern: "needle"},
		"regexp": {Pattern: `^need\w+$`, Regexp: true},
		"nocase": {Pattern: "NEEDLE", IgnoreCase: true},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				found, err := w.Search(b.Context(), q, nil)
				if err != nil || found.Lines != 200 {
					b.Fatalf("%d hits, %v", found.Lines, err)
				}
			}
		})
	}
}

func BenchmarkList(b *testing.B) {
	w := manyFiles(b)
	b.ReportAllocs()
	for b.Loop() {
		paths, left, err := w.List(b.Context(), "", "*.go", nil, 500)
		if err != nil || len(paths)+left != 10_000 {
			b.Fatalf("%d files, %v", len(paths)+left, err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	w, _ := newWorkspace(b, map[string]string{"a/b/c.go": strings.Repeat("line\n", 1000)})
	b.ReportAllocs()
	for b.Loop() {
		if f, err := w.Read("a/b/c.go"); err != nil || !f.Exists {
			b.Fatal(err)
		}
	}
}
