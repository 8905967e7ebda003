package workspace

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
)

// wantRefusal checks that err is a refusal of one sentence that contains reason.
func wantRefusal(t *testing.T, what string, err error, reason string) {
	t.Helper()
	refusal, ok := err.(*Refusal)
	switch {
	case !ok || !strings.Contains(refusal.Error(), reason):
		t.Errorf("%s: %v; want a refusal with %q", what, err, reason)
	case strings.Contains(refusal.Error(), "\n"):
		t.Errorf("%s: the refusal is not one line: %q", what, refusal)
	}
}

func TestReadRefuses(t *testing.T) {
	w, dir := newWorkspace(t, map[string]string{
		"dir/":         "",
		"a.go":         "package a",
		"binary":       "ab\x00c",
		"latin1.txt":   "caf\xe9",
		"utf16le.txt":  "a\x00",
		"utf16be.txt":  "\x00a",
		".git/config":  "[core]",
		"sub/.git":     "gitdir: elsewhere",
		".redline/x":   "own",
		"bom.txt":      "\ufeffok",
		"empty":        "",
		"exact8MiB":    strings.Repeat("x", 8<<20),
		"over8MiB.txt": strings.Repeat("x", 8<<20+1),
	})
	for path, reason := range map[string]string{
		"dir": "is a folder", ".": "is a folder", "binary": "binary", "latin1.txt": "not valid UTF-8",
		"utf16le.txt": "UTF-16", "utf16be.txt": "UTF-16", "over8MiB.txt": "has 8388609 bytes, and at most 8388608",
		".git/config": ".git", "sub/.git": ".git", ".GIT/config": ".git", "a.go/b": "not a folder",
		"": "not a path", "/etc/passwd": "not a path", "../x": "not a path", "a//b": "not a path", "a/": "not a path",
		"a\x00": "not a path", strings.Repeat("n", 300): "name is too long", "dir\nx\xff": "not a path",
	} {
		_, err := w.Read(path)
		wantRefusal(t, path, err, reason)
	}
	for _, path := range []string{"a.go", "bom.txt", "empty", "exact8MiB", ".redline/x"} {
		if f, err := w.Read(path); err != nil || !f.Exists {
			t.Errorf("%s: %v, %v", path, f.Exists, err)
		}
	}
	for _, path := range []string{"none.go", "no/such/dir/a.go", "dir/none"} {
		if f, err := w.Read(path); err != nil || f.Exists || f.URI == "" {
			t.Errorf("%s: %+v, %v; want a file that does not exist", path, f, err)
		}
	}
	// A sparse file of 100 MB takes no space.
	big, err := os.Create(filepath.Join(dir, "big"))
	must(t, err)
	must(t, big.Truncate(100<<20))
	must(t, big.Close())
	_, err = w.Read("big")
	wantRefusal(t, "big", err, "has 104857600 bytes")
	// Opening a file of git's does not make it readable.
	w.Open(w.URI(".git/config"), "", 1, "x")
	_, err = w.Read(".git/config")
	wantRefusal(t, "open .git/config", err, ".git")
}

func TestUTF16(t *testing.T) {
	encode := func(text string, order binary.AppendByteOrder) []byte {
		var data []byte
		for _, u := range utf16.Encode([]rune(text)) {
			data = order.AppendUint16(data, u)
		}
		return data
	}
	for _, text := range []string{"a", "package a\n", "für alle\r\n", "\ufeffx", "\ufeff日本語のテキスト、a b\r\n", "\ufeffрусский текст\n", "😀 is ok\n", strings.Repeat("x", 5000) + "😀"} {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			if why := notText(encode(text, order)); !strings.Contains(why, "UTF-16") {
				t.Errorf("%q in %v: %q", text, order, why)
			}
		}
	}
	for _, data := range []string{"\x00\x00\x01\x00", "ab\x00\x00", "\x7fELF\x02\x01\x01\x00", "a\x00b", "\x00", "a\x00\x01\x00b\x00\x02\x00", "PK\x03\x04\x14\x00\x00\x00", "text\x00\x00more", "abc\x00def\nfoo\n"} {
		if why := notText([]byte(data)); !strings.Contains(why, "binary") {
			t.Errorf("%q: %q", data, why)
		}
	}
	for _, data := range []string{"", "a", "日本語", "a\n", "\u0100\u0200"} {
		if why := notText([]byte(data)); why != "" {
			t.Errorf("%q: %q", data, why)
		}
	}
}

func TestReadAndLinks(t *testing.T) {
	w, dir := newWorkspace(t, map[string]string{
		"a.go": "a", "sub/b.go": "b", ".git/config": "[core]", ".redline/chat.md": "chat", ".env": "KEY=1",
	})
	outside := newTree(t, map[string]string{"secret": "s"})
	for name, target := range map[string]string{
		"passwd": "/etc/passwd", "out": outside, "up": "..", "rel.go": "a.go", "abs.go": filepath.Join(dir, "a.go"),
		"subdir": "sub", "loop1": "loop2", "loop2": "loop1", "self": ".", "dangling": "nowhere",
		"gitdir": ".git", "gitfile": ".git/config", "own": ".redline/chat.md", ".redline/leak": "../.env",
	} {
		link(t, target, filepath.Join(dir, name))
	}
	for path, reason := range map[string]string{
		"passwd": "leads out", "out/secret": "leads out", "out": "leads out", "up/x": "leads out", "out/new/file": "leads out",
		"loop1": "cannot be followed", "loop1/x": "cannot be followed", "dangling": "does not exist", "dangling/x": "does not exist",
		"gitdir/config": ".git", "gitfile": ".git", "gitdir/new": ".git", "self/.git/config": ".git",
		"own": "Redline's own", ".redline/leak": "Redline's own",
	} {
		_, err := w.Read(path)
		wantRefusal(t, path, err, reason)
	}
	for path, text := range map[string]string{"rel.go": "a", "abs.go": "a", "subdir/b.go": "b", "self/self/a.go": "a"} {
		if f, err := w.Read(path); err != nil || f.Text != text {
			t.Errorf("%s: %q, %v", path, f.Text, err)
		}
	}
}

func TestStat(t *testing.T) {
	w, _ := newWorkspace(t, map[string]string{"a.go": "", "dir/": "", ".git/x": ""})
	for path, want := range map[string][2]bool{"a.go": {true, false}, "dir": {true, true}, ".": {true, true}, "none": {}, "no/ne": {}} {
		if exists, isDir, err := w.Stat(path); err != nil || exists != want[0] || isDir != want[1] {
			t.Errorf("Stat(%q) = %v, %v, %v", path, exists, isDir, err)
		}
	}
	_, _, err := w.Stat(".git/x")
	wantRefusal(t, ".git/x", err, ".git")
}
