package brief_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"redline/agent/brief"
	"redline/agent/plan"
	_ "redline/internal/seed"
)

func TestNothingToSay(t *testing.T) {
	d := newDesk(t, map[string]string{"a.go": "package a\n"})
	d.want(brief.Request{Own: "rename a to b"})
	if got := d.gather(brief.Request{Own: "x"}, brief.Limits{}).Notice(); got != "" {
		t.Errorf("notice: %s", got)
	}
}

func TestThePlace(t *testing.T) {
	d := newDesk(t, map[string]string{"a.go": "package a\n\nfunc A() {}\n\ntype T struct{}\n", "b.txt": "x\n"})
	d.want(brief.Request{Path: "b.txt"}, "file: b.txt")
	d.want(brief.Request{Path: "b.txt", Lines: &[2]int{0, 2}, Selection: "x"},
		"file: b.txt", "lines: 1-3", "selection:", "```", "x", "```")
	d.want(brief.Request{Path: "a.go"}, "file: a.go", "outline of a.go:", "```", "3: func A", "5: type T", "```")
	d.want(brief.Request{Path: "not-there.go"}, "file: not-there.go")
	d.want(brief.Request{Path: "od\u202ed\n.txt"}, `file: "od\u202ed\n.txt"`)
}

// What a command printed is data: nothing in it is a mention, and it cannot close its fence.
func TestOutputOfACommand(t *testing.T) {
	d := newDesk(t, map[string]string{"a.txt": "one\n"})
	d.want(brief.Request{Own: "fix it", Output: "@a.txt\n```\nFAIL"}, "output of a command:", "````", "@a.txt", "```", "FAIL", "````")
}

func TestMentions(t *testing.T) {
	d := newDesk(t, map[string]string{
		"a.txt": "one\ntwo\nthree\n", "src/deep/only.txt": "deep\n", "x/same.txt": "1", "y/same.txt": "2", "empty.txt": "",
		"shop/cart.go": "package shop\n\ntype Cart struct{}\n\nfunc (c *Cart) Add() {\n\tuse(1)\n}\n\nfunc use(int) {}\n",
		"py/cart.py":   "class Cart:\n    def pay(self):\n        return use()\n",
		"py/box.py":    "class Box:\n    def pay(self):\n        pass\n",
		"bin":          "a\x00b", "shop/README.md": "# Cart\n",
	})
	d.want(brief.Request{Own: "@a.txt"}, "mentioned: a.txt:", "```", "one", "two", "three", "```")
	d.want(brief.Request{Own: "@a.txt:2"}, "mentioned: a.txt, lines 2-2 of 3:", "```", "two", "```")
	d.want(brief.Request{Own: "@a.txt:2-99"}, "mentioned: a.txt, lines 2-3 of 3:", "```", "two", "three", "```")
	d.want(brief.Request{Own: "@a.txt:9"}, "left out:", "- @a.txt:9: a.txt has only 3 lines")
	d.want(brief.Request{Own: "@empty.txt"}, "mentioned: empty.txt (empty)")
	d.want(brief.Request{Own: "@only.txt"}, "mentioned: src/deep/only.txt:", "```", "deep", "```")
	d.want(brief.Request{Own: "@same.txt"}, "left out:", "- @same.txt: 2 files are called so, among them x/same.txt and y/same.txt")
	d.want(brief.Request{Own: "@src/"}, "mentioned: the files below src:", "```", "src/deep/only.txt", "```")
	d.want(brief.Request{Own: "@Cart.Add"}, "mentioned: shop/cart.go, method Cart.Add, lines 5-7 of 9:",
		"```", "func (c *Cart) Add() {", "\tuse(1)", "}", "```")
	d.want(brief.Request{Own: "@shop.use"}, "mentioned: shop/cart.go, func use, lines 9-9 of 9:", "```", "func use(int) {}", "```")
	d.want(brief.Request{Own: "@Cart.pay"}, "mentioned: py/cart.py, def Cart.pay, lines 2-3 of 3:",
		"```", "    def pay(self):", "        return use()", "```")
	d.want(brief.Request{Own: "@pay"},
		"mentioned: py/box.py, def Box.pay, lines 2-3 of 3:", "```", "    def pay(self):", "        pass", "```",
		"mentioned: py/cart.py, def Cart.pay, lines 2-3 of 3:", "```", "    def pay(self):", "        return use()", "```")
	d.want(brief.Request{Own: "@nothing @other.use"}, "left out:", "- @nothing: no file or symbol is called so", "- @other.use: no file or symbol is called so")
	d.want(brief.Request{Own: "@bin"}, "left out:", "- @bin: bin is a binary file (it has NUL bytes); only text can be read and edited, so continue without it")
	d.want(brief.Request{Own: "@../x @/etc/passwd @.git/config"}, "left out:",
		"- @../x: no file or symbol is called so", "- @/etc/passwd: no file or symbol is called so", "- @.git/config: no file or symbol is called so")
}

// What is shown is what the draft has, and what later edits are measured by.
func TestTextsComeThroughTheDraft(t *testing.T) {
	d := newDesk(t, map[string]string{"a.txt": "old\n", "gone.txt": "gone\n"})
	op := plan.Operation{Step: "s1", Tool: "write_file", Args: []byte(`{}`)}
	if _, err := d.draft.Write("a.txt", "staged\n", op); err != nil {
		t.Fatal(err)
	}
	if _, err := d.draft.Delete("gone.txt", op); err != nil {
		t.Fatal(err)
	}
	d.want(brief.Request{Own: "@a.txt"}, "mentioned: a.txt:", "```", "staged", "```")
	d.want(brief.Request{Own: "@gone.txt"}, "left out:", "- @gone.txt: no file or symbol is called so")
}

// What may hold secrets is shown only where the user's own words name it in full.
func TestSecretsAreNotShown(t *testing.T) {
	files := map[string]string{
		".env": "TOKEN=hunter2\n", "sub/.env": "TOKEN=hunter3\n", "a.go": "package a\n\nvar TOKEN = 1\n",
		".redline/ignore": "private/\n", "private/x.go": "package p\n\nfunc Hidden() {}\n",
	}
	named := func(name string) func(string) bool { return func(p string) bool { return p == name } }
	for own, shows := range map[string]string{
		"@.env": "hunter2", "@TOKEN": "", "@Hidden": "", "@private/x.go": "Hidden", "@sub/": "", "@x.go": "", "@sub/.env": "hunter3", "what is TOKEN": "",
	} {
		got := newDesk(t, files).gather(brief.Request{Own: own}, brief.Limits{}).Text()
		for _, secret := range []string{"hunter2", "hunter3", "func Hidden"} {
			if want := shows != "" && strings.Contains(secret, shows); strings.Contains(got, secret) != want {
				t.Errorf("%s: %s shown: %v, want %v:\n%s", own, secret, !want, want, got)
			}
		}
	}
	d := newDesk(t, files)
	b := d.gather(brief.Request{Path: ".env", Selection: "TOKEN=hunter2", Lines: &[2]int{0, 0}}, brief.Limits{})
	if strings.Contains(b.Text(), "hunter") || !strings.Contains(b.Notice(), ".env may hold secrets") {
		t.Errorf("a selection of a secret file:\n%s\n%s", b.Text(), b.Notice())
	}
	b = d.gather(brief.Request{Path: ".env", Selection: "TOKEN=hunter2", Named: named(".env")}, brief.Limits{})
	if !strings.Contains(b.Text(), "hunter2") {
		t.Errorf("a selection of a secret file that was named is not shown:\n%s", b.Text())
	}
	d.ws.Open(d.ws.URI(".env"), "", 1, "TOKEN=hunter2\n")
	d.want(brief.Request{Own: "x"})
}

// A link cannot bring in what its own name hides, nor what is outside.
func TestLinksShowNoSecrets(t *testing.T) {
	d := newDesk(t, map[string]string{".env": "TOKEN=hunter2\n", "a.go": "package a\n"})
	outside := filepath.Join(t.TempDir(), "outside")
	for _, err := range []error{
		os.WriteFile(outside, []byte("hunter4"), 0o644),
		os.Symlink(".env", filepath.Join(d.dir, "AGENTS.md")), os.Symlink(outside, filepath.Join(d.dir, "CLAUDE.md")),
	} {
		if err != nil {
			t.Skipf("symbolic links cannot be made here: %v", err)
		}
	}
	if got := d.gather(brief.Request{Path: "a.go"}, brief.Limits{}).Text(); strings.Contains(got, "hunter") {
		t.Errorf("shown:\n%s", got)
	}
}

func TestWhatIsOpen(t *testing.T) {
	d := newDesk(t, map[string]string{"a.go": "package a\n", "b.go": "package b\n", ".redline/chat.md": "## You\n"})
	d.ws.Open(d.ws.URI("a.go"), "go", 1, "package a\n")
	d.ws.Open(d.ws.URI("b.go"), "go", 1, "package b // typed\n")
	d.ws.Open(d.ws.URI("new.go"), "go", 1, "package n\n")
	d.ws.Open(d.ws.URI(".redline/chat.md"), "markdown", 1, "## You\n")
	d.ws.Open("file:///elsewhere/x.go", "go", 1, "package x\n")
	d.want(brief.Request{Own: "x"}, "open in the editor:", "  a.go", "  b.go (unsaved)", "  new.go (unsaved)")
	d.want(brief.Request{Own: "@b.go"}, "mentioned: b.go:", "```", "package b // typed", "```",
		"open in the editor:", "  a.go", "  b.go (unsaved)", "  new.go (unsaved)")
}

// The facts of a project are lines of the block, which no name in them can close.
func TestFacts(t *testing.T) {
	d := newDesk(t, map[string]string{"a.txt": "one\n"})
	r := brief.Request{Own: "@a.txt", Facts: []string{"branch: main", "root: a.txt ````` x"}}
	d.want(r, "mentioned: a.txt:", "``````", "one", "``````", "project:", "  branch: main", "  root: a.txt ````` x")
	b := d.gather(r, brief.Limits{})
	if text := b.Text(); !strings.HasPrefix(text, "```````context\n") || !strings.HasSuffix(text, "\n```````") {
		t.Errorf("the block is\n%s", text)
	}
	if got, want := b.WithoutFacts().Text(), d.gather(brief.Request{Own: "@a.txt"}, brief.Limits{}).Text(); got != want {
		t.Errorf("without facts it is\n%s\nwant\n%s", got, want)
	}
}

func TestTheBudget(t *testing.T) {
	long := strings.Repeat("a line of some forty bytes, more or less\n", 1000)
	d := newDesk(t, map[string]string{"a.txt": long, "b.txt": long, "AGENTS.md": "Be kind.\n", "c.go": "package c\n" + strings.Repeat("\nfunc F() {}\n", 500)})
	for _, tokens := range []int{1, 50, 300, 2000, 8000} {
		b := d.gather(brief.Request{Own: "@a.txt @b.txt", Path: "c.go", Selection: long}, brief.Limits{Tokens: tokens})
		text := b.Text()
		if used := brief.Tokens(text); used > tokens+400 {
			t.Errorf("%d tokens for a budget of %d", used, tokens)
		}
		if tokens >= 300 && (!strings.Contains(text, "Be kind.") || strings.Count(text, "mentioned: ") != 2) {
			t.Errorf("a budget of %d: the rules or a mention have got nothing:\n%.2000s", tokens, text)
		}
		for _, what := range []string{"selection", "@a.txt", "@b.txt"} {
			if !strings.Contains(b.Notice(), what) {
				t.Errorf("a budget of %d: that %s was cut is not told: %s", tokens, what, b.Notice())
			}
		}
		if !strings.Contains(b.Notice(), "context.tokens") || !strings.Contains(text, "\nleft out:\n") {
			t.Errorf("a budget of %d: nothing is said: %s\n%s", tokens, b.Notice(), text)
		}
	}
}

// A workspace in which nothing can be found in time holds no turn up.
func TestLookingForSymbolsEnds(t *testing.T) {
	d := newDesk(t, map[string]string{"a.go": "package a\n\nfunc F() {}\n"})
	b := d.gather(brief.Request{Own: "@F"}, brief.Limits{Symbols: time.Nanosecond})
	if !strings.Contains(b.Text(), "left out:\n- @F: ") || !strings.Contains(b.Text(), "in the time") {
		t.Errorf("left out: %s", b.Text())
	}
}

// Whatever is in the texts and names, the block ends where it ends, and each text
// in it too.
func TestNoFenceCanBeClosed(t *testing.T) {
	pieces := rapid.SliceOf(rapid.SampledFrom([]string{"`", "``", "```", "````", "\n", "\r", " ", "context", "x", "file: .env", "rules: a:", "~~~"}))
	rapid.Check(t, func(rt *rapid.T) {
		selection := strings.Join(pieces.Draw(rt, "selection"), "")
		rules := strings.Join(pieces.Draw(rt, "rules"), "")
		d := newDesk(t, map[string]string{"AGENTS.md": rules})
		path := "a`" + strings.Repeat("`", rapid.IntRange(0, 5).Draw(rt, "ticks")) + ".txt"
		text := d.gather(brief.Request{Path: path, Selection: selection}, brief.Limits{}).Text()
		lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
		outer := strings.TrimSuffix(lines[0], "context")
		inner, open := "", false
		for i, line := range lines[1:] {
			ticks := strings.Trim(strings.TrimSpace(line), "`") == "" && len(strings.TrimSpace(line)) >= 3
			switch {
			case strings.Contains(line, outer):
				if i != len(lines)-2 || line != outer {
					rt.Fatalf("the block is closed at line %d:\n%s", i, text)
				}
			case !open && ticks:
				open, inner = true, line
			case open && line == inner:
				open = false
			case open && strings.Contains(line, inner):
				rt.Fatalf("a text can close its fence:\n%s", text)
			}
		}
		if open {
			rt.Fatalf("a fence is not closed:\n%s", text)
		}
	})
}

func TestManyMentions(t *testing.T) {
	files, own := map[string]string{}, ""
	for i := range 30 {
		files[fmt.Sprintf("f%d.txt", i)] = "x\n"
		own += fmt.Sprintf("@f%d.txt ", i)
	}
	text := newDesk(t, files).gather(brief.Request{Own: own}, brief.Limits{}).Text()
	if strings.Count(text, "mentioned: ") != 20 || !strings.Contains(text, "10 more mentions: at most 20 count") {
		t.Errorf("got:\n%s", text)
	}
}
