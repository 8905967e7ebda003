package lsp

import (
	"encoding/json"
	"strings"
	"testing"

	"redline/lsp/command"
	"redline/lsp/lsptest"
)

// A document whose URI names no file of the workspace is ignored: plans for the real files
// are made, approved and undone as usual.
func TestDocumentsWithABrokenURI(t *testing.T) {
	dirURI := func(c *connected) string { return strings.TrimSuffix(c.URI("a.txt"), "/a.txt") }
	for name, uri := range map[string]func(c *connected) string{
		"empty":                  func(*connected) string { return "" },
		"blank":                  func(*connected) string { return " " },
		"only a scheme":          func(*connected) string { return "file:" },
		"no path":                func(*connected) string { return "file://" },
		"the root":               func(*connected) string { return "file:///" },
		"a host":                 func(c *connected) string { return "file://elsewhere" + strings.TrimPrefix(c.URI("a.txt"), "file://") },
		"no scheme":              func(c *connected) string { return strings.TrimPrefix(c.URI("a.txt"), "file://") },
		"a relative name":        func(*connected) string { return "a.txt" },
		"a relative file URI":    func(*connected) string { return "file:a.txt" },
		"another scheme":         func(*connected) string { return "untitled:a.txt" },
		"half an escape":         func(c *connected) string { return c.URI("a.txt") + "%" },
		"a wrong escape":         func(c *connected) string { return c.URI("a.txt") + "%zz" },
		"an escaped NUL":         func(c *connected) string { return c.URI("a.txt") + "%00" },
		"a NUL":                  func(c *connected) string { return c.URI("a.txt") + "\x00" },
		"an escaped slash":       func(c *connected) string { return c.URI("a.txt") + "%2f" },
		"bytes that are no text": func(c *connected) string { return dirURI(c) + "/%ff%fe.txt" },
		"the workspace":          dirURI,
		"the workspace, slash":   func(c *connected) string { return dirURI(c) + "/" },
		"the workspace, dot":     func(c *connected) string { return dirURI(c) + "/." },
		"above the workspace":    func(c *connected) string { return dirURI(c) + "/../a.txt" },
		"a folder":               func(c *connected) string { return dirURI(c) + "/sub" },
		"a file with a slash":    func(c *connected) string { return c.URI("a.txt") + "/" },
		"below a file":           func(c *connected) string { return c.URI("a.txt") + "/b.txt" },
		"far too long":           func(c *connected) string { return dirURI(c) + "/" + strings.Repeat("a", 100_000) },
		"a folder of Redline":    func(c *connected) string { return dirURI(c) + "/.redline" },
		"a preview with a slash": func(c *connected) string { return dirURI(c) + "/.redline/plans/0001-r1.md/" },
		"a preview's path":       func(*connected) string { return ".redline/plans/0001-r1.md" },
		"the folder of plans":    func(c *connected) string { return dirURI(c) + "/.redline/plans" },
	} {
		for _, way := range []string{"didOpen", "didChange"} {
			t.Run(way+"/"+name, func(t *testing.T) {
				t.Parallel()
				c := connect(t, lsptest.HelixLike(), map[string]string{"a.txt": twoFruits, "sub/b.txt": twoFruits})
				c.broken(way, uri(c))
				c.must(c.Open("a.txt"))
				c.plan(`replace "apple" with "pear"`)
				c.broken(way, uri(c))
				if _, err := c.approve(); err != nil {
					t.Fatalf("the plan cannot be approved: %v", err)
				}
				pears := strings.ReplaceAll(twoFruits, "apple", "pear")
				c.wantFile("a.txt", pears)
				c.must(c.SaveAll())
				for _, file := range []string{"a.txt", "sub/b.txt"} {
					if got := c.onDisk(file); got != pears {
						t.Errorf("%s is %q, want %q", file, got, pears)
					}
				}
				if _, err := c.decide(command.Undo, 1); err != nil {
					t.Fatalf("the plan cannot be undone: %v", err)
				}
				c.wantFile("a.txt", twoFruits)
			})
		}
	}
}

// broken sends didOpen or didChange for a document with this URI.
func (c *connected) broken(way, uri string) {
	c.t.Helper()
	const text = "nobody's text\n"
	document := map[string]any{"uri": uri, "version": 7}
	params := map[string]any{"textDocument": document, "contentChanges": []any{map[string]any{"text": text}}}
	if way == "didOpen" {
		document["languageId"], document["text"] = "plaintext", text
		params = map[string]any{"textDocument": document}
	}
	raw, err := json.Marshal(params)
	c.must(err)
	c.must(c.Notify("textDocument/"+way, json.RawMessage(raw)))
}
