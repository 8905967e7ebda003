package workspace

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"redline/edits"
)

func TestSearch(t *testing.T) {
	w, _ := newWorkspace(t, map[string]string{
		"a.go":       "one Needle\nneedle two\r\nnothing\nneedle",
		"sub/b.go":   "needle on disk\n",
		"sub/c.txt":  "äöü needle\n",
		"bin":        "needle\x00",
		"latin1":     "n\xe9 needle\n",
		".gitignore": "ignored\n", "ignored": "needle", ".env": "needle", ".git/x": "needle",
		"big": strings.Repeat("x", 9<<20) + "\nneedle",
	})
	w.Open(w.URI("sub/b.go"), "go", 1, "unsaved\nneedle typed\n")
	w.Open(w.URI("new.go"), "go", 1, "new needle")
	hit := func(s string) (h Hit) {
		fmt.Sscanf(s, "%s %d", &h.Path, &h.Line)
		h.Text = strings.SplitN(s, " ", 3)[2]
		return h
	}
	all := []string{"a.go 2 needle two", "a.go 4 needle", "latin1 1 n\ufffd needle", "new.go 1 new needle", "sub/b.go 2 needle typed", "sub/c.txt 1 äöü needle"}
	for _, c := range []struct {
		q       Query
		overlay Overlay
		left    int
		want    []string
	}{
		{Query{Pattern: "needle"}, nil, 0, all},
		{Query{Pattern: "needle", Limit: 2}, nil, 4, all[:2]},
		{Query{Pattern: "NEEDLE", IgnoreCase: true, Glob: "a.go"}, nil, 0, []string{"a.go 1 one Needle", "a.go 2 needle two", "a.go 4 needle"}},
		{Query{Pattern: `^needle$`, Regexp: true}, nil, 0, []string{"a.go 4 needle"}},
		{Query{Pattern: `two$`, Regexp: true}, nil, 0, []string{"a.go 2 needle two"}},
		{Query{Pattern: `ONE|ty.ed`, Regexp: true, IgnoreCase: true}, nil, 0, []string{"a.go 1 one Needle", "sub/b.go 2 needle typed"}},
		{Query{Pattern: `.*`, Glob: "sub/c.txt"}, nil, 0, nil},
		{Query{Pattern: "needle", Glob: "sub/*"}, nil, 0, all[4:]},
		{Query{Pattern: "needle"}, Overlay{"a.go": {Deleted: true}, "sub/b.go": {Text: "x\ny\ndrafted needle"}, "latin1": {Text: ""}, "z": {Text: "needle"}}, 0,
			[]string{"new.go 1 new needle", "sub/b.go 3 drafted needle", "sub/c.txt 1 äöü needle", "z 1 needle"}},
	} {
		got, err := w.Search(t.Context(), c.q, c.overlay)
		var want []Hit
		for _, s := range c.want {
			want = append(want, hit(s))
		}
		if left := got.Lines - len(got.Hits); left != c.left || err != nil {
			t.Errorf("%+v: %d left, %v", c.q, left, err)
		}
		if diff := cmp.Diff(want, got.Hits); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c.q, diff)
		}
	}
	for _, q := range []Query{{}, {Pattern: "a\nb"}, {Pattern: "(", Regexp: true}, {Pattern: "x", Glob: "["}} {
		_, err := w.Search(t.Context(), q, nil)
		wantRefusal(t, fmt.Sprintf("%+v", q), err, "")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Search(ctx, Query{Pattern: "needle"}, nil); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

func TestSearchIn(t *testing.T) {
	w, _ := newWorkspace(t, map[string]string{
		"a.go": "needle\n", "sub/b.go": "needle\nneedle\n", "sub/b_test.go": "needle\n", "sub/made/c.go": "needle\n",
		".gitignore": "ignored\n", "ignored/d.go": "needle\n", ".env": "needle\n", "bin": "needle\x00",
	})
	for _, c := range []struct {
		q       Query
		overlay Overlay
		want    string
	}{
		{Query{}, nil, "a.go:1 sub/b.go:2 sub/b_test.go:1 sub/made/c.go:1"},
		{Query{Path: "."}, nil, "a.go:1 sub/b.go:2 sub/b_test.go:1 sub/made/c.go:1"},
		{Query{Path: "sub"}, nil, "sub/b.go:2 sub/b_test.go:1 sub/made/c.go:1"},
		{Query{Path: "sub/b.go"}, nil, "sub/b.go:2"},
		{Query{Path: "sub/b.go", Limit: 1}, nil, "sub/b.go:2"},
		{Query{Path: "ignored"}, nil, "ignored/d.go:1"},
		{Query{Path: "ignored/d.go"}, nil, "ignored/d.go:1"},
		{Query{Path: "sub/b.go"}, Overlay{"sub/b.go": {Text: "needle drafted\n"}}, "sub/b.go:1"},
		{Query{Path: "sub/new.go"}, Overlay{"sub/new.go": {Text: "needle drafted\n"}}, "sub/new.go:1"},
		{Query{Exclude: []string{"*_test.go", "made"}}, nil, "a.go:1 sub/b.go:2"},
		{Query{Exclude: []string{"sub/"}}, nil, "a.go:1"},
		{Query{Path: "sub", Exclude: []string{"sub/made", ""}}, nil, "sub/b.go:2 sub/b_test.go:1"},
		{Query{Glob: "*.go", Exclude: []string{"sub/**"}}, nil, "a.go:1"},
	} {
		c.q.Pattern = "needle"
		got, err := w.Search(t.Context(), c.q, c.overlay)
		var files []string
		lines := 0
		for _, f := range got.Files {
			files = append(files, fmt.Sprintf("%s:%d", f.Path, f.Lines))
			lines += f.Lines
		}
		if strings.Join(files, " ") != c.want || lines != got.Lines || err != nil {
			t.Errorf("%+v: %q with %d lines, %v; want %q", c.q, files, got.Lines, err, c.want)
		}
	}
	for _, q := range []Query{{Path: "bin"}, {Path: "nowhere"}, {Path: ".env"}, {Exclude: []string{"["}}} {
		q.Pattern = "needle"
		_, err := w.Search(t.Context(), q, nil)
		wantRefusal(t, fmt.Sprintf("%+v", q), err, "")
	}
	if got, err := w.Search(t.Context(), Query{Pattern: "needle", Path: "sub/b.go"}, Overlay{"sub/b.go": {Deleted: true}}); err == nil && len(got.Files) > 0 {
		t.Errorf("a deleted file has %v", got.Files)
	}
}

func TestSearchWithContext(t *testing.T) {
	w, _ := newWorkspace(t, map[string]string{"a": "one\r\ntwo\r\nneedle\r\nfour\r\n\r\nneedle"})
	got, err := w.Search(t.Context(), Query{Pattern: "needle", Context: 2}, nil)
	must(t, err)
	want := []Hit{
		{Path: "a", Line: 3, Text: "needle", Before: []string{"one", "two"}, After: []string{"four", ""}},
		{Path: "a", Line: 6, Text: "needle", Before: []string{"four", ""}},
	}
	if diff := cmp.Diff(want, got.Hits); diff != "" {
		t.Error(diff)
	}
}

func TestLongLines(t *testing.T) {
	for _, at := range []int{0, 1, 290, 310, 5_000, 9_990} {
		line := strings.Repeat("ä", at/2) + "needle" + strings.Repeat("ö", (10_000-at)/2)
		var hits []Hit
		n := lineFinder{literals: []fixed{newFixed("needle", false)}}
		n.each(t.Context(), []byte(line), func(_ int, found edits.Span, at int) bool {
			hits = append(hits, Hit{Text: excerpt([]byte(line[found.Start:found.End]), at)})
			return true
		})
		if len(hits) != 1 || len(hits[0].Text) > maxLine+6 || !strings.Contains(hits[0].Text, "needle") || !utf8.ValidString(hits[0].Text) {
			t.Errorf("at %d: %v", at, hits)
		}
	}
}

func TestDeepNesting(t *testing.T) {
	w, _ := newWorkspace(t, map[string]string{"a.go": "needle"})
	deep := strings.Repeat("d/", 500)
	dir, err := w.allRoots()[0].open()
	must(t, err)
	must(t, dir.MkdirAll(deep+"x", 0o755))
	must(t, dir.WriteFile(deep+"a.go", []byte("needle"), 0o644))
	if f, err := w.Read(deep + "a.go"); err != nil || f.Text != "needle" {
		t.Errorf("deep file: %q, %v", f.Text, err)
	}
	found, err := w.Search(t.Context(), Query{Pattern: "needle"}, nil)
	if err != nil || len(found.Hits) != 2 {
		t.Errorf("%d hits, %v; want 2", len(found.Hits), err)
	}
	tooDeep := strings.Repeat("d/", 5000) + "a.go"
	_, err = w.Read(tooDeep)
	if err != nil {
		wantRefusal(t, "a path longer than the system allows", err, "too long")
	}
}

// TestSearchWhileTyping lets the race detector see buffers change under readers.
func TestSearchWhileTyping(t *testing.T) {
	files := map[string]string{}
	for i := range 50 {
		files[fmt.Sprintf("d%d/f%d.go", i%5, i)] = "needle\n"
	}
	w, _ := newWorkspace(t, files)
	uri := w.URI("d0/f0.go")
	w.Open(uri, "go", 1, "needle\n")
	var group sync.WaitGroup
	typed := make(chan struct{})
	group.Go(func() {
		defer close(typed)
		lines := edits.NewLines("needle\n")
		for i := range int32(300) {
			e := edits.Edit{New: "x"}
			lines = lines.Replace(e)
			if err := w.Update(uri, i, lines, []edits.Edit{e}); err != nil {
				t.Error(err)
			}
			w.Open(w.URI("d9/new.go"), "go", i, "needle")
			if i%10 == 0 {
				w.AddFolder(Folder{Dir: "/elsewhere"})
				w.RemoveFolder(Folder{Dir: "/elsewhere"})
			}
		}
		w.Saved(uri, nil)
	})
	for range 3 {
		group.Go(func() {
			for done := false; !done; {
				select {
				case <-typed:
					done = true
				default:
				}
				found, err := w.Search(t.Context(), Query{Pattern: "needle", Glob: "*.go"}, nil)
				if err != nil || len(found.Hits) < 50 {
					t.Errorf("%d hits, %v", len(found.Hits), err)
				}
				if f, err := w.Read("d0/f0.go"); err == nil && !strings.HasSuffix(f.Text, "needle\n") {
					t.Errorf("read %q", f.Text)
				}
			}
		})
	}
	group.Wait()
}
