package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"redline/agent/model/modeltest"
)

// A lot is the folder of files of one plan: one file is open in the editor, one is closed, and one
// each is to be moved, deleted and created. Each line of a lot is unique, so a text shows which
// hunks are applied.

// block is what one call replaces: two lines, by three.
type block struct{ old, new string }

// blocksOf are the blocks of a file. The first four are the plan's first
// revision, the fifth its second.
func blocksOf(lot int, file string) []block {
	blocks := make([]block, 5)
	for k := range blocks {
		line := func(name, part string) string { return fmt.Sprintf("%s lot%02d %s %d%s\n", name, lot, file, k, part) }
		blocks[k] = block{line("old", "a") + line("old", "b"), line("new", "a") + line("new", "b") + line("new", "c")}
	}
	return blocks
}

// originalOf returns the original text of a file.
func originalOf(lot int, file string) string {
	var b strings.Builder
	for k, block := range blocksOf(lot, file) {
		for i := range 8 {
			fmt.Fprintf(&b, "line lot%02d %s %d.%d\n", lot, file, k, i)
		}
		b.WriteString(block.old)
	}
	b.WriteString("the end\n")
	return b.String()
}

func lotPath(lot int, file string) string { return fmt.Sprintf("lot%02d/%s.txt", lot, file) }

func makeLot(t *testing.T, dir string, lot int) {
	for _, file := range []string{"open", "shut", "old", "gone"} {
		path := filepath.Join(dir, lotPath(lot, file))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(originalOf(lot, file)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// typed marks the lines that the user has typed.
const typed = "typed "

// restored returns a text without what was typed into it, and with the old lines of every block.
// whole reports whether each block was there in exactly one form.
func restored(text string, blocks []block) (original string, whole bool) {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, typed) {
			b.WriteString(line)
		}
	}
	original, whole = b.String(), true
	for _, block := range blocks {
		whole = whole && strings.Count(original, block.old)+strings.Count(original, block.new) == 1
		original = strings.Replace(original, block.new, block.old, 1)
	}
	return original, whole
}

// lotAsked is the request for a lot's plan.
var lotAsked = regexp.MustCompile(`lot (\d+) (first|second)`)

// newModelOf starts a model provider that answers by the request alone, however often and by
// whomever it is asked. It returns the base URL.
func newModelOf(t *testing.T, reply func(request []byte) modeltest.Reply) string {
	server := modeltest.NewOf(func(r modeltest.Request) modeltest.Reply { return reply(r.Body) })
	base, err := server.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return base
}

// lotReply returns the reply to one request of a turn.
func lotReply(request []byte) modeltest.Reply {
	var ask struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.Unmarshal(request, &ask); err != nil {
		return modeltest.Fail(http.StatusUnprocessableEntity, err.Error())
	}
	lot, which, replies := 0, "", 0
	for _, m := range ask.Messages {
		switch found := lotAsked.FindStringSubmatch(m.Content); {
		case m.Role == "user" && found != nil:
			_, _ = fmt.Sscan(found[1], &lot) // digits
			which, replies = found[2], 0
		case m.Role == "assistant":
			replies++
		}
	}
	call := func(name string, args map[string]any) modeltest.Part {
		raw, _ := json.Marshal(args) // strings
		return modeltest.Call(name, string(raw))
	}
	edit := func(file, path string, k int) modeltest.Part {
		b := blocksOf(lot, file)[k]
		return call("edit_file", map[string]any{"path": path, "old_string": b.old, "new_string": b.new})
	}
	var parts []modeltest.Part
	switch {
	case which == "first" && replies == 0:
		for k := range 4 {
			parts = append(parts, edit("open", lotPath(lot, "open"), k), edit("shut", lotPath(lot, "shut"), k))
		}
	case which == "first" && replies == 1:
		parts = append(parts,
			call("rename_file", map[string]any{"path": lotPath(lot, "old"), "new_path": lotPath(lot, "moved")}),
			edit("old", lotPath(lot, "moved"), 1),
			call("delete_file", map[string]any{"path": lotPath(lot, "gone")}),
			call("write_file", map[string]any{"path": lotPath(lot, "made"), "content": originalOf(lot, "made")}))
	case which == "second" && replies == 0:
		parts = append(parts, edit("open", lotPath(lot, "open"), 4), edit("shut", lotPath(lot, "shut"), 4))
	default:
		parts = append(parts, modeltest.Text("The lines are new."))
	}
	return modeltest.Stream(parts...)
}
