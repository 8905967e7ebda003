package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"redline/edits"
	"redline/edits/charset"
	_ "redline/internal/seed"
)

const (
	utf16Mark = "\xff\xfe"
	kanji     = "\x93\xfa\x96\x7b" // 日本 in Shift-JIS
)

// A file is read in the charset that its mark, the user's settings or .editorconfig name. Nothing
// else makes it text.
func TestReadInCharset(t *testing.T) {
	w, _ := newCharsetWorkspace(t, map[string]string{
		".editorconfig":     "root = true\n[*.txt]\ncharset = latin1 \n[legacy/**.c]\nCharset=Shift_JIS\n[{x,y}.md]\ncharset = windows-1252\n[/top.u]\ncharset=utf-16le\n",
		"sub/.editorconfig": "# nearer\n[*.txt]\ncharset = unset\n",
		"a.txt":             "caf\xe9\n", "mark.c": utf16Mark + "h\x00i\x00", "legacy/x/a.c": kanji, "x.md": "5 \x80",
		"top.u": "h\x00\xe9\x00", "utf8.txt": "café", "sub/a.txt": "caf\xe9", "sub/deep/b.txt": "caf\xe9",
		"none.c": "caf\xe9", "set.dat": "\x80", "wrong/a.c": kanji, "binary.txt": "\xe9\x00", "odd.u": utf16Mark + "x", "half.u": utf16Mark + "\x00\xd8",
		"legacy/bad.c": "\x93",
	})
	type is struct {
		Text    string
		BOM     bool
		Charset charset.Charset
	}
	for path, want := range map[string]is{
		"a.txt": {"café\n", false, charset.Latin1}, "mark.c": {"hi", true, charset.UTF16LE}, "legacy/x/a.c": {"日本", false, charset.ShiftJIS},
		"x.md": {"5 €", false, charset.Windows1252}, "top.u": {"hé", false, charset.UTF16LE}, "utf8.txt": {"café", false, charset.UTF8}, "set.dat": {"€", false, charset.Windows1252},
	} {
		if f, err := w.Read(path); err != nil || (is{f.Text, f.BOM, f.Charset}) != want {
			t.Errorf("%s: %q %v %s, %v; want %v", path, f.Text, f.BOM, f.Charset, err, want)
		}
	}
	for path, reason := range map[string]string{
		"sub/a.txt": "not valid UTF-8", "sub/deep/b.txt": "not valid UTF-8", "none.c": "name its charset in .editorconfig", "wrong/a.c": "not valid UTF-8",
		"binary.txt": "binary", "odd.u": "UTF-16", "half.u": "UTF-16", "legacy/bad.c": "not valid UTF-8",
	} {
		_, err := w.Read(path)
		wantRefusal(t, path, err, reason)
	}
}

// newCharsetWorkspace has a rule of the user's settings for *.dat.
func newCharsetWorkspace(t *testing.T, tree map[string]string) (*Workspace, string) {
	t.Helper()
	dir := newTree(t, tree)
	return New([]Folder{{Name: "ws", Dir: dir}}, Options{Charsets: []CharsetRule{{"*", charset.UTF8}, {"*.dat", charset.Windows1252}, {"*.txt", charset.Latin1}}[1:2]}), dir
}

// A change keeps the charset, and one that it does not have is refused before anything is written.
func TestDiskKeepsCharset(t *testing.T) {
	tree := map[string]string{
		".editorconfig": "[*.txt]\ncharset=latin1\n[*.u]\ncharset=utf-16be\n", "a.txt": "caf\xe9\nb\n", "ascii.txt": "a\n", "mark.c": utf16Mark + "a\x00\n\x00",
		"m.txt": "\xe9\n", "gone.c": utf16Mark + "g\x00", "no.txt": "\xe9\n", "utf8.txt": "é\n",
	}
	w, dir := newCharsetWorkspace(t, tree)
	done := []edits.Change{
		{Path: "a.txt", Base: "café\nb\n", Edits: []edits.Edit{{Span: edits.Span{Start: 6, End: 7}, New: "ü"}}},
		{Path: "ascii.txt", Base: "a\n", Edits: []edits.Edit{{New: "é"}}},
		{Path: "utf8.txt", Base: "é\n", Edits: []edits.Edit{{New: "→"}}},
		{Path: "mark.c", Base: "a\n", Edits: []edits.Edit{{New: "😀"}}},
		{Path: "m.txt", Kind: edits.Rename, NewPath: "sub/m.txt", Base: "é\n", Edits: []edits.Edit{{New: "ö"}}},
		{Path: "new.txt", Kind: edits.Create, Text: "ñ\n"}, {Path: "new.u", Kind: edits.Create, Text: "x"},
		{Path: "new.c", Kind: edits.Create, Text: "→"},
		{Path: "gone.c", Kind: edits.Delete, Base: "g"},
		{Path: "gone.c", Kind: edits.Create, Text: "g", BOM: true, Charset: charset.UTF16LE, Restore: true, Mode: 0o644},
	}
	all, err := NewDisk(w).Apply(t.Context(), done)
	must(t, err)
	for _, a := range all {
		if a.Status != edits.Done {
			t.Errorf("%s: %+v", a.Path, a)
		}
	}
	want := map[string]string{
		".editorconfig": tree[".editorconfig"], "a.txt": "caf\xe9\n\xfc\n", "ascii.txt": "\xe9a\n", "mark.c": utf16Mark + "\x3d\xd8\x00\xdea\x00\n\x00",
		"sub/m.txt": "\xf6\xe9\n", "new.txt": "\xf1\n", "new.u": "\xfe\xff\x00x", "new.c": "→", "gone.c": tree["gone.c"], "no.txt": "\xe9\n", "utf8.txt": "→é\n",
	}
	if diff := cmp.Diff(want, contents(t, dir)); diff != "" {
		t.Error(diff)
	}
	for _, c := range []struct {
		change edits.Change
		why    string
	}{
		{edits.Change{Path: "a.txt", Base: "café\nü\n", Edits: []edits.Edit{{Span: edits.Span{Start: 6, End: 6}, New: "→"}}}, "a.txt cannot hold that text: Latin-1 has no '→' (U+2192), which is in line 2"},
		{edits.Change{Path: "ascii2.txt", Kind: edits.Create, Text: "5 €"}, "Latin-1 has no '€'"},
		{edits.Change{Path: "no.txt", Kind: edits.Rename, NewPath: "no.md", Base: "é\n"}, "no.md cannot be written in Latin-1"},
		{edits.Change{Path: "chance.txt", Kind: edits.Create, Text: "Ã©"}, "would be read there as another text"},
	} {
		all, err := NewDisk(w).Apply(t.Context(), []edits.Change{c.change})
		must(t, err)
		if all[0].Status != edits.Refused || !strings.Contains(all[0].Reason, c.why) {
			t.Errorf("%s: %+v; want %q", c.change.Path, all[0], c.why)
		}
	}
	if diff := cmp.Diff(want, contents(t, dir)); diff != "" {
		t.Error("a refused change has written:", diff)
	}
}

// TestUndoKeepsCharset checks that the inverse of an edit that takes the last character beyond ASCII out of a file writes the
// bytes of before, whatever a rule says and an editor has shown.
func TestUndoKeepsCharset(t *testing.T) {
	for name, c := range map[string]struct{ rule, bytes, show string }{
		"UTF-8 where a rule names another charset": {"latin1", "caf\u00e9\n", ""},
		"what only an editor has shown":            {"", "caf\xe9\n", "caf\u00e9\n"},
	} {
		t.Run(name, func(t *testing.T) {
			tree := map[string]string{"a.txt": c.bytes}
			if c.rule != "" {
				tree[".editorconfig"] = "[*]\ncharset = " + c.rule + "\n"
			}
			dir := newTree(t, tree)
			w := New([]Folder{{Name: "ws", Dir: dir}}, Options{})
			if c.show != "" {
				w.shown.Store("a.txt", charset.Latin1)
			}
			d := NewDisk(w)
			for _, step := range [][2]string{{"caf\u00e9\n", "cafe\n"}, {"cafe\n", "caf\u00e9\n"}} {
				if err := d.WriteFile("a.txt", step[0], step[1]); err != nil {
					t.Fatal(err)
				}
			}
			if got := contents(t, dir)["a.txt"]; got != c.bytes {
				t.Errorf("the file has %q, want %q", got, c.bytes)
			}
		})
	}
}

// TestNewFilesKeepToRules checks that a new file has the charset that a rule names and no other: not that of an earlier file
// of its name.
func TestNewFilesKeepToRules(t *testing.T) {
	dir := newTree(t, map[string]string{".editorconfig": "[*.u]\ncharset = utf-16le\n"})
	w := New([]Folder{{Name: "ws", Dir: dir}}, Options{})
	w.shown.Store("a.txt", charset.Latin1)
	d := NewDisk(w)
	if err := d.CreateFile("a.txt", "na\u00efve\n", 0); err != nil {
		t.Fatal(err)
	}
	if err := d.CreateFile("e.u", "hi", 0); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a.txt": "na\u00efve\n", "e.u": utf16Mark + "h\x00i\x00"} {
		if got := contents(t, dir)[name]; got != want {
			t.Errorf("%s has %q, want %q", name, got, want)
		}
	}
}

// Whatever is made of a file, its bytes are those of the new text, and making the old text of it
// again makes the old bytes.
func TestCharsetRoundTrip(t *testing.T) {
	letters := rapid.StringOf(rapid.SampledFrom([]rune("aé日ｱ€\n\r😀")))
	for _, c := range []charset.Charset{charset.Latin1, charset.Windows1252, charset.ShiftJIS, charset.UTF16LE, charset.UTF16BE} {
		w := New([]Folder{{Name: "ws", Dir: t.TempDir()}}, Options{Charsets: []CharsetRule{{"a", c}}})
		write := func(t *rapid.T, is content, text string) (data string, ok bool) {
			l := like{bom: is.bom, charset: is.charset}
			data, err := w.toWrite("a", is.text, text, &l)
			if err != nil {
				return "", false
			}
			if now, why := w.decode("a", []byte(data)); why != "" || now.text != text || now.bom != is.bom {
				t.Fatalf("%q is written as %q, and read as %q: %s", text, data, now.text, why)
			}
			return data, true
		}
		rapid.Check(t, func(t *rapid.T) {
			was := rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")
			if text := letters.Draw(t, "text"); rapid.Bool().Draw(t, "as text") {
				was, _ = c.Encode(text)
			}
			is, why := w.decode("a", was)
			if why != "" {
				return
			}
			data, ok := write(t, is, letters.Draw(t, "next"))
			if !ok {
				return
			}
			next, _ := w.decode("a", []byte(data))
			if again, ok := write(t, next, is.text); is.charset != charset.UTF8 && (!ok || again != string(was)) {
				t.Fatalf("%q is %q again, in %s", was, again, is.charset)
			}
		})
	}
}

// Search finds text in every charset, and shows it decoded.
func TestSearchInCharsets(t *testing.T) {
	w, _ := newCharsetWorkspace(t, map[string]string{
		".editorconfig": "[*.txt]\ncharset=latin1\n[*.u]\ncharset=utf-16le", "a.txt": "caf\xe9 needle\n", "b.c": utf16Mark + "n\x00e\x00e\x00d\x00l\x00e\x00 \x00\xe9\x00", "c.md": "café needle",
		"d.u": "\xe9\x00 \x00n\x00e\x00e\x00d\x00l\x00e\x00", "e.md": "needle \xe9", "f.txt": "\xe9\n",
	})
	for pattern, want := range map[string]string{
		"needle": "a.txt:café needle b.c:needle é c.md:café needle d.u:é needle e.md:needle \ufffd", "é": "a.txt:café needle b.c:needle é c.md:café needle d.u:é needle f.txt:é",
	} {
		found, err := w.Search(t.Context(), Query{Pattern: pattern}, nil)
		must(t, err)
		var got []string
		for _, h := range found.Hits {
			if h.Path != ".editorconfig" {
				got = append(got, h.Path+":"+h.Text)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q; want %q", pattern, strings.Join(got, " "), want)
		}
	}
}

// What may be a secret is one in every charset.
func TestSecretInCharset(t *testing.T) {
	key := "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n-----END PRIVATE KEY-----\n"
	data, err := charset.UTF16LE.Encode("\ufeff" + key)
	must(t, err)
	w, _ := newCharsetWorkspace(t, map[string]string{"a.c": string(data), "b.c": key, "c.c": utf16Mark + "a\x00"})
	for path, want := range map[string]bool{"a.c": true, "b.c": true, "c.c": false} {
		if w.Secret(path) != want {
			t.Errorf("%s is secret: %v", path, !want)
		}
	}
	found, err := w.Search(t.Context(), Query{Pattern: "PRIVATE"}, nil)
	if err != nil || len(found.Hits) > 0 {
		t.Errorf("searched: %+v, %v", found, err)
	}
}

// The text in an editor shows the charset of a file that no rule names, even when it is closed again.
func TestEditorShowsCharset(t *testing.T) {
	w, dir := newCharsetWorkspace(t, map[string]string{"a.txt": "caf\xe9\r\n", "mark.c": utf16Mark + "h\x00"})
	open := func(path, text string, dirty bool) *Buffer {
		t.Helper()
		w.Open(w.URI(path), "", 1, text)
		b, _ := w.Buffer(path)
		if b.Dirty != dirty {
			t.Errorf("%s as %q is dirty: %v", path, text, b.Dirty)
		}
		return b
	}
	if b := open("mark.c", "h", false); !b.BOM {
		t.Error("its mark is not seen")
	}
	open("mark.c", "\ufeffh", false)
	open("a.txt", "cafe\n", true)
	if w.CharsetOf("a.txt") != charset.UTF8 {
		t.Error("the charset was guessed")
	}
	open("a.txt", "café\n", false)
	if err := w.Holds("a.txt", "a.txt", "→"); err == nil {
		t.Error("a character that Latin-1 does not have was not refused")
	}
	w.Close(w.URI("a.txt"))
	must(t, NewDisk(w).WriteFile("a.txt", "café\r\n", "é\r\n"))
	if got := contents(t, dir)["a.txt"]; got != "\xe9\r\n" {
		t.Errorf("written as %q", got)
	}
}

// A hostile .editorconfig is bounded, and none outside of the workspace or behind a link counts.
func TestHostileEditorConfig(t *testing.T) {
	outside := newTree(t, map[string]string{".editorconfig": "[*]\ncharset=latin1", "ws/a.txt": "\xe9", "ws/link/b.txt": "\xe9", "ws/long/c.txt": "\xe9", "ws/many/d.txt": "\xe9"})
	dir := filepath.Join(outside, "ws")
	link(t, filepath.Join(outside, ".editorconfig"), filepath.Join(dir, "link/.editorconfig"))
	writeTree(t, dir, map[string]string{
		"long/.editorconfig": strings.Repeat("[*]\ncharset=latin1\n", maxEditorConfig/18),
		"many/.editorconfig": strings.Repeat("["+strings.Repeat("{a,b}", 200)+"]\ncharset=latin1\n["+strings.Repeat("*a", 400)+"*]\n[{1..2000000000}]\ncharset=latin1\n[\ncharset\n=\n[]\n", 30),
	})
	w := New([]Folder{{Name: "ws", Dir: dir}}, Options{})
	for _, path := range []string{"a.txt", "link/b.txt", "long/c.txt", "many/d.txt"} {
		_, err := w.Read(path)
		wantRefusal(t, path, err, "not valid UTF-8")
	}
}

func FuzzEditorConfig(f *testing.F) {
	f.Add("root=true\n[*.{c,h}]\ncharset = latin1", "src/a.c")
	f.Add("[**.txt]\ncharset=unset\n[[!a]/b]", "x/b")
	f.Fuzz(func(t *testing.T, text, rel string) {
		c, named, _ := charsetIn(text, rel)
		if c != charset.UTF8 && (!named || !strings.Contains(strings.ToLower(text), "charset")) {
			t.Errorf("%s", c)
		}
	})
}

// A move that fails leaves what is known about its target.
func TestAMoveThatFailsKeepsWhatWasShown(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("\xe9\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w := New([]Folder{{Name: "ws", Dir: dir}}, Options{})
	w.shown.Store("a", charset.Latin1)
	if err := NewDisk(w).RenameFile("a", "b", "é\n", "é\n"); err == nil {
		t.Fatal("a file was moved over another")
	}
	if c, ok := w.shown.Load("b"); ok {
		t.Errorf("b is read as %v now", c)
	}
}
