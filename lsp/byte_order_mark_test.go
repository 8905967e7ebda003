package lsp

import (
	"testing"

	"redline/edits"
	"redline/lsp/command"
	"redline/lsp/lsptest"
)

// A byte order mark stays in its place, once: whether or not the editor keeps it in its
// text, whether the file is open when it is read and when it is changed, and in every
// encoding.
func TestByteOrderMarkStays(t *testing.T) {
	const bom, base = edits.BOM, "one\ntwo 😀\n"
	for _, encoding := range []string{"utf-16", "utf-8", "utf-32"} {
		for _, keeps := range []bool{false, true} {
			for request, want := range map[string]string{
				`replace "one" with "1"`:                    "1\ntwo 😀\n",
				`replace "two" with "2"`:                    "one\n2 😀\n",
				"insert \"zero\n\" before \"one\" in a.txt": "zero\none\ntwo 😀\n",
				`replace "o" with "0"`:                      "0ne\ntw0 😀\n",
			} {
				for when, open := range map[string][2]bool{"open": {true, true}, "closed": {}, "opened later": {false, true}, "closed later": {true, false}} {
					name := encoding + ", taken away, "
					if keeps {
						name = encoding + ", kept, "
					}
					t.Run(name+when+", "+request, func(t *testing.T) {
						t.Parallel()
						profile := lsptest.Honest()
						profile.Encodings, profile.KeepsMarks = []string{encoding}, keeps
						c := connect(t, profile, map[string]string{"a.txt": bom + base})
						if open[0] {
							c.must(c.Open("a.txt"))
						}
						c.plan(request)
						switch {
						case open[0] && !open[1]:
							c.must(c.Close("a.txt"))
						case open[1] && !open[0]:
							c.must(c.Open("a.txt"))
						}
						typed := ""
						if open[1] {
							c.must(c.Replace("a.txt", "😀\n", "😀\ntyped\n"))
							typed = "typed\n"
						}
						_, err := c.approve()
						c.must(err)
						c.must(c.Save("a.txt"))
						if got := c.onDisk("a.txt"); got != bom+want+typed {
							t.Errorf("applied: %q", got)
						}
						if open[0] {
							c.must(c.Close("a.txt")) // so that the undo goes through another buffer
						}
						_, err = c.decide(command.Undo, 1)
						c.must(err)
						c.must(c.Save("a.txt"))
						if got := c.onDisk("a.txt"); got != bom+base+typed {
							t.Errorf("taken back: %q", got)
						}
					})
				}
			}
		}
	}
}

// A new file gets the byte order mark that was proposed, and a deleted file has its own
// again after an undo.
func TestByteOrderMarkOfNewAndDeletedFiles(t *testing.T) {
	const bom = edits.BOM
	for _, keeps := range []bool{false, true} {
		for _, operations := range [][]string{{"create", "rename", "delete"}, nil} {
			profile := lsptest.Honest()
			profile.KeepsMarks, profile.ResourceOperations = keeps, operations
			c := connect(t, profile, map[string]string{"gone.txt": bom + "one\n", "moved.txt": bom + "two\n"})
			c.plan("create new.txt with \"" + bom + "zero\n\" then delete gone.txt then move moved.txt to to.txt")
			for range 2 {
				r, err := c.approve()
				c.must(err)
				if r.State != "completed" {
					t.Errorf("approved: %+v", r)
				}
				if c.Dirty("new.txt") {
					c.must(c.Save("new.txt"))
				}
				for name, want := range map[string]string{"new.txt": bom + "zero\n", "gone.txt": "", "to.txt": bom + "two\n"} {
					if got := c.onDisk(name); got != want {
						t.Errorf("keeps %v, %v: %s is %q, want %q", keeps, operations, name, got, want)
					}
				}
				_, err = c.decide(command.Undo, 1)
				c.must(err)
				for name, want := range map[string]string{"new.txt": "", "gone.txt": bom + "one\n", "moved.txt": bom + "two\n"} {
					if got := c.onDisk(name); got != want {
						t.Errorf("keeps %v, %v, undone: %s is %q, want %q", keeps, operations, name, got, want)
					}
				}
			}
		}
	}
}
