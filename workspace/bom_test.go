package workspace

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/edits"
)

// TestByteOrderMarkOnDisk checks that a byte order mark is not part of a file's text, and
// that every change keeps it.
func TestByteOrderMarkOnDisk(t *testing.T) {
	const bom = edits.BOM
	w, dir := newWorkspace(t, map[string]string{
		"a.go": bom + "one\ntwo\n", "old.go": bom + "x\n", "same.go": bom + "s\n", "gone.go": bom + "g\n", "plain.go": "p\n", "two.go": bom + bom + "t\n", "only.go": bom,
	})
	for path, want := range map[string]File{
		"a.go": {Text: "one\ntwo\n", BOM: true}, "plain.go": {Text: "p\n"}, "two.go": {Text: bom + "t\n", BOM: true}, "only.go": {BOM: true},
	} {
		if f, err := w.Read(path); err != nil || !f.Exists || f.Text != want.Text || f.BOM != want.BOM {
			t.Errorf("%s: %+v, %v", path, f, err)
		}
	}
	all, err := NewDisk(w).Apply(t.Context(), []edits.Change{
		{Path: "a.go", Base: "one\ntwo\n", Edits: []edits.Edit{{Span: edits.Span{End: 4}, New: "1\n"}}},
		{Path: "old.go", Kind: edits.Rename, NewPath: "moved.go", Base: "x\n", Edits: []edits.Edit{{New: "w\n"}}},
		{Path: "same.go", Kind: edits.Rename, NewPath: "Same2.go", Base: "s\n"},
		{Path: "gone.go", Kind: edits.Delete, Base: "g\n"},
		{Path: "new.go", Kind: edits.Create, Text: "n\n", BOM: true},
		{Path: "plain.go", Base: "p\n", Edits: []edits.Edit{{Span: edits.Span{End: 1}, New: "P"}}},
	})
	must(t, err)
	for _, a := range all {
		if a.Status != edits.Done {
			t.Errorf("%s: %+v", a.Path, a)
		}
	}
	if len(all) != 6 || all[0].Text != "1\ntwo\n" || all[4].Text != "n\n" {
		t.Errorf("outcomes %+v", all)
	}
	want := map[string]string{
		"a.go": bom + "1\ntwo\n", "moved.go": bom + "w\nx\n", "Same2.go": bom + "s\n", "new.go": bom + "n\n", "plain.go": "P\n",
		"two.go": bom + bom + "t\n", "only.go": bom,
	}
	if diff := cmp.Diff(want, contents(t, dir)); diff != "" {
		t.Error(diff)
	}
	found, err := w.Search(t.Context(), Query{Pattern: "^1", Regexp: true}, nil)
	if err != nil || len(found.Hits) != 1 || found.Hits[0].Text != "1" {
		t.Errorf("searched: %+v, %v", found, err)
	}
}

// TestByteOrderMarkInAnEditor checks that it makes no difference whether an editor has the
// byte order mark in its text, and that both cases report it.
func TestByteOrderMarkInAnEditor(t *testing.T) {
	for name, text := range map[string]string{"taken away": "a\n", "kept": edits.BOM + "a\n"} {
		t.Run(name, func(t *testing.T) {
			w, dir := newWorkspace(t, map[string]string{"a.go": edits.BOM + "a\n"})
			uri := w.URI("a.go")
			w.Open(uri, "go", 1, text)
			seen := func(want string, bom, dirty bool) {
				t.Helper()
				f, err := w.Read("a.go")
				if err != nil || f.Text != want || f.BOM != bom || f.Buffer.Dirty != dirty {
					t.Errorf("%+v, %v; want %q, byte order mark %v, dirty %v", f, err, want, bom, dirty)
				}
			}
			seen("a\n", true, false)
			b, _ := w.Buffer("a.go")
			e := edits.Edit{Span: edits.Span{End: 1}, New: "b"}
			must(t, w.Update(uri, 2, b.Lines.Replace(e), []edits.Edit{e}))
			seen("b\n", true, true)
			whole := b.Lines.Replace(e).Whole().Text()
			w.Saved(uri, &whole)
			seen("b\n", true, false)
			if !b.Lines.Marked() { // only the disk can tell
				writeTree(t, dir, map[string]string{"a.go": "b\n"})
				w.Saved(uri, nil)
				seen("b\n", false, false)
				return
			}
			must(t, w.Update(uri, 3, edits.NewLines("b\n")))
			seen("b\n", false, true)
		})
	}
}
