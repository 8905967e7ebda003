package preview

import "testing"

func TestHeadings(t *testing.T) {
	const text = "# Plan 1, revision 1\n\n## Files\n\n### a/b.go (update, +1 −1)\n\n```diff\n--- a/a/b.go\n+++ b/a/b.go\n@@ -1 +1 @@ h1\n-x\n+++ y\n```\n" +
		"\n### old.txt → new.txt (rename, +0 −0)\r\n\n### \"a\\\"b\" (create, +1 −0)\n\n### no heading\n"
	type heading struct{ path, name, new string }
	want := []heading{{"a/b.go", "a/b.go", "+++ b/a/b.go"}, {"old.txt", "old.txt → new.txt", ""}, {`a"b`, `"a\"b"`, ""}}
	got := Headings(text)
	if len(got) != len(want) {
		t.Fatalf("got %+v", got)
	}
	for i, h := range got {
		if is := (heading{h.Path, text[h.Name.Start:h.Name.End], text[h.New.Start:h.New.End]}); is != want[i] {
			t.Errorf("got %+v, want %+v", is, want[i])
		}
	}
}
