package tool_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"redline/agent/draft"
	"redline/agent/tool"
	"redline/agent/tool/tooltest"
	"redline/agent/toolset"
	"redline/workspace"
)

// threeFiles have a function that two other files use, and one of them has another symbol of its name.
var threeFiles = map[string]string{
	"sum.go":   "package a\n\n// Total adds.\nfunc Total(n ...int) (sum int) {\n\tfor _, x := range n {\n\t\tsum += x\n\t}\n\treturn sum\n}\n",
	"use.go":   "package a\n\nvar two = Total(1, 1)\n\nfunc twice(n int) int { return Total(n, n) }\n",
	"other.go": "package a\n\nfunc other() int {\n\tTotal := Total(3)\n\treturn Total\n}\n\nfunc near(Sum int) int { return Total(2) }\n",
	".env":     "Total=1\n",
}

func newLanguages(t *testing.T, files map[string]string) (*bench, *tooltest.Languages) {
	b := newBench(t, files)
	l := &tooltest.Languages{Workspace: b.ws}
	b.env.Languages = l
	return b, l
}

func TestRenameSymbolIsStagedAgainWithoutItsServer(t *testing.T) {
	b, _ := newLanguages(t, threeFiles)
	if r := b.call(t, "rename_symbol", `{"path":"sum.go","symbol":"Total","new_name":"AddAll"}`); r.IsError {
		t.Fatal(r.Text)
	}
	all := b.env.Draft.Operations()
	if len(all) != 1 || all[0].Tool != "rename_symbol" || all[0].Path != "" {
		t.Fatalf("operations %v", all)
	}
	again := draft.New(b.ws)
	if _, err := toolset.Replay(t.Context(), b.ws)(again, all[0]); err != nil {
		t.Fatal(err)
	}
	for path := range threeFiles {
		if path == ".env" {
			continue
		}
		want, _, _ := b.env.Draft.Read(path)
		if got, _, _ := again.Read(path); got != want || !strings.Contains(got, "AddAll") {
			t.Errorf("%s again:\n%s\nwant:\n%s", path, got, want)
		}
	}
	if text, _, _ := again.Read("other.go"); !strings.Contains(text, "\tTotal := AddAll(3)\n\treturn Total\n") {
		t.Errorf("the other symbol of that name was renamed:\n%s", text)
	}
	lean, left := b.env.Draft.Lean(toolset.Replay(t.Context(), b.ws))
	if n := len(lean.Operations()); n != 1 || left != nil {
		t.Errorf("the lean draft has %d operations, and left out %v", n, left)
	}
}

// Lines that are the same in several places have more of their surroundings in the patch.
func TestRenameSymbolInAlikeLines(t *testing.T) {
	block := "\t{\n\t\tx := 1\n\t\t_ = x\n\t\t_ = x\n\t\t_ = x\n\t\t_ = x\n\t\t_ = x\n\t\t_ = x\n\t}\n"
	b, _ := newLanguages(t, map[string]string{"a.go": "package a\n\nfunc f() {\n" + strings.Repeat(block, 9) + "}\n"})
	if r := b.call(t, "rename_symbol", `{"path":"a.go","symbol":"x","line":41,"new_name":"y"}`); r.IsError {
		t.Fatal(r.Text)
	}
	want := "package a\n\nfunc f() {\n" + strings.Repeat(block, 4) + strings.NewReplacer("x :", "y :", "= x", "= y").Replace(block) + strings.Repeat(block, 4) + "}\n"
	if text, _, _ := b.env.Draft.Read("a.go"); text != want {
		t.Errorf("the file is\n%s", text)
	}
	again := draft.New(b.ws)
	if _, err := toolset.Replay(t.Context(), b.ws)(again, b.env.Draft.Operations()[0]); err != nil {
		t.Fatal(err)
	}
	if text, _, _ := again.Read("a.go"); text != want {
		t.Errorf("again the file is\n%s", text)
	}
}

func TestRenameSymbolIsRefused(t *testing.T) {
	for _, test := range []struct {
		name, newName string
		lies          func(texts map[string]string)
		loose         bool
		want          string
	}{
		{"a keyword", "func", nil, true, "error: the name func is taken, or not possible here. Nothing was changed. With it there are new errors:\n"},
		{"a name with a space", "a b", nil, true, `error: "a b" is not a name`},
		{"no name", "", nil, true, `error: "" is not a name`},
		{"a name in the package", "two", nil, false, "error: the name two is taken, or not possible here."},
		{"a nearer name", "Sum", nil, false, "error: the name Sum is taken, or not possible here."},
		{"outside of the workspace", "Sums", func(texts map[string]string) { texts["../x.go"] = "x" }, false, "error: it would change a file that you may not change: ../x.go is outside the workspace"},
		{"an absolute path", "Sums", func(texts map[string]string) { texts["/etc/passwd"] = "x" }, false, "error: it would change a file that you may not change: /etc/passwd is outside the workspace"},
		{"a secret", "Sums", func(texts map[string]string) { texts[".env"] = "Sums=1\n" }, false, "error: it would change a file that you may not change: .env may hold secrets"},
		{"git's own", "Sums", func(texts map[string]string) { texts[".git/hooks/x"] = "x" }, false, "error: it would change a file that you may not change: "},
		{"Redline's own", "Sums", func(texts map[string]string) { texts[".redline/chat.md"] = "x" }, false, "error: it would change a file that you may not change: "},
		{"a new file", "Sums", func(texts map[string]string) { texts["new.go"] = "package a\n" }, false, "error: it would create new.go, which no renaming does."},
		{"another change", "Sums", func(texts map[string]string) {
			texts["use.go"] = strings.Replace(texts["use.go"], "package a", "package b", 1)
		}, false, "error: line 1 of use.go would be changed in another way."},
		{"nothing", "Sums", func(texts map[string]string) { clear(texts) }, false, "error: the language server found nothing to rename"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b, l := newLanguages(t, threeFiles)
			l.Lies, l.Loose = test.lies, test.loose
			r := b.call(t, "rename_symbol", fmt.Sprintf(`{"path":"sum.go","symbol":"Total","new_name":%q,"patch":"--- a/use.go\n+++ b/use.go\n@@ -1 +1 @@\n-package a\n+package evil\n"}`, test.newName))
			if !strings.HasPrefix(r.Text, test.want) || !r.IsError || len(b.env.Draft.Operations()) > 0 {
				t.Errorf("answers %q, want %q; %d operations", r.Text, test.want, len(b.env.Draft.Operations()))
			}
			if got := b.env.Draft.Refused(true); len(got) != 1 || got[0].Tool != "rename_symbol" {
				t.Errorf("refused %v", got)
			}
		})
	}
}

// A name that captures other uses without any error.
func TestRenameSymbolToANameThatIsNearer(t *testing.T) {
	b, _ := newLanguages(t, map[string]string{"a.go": "package a\n\nvar x = 1\n\nfunc f(y int) int { return x + y }\n"})
	r := b.call(t, "rename_symbol", `{"path":"a.go","symbol":"x","line":3,"new_name":"y"}`)
	if want := "error: the name y is taken: the symbol would be mixed up with another of that name, as on line 5 of a.go. Nothing was changed"; r.Text != want {
		t.Errorf("answers %q, want %q", r.Text, want)
	}
}

// What a model gives as the patch of a renaming has no effect.
func TestRenameSymbolTakesNoPatchOfTheModel(t *testing.T) {
	b, _ := newLanguages(t, threeFiles)
	b.call(t, "rename_symbol", `{"path":"sum.go","symbol":"Total","new_name":"AddAll","patch":"--- a/use.go\n+++ b/use.go\n@@ -1 +1 @@\n-package a\n+package evil\n"}`)
	if text, _, _ := b.env.Draft.Read("use.go"); !strings.HasPrefix(text, "package a\n\nvar two = AddAll(") {
		t.Errorf("the file is\n%s", text)
	}
	if all := b.env.Draft.Operations(); len(all) != 1 || strings.Contains(string(all[0].Args), "evil") {
		t.Errorf("operations %s", all)
	}
}

func TestFilesOfLocationsThatAreNotShown(t *testing.T) {
	b, _ := newLanguages(t, threeFiles)
	b.env.Languages = strange{b.env.Languages}
	r := b.call(t, "references", `{"path":"sum.go","symbol":"Total"}`)
	if want := "use.go:1: package a\n… 3 more lines in files that are not shown"; r.Text != want {
		t.Errorf("answers %q, want %q", r.Text, want)
	}
}

// strange is a server that names places that are not there, or not to be shown.
type strange struct{ tool.Languages }

func (strange) References(context.Context, workspace.Overlay, tool.Place) (found []tool.Location, err error) {
	for _, path := range []string{".env", "../x", ".git/config", "use.go"} {
		found = append(found, tool.Location{Place: tool.Place{Path: path}})
	}
	return found, nil
}

// An answer waits one second for errors, and after two that were late it waits no more.
func TestAnswersDoNotWaitForASlowServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, l := newLanguages(t, threeFiles)
		var fast atomic.Bool
		l.Wait = func(ctx context.Context) error {
			if fast.Load() {
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		}
		for i, want := range []string{"1s", "1s", "0s", "0s"} {
			began := time.Now()
			r := b.call(t, "edit_file", fmt.Sprintf(`{"path":"sum.go","old_string":"package a","new_string":"// %d\npackage a"}`, i))
			if took := time.Since(began).String(); took != want || strings.Contains(r.Text, "error") {
				t.Errorf("edit %d took %s, want %s: %s", i, took, want, r.Text)
			}
		}
		fast.Store(true) // what runs in the background answers now
		b.call(t, "edit_file", `{"path":"sum.go","old_string":"return sum","new_string":"return sun"}`)
		synctest.Wait()
		fast.Store(false)
		began := time.Now()
		b.call(t, "edit_file", `{"path":"sum.go","old_string":"sum += x","new_string":"sum -= x"}`)
		if took := time.Since(began).String(); took != "1s" {
			t.Errorf("after an answer an edit took %s", took)
		}
	})
}

func TestUnheardErrors(t *testing.T) {
	b, l := newLanguages(t, threeFiles)
	if got := b.env.Unheard(t.Context()); got != "" || l.Asked.Load() != 0 {
		t.Errorf("without edits: %q, asked %d times", got, l.Asked.Load())
	}
	l.Wait = func(context.Context) error { return errors.New("gopls is still starting") }
	b.call(t, "edit_file", `{"path":"sum.go","old_string":"func Total(","new_string":"func Sum("}`)
	if got := b.env.Unheard(t.Context()); got != "" {
		t.Errorf("what is not known is reported: %q", got)
	}
	l.Wait = nil
	want := "What is staged adds 4 errors:\nother.go:4: undefined: Total\nother.go:8: undefined: Total\nuse.go:3: undefined: Total\nuse.go:5: undefined: Total\nFix them, or say why they stay."
	if got := b.env.Unheard(t.Context()); got != want {
		t.Errorf("unheard: %q, want %q", got, want)
	}
	r := b.call(t, "edit_file", `{"path":"sum.go","old_string":"func Sum(","new_string":"func Suum("}`)
	if strings.Contains(r.Text, "adds") {
		t.Errorf("an edit that adds no errors answers %q", r.Text)
	}
	b.call(t, "edit_file", `{"path":"use.go","old_string":"func twice(n int) int { return Total(n, n) }\n","new_string":""}`)
	r = b.call(t, "edit_file", `{"path":"use.go","old_string":"Total(1, 1)","new_string":"Totals()"}`)
	if !strings.HasSuffix(r.Text, "\nIt adds 1 error:\nuse.go:3: undefined: Totals") {
		t.Errorf("an edit answers %q", r.Text)
	}
}

// An edit may mend errors that an earlier answer has listed. The end says which are left.
func TestErrorsLeftAmongMendedOnes(t *testing.T) {
	b, _ := newLanguages(t, threeFiles)
	r := b.call(t, "edit_file", `{"path":"sum.go","old_string":"func Total(","new_string":"func Sum("}`)
	if !strings.Contains(r.Text, "\nIt adds 4 errors:\n") {
		t.Fatalf("the edit answers %q", r.Text)
	}
	b.call(t, "edit_file", `{"path":"use.go","old_string":"func twice(n int) int { return Total(n, n) }\n","new_string":""}`)
	b.call(t, "edit_file", `{"path":"use.go","old_string":"Total(1, 1)","new_string":"Sum(1, 1)"}`)
	want := "What is staged adds 2 errors:\nother.go:4: undefined: Total\nother.go:8: undefined: Total\nFix them, or say why they stay."
	if got := b.env.Unheard(t.Context()); got != want {
		t.Errorf("at the end: %q, want %q", got, want)
	}
}

func TestErrorsThatTheModelKnows(t *testing.T) {
	b, l := newLanguages(t, threeFiles)
	r := b.call(t, "edit_file", `{"path":"sum.go","old_string":"func Total(","new_string":"func Sum("}`)
	if !strings.Contains(r.Text, "\nIt adds 4 errors:\nother.go:4: undefined: Total\n") {
		t.Errorf("the edit answers %q", r.Text)
	}
	if got := b.env.Unheard(t.Context()); got != "" || l.Asked.Load() != 1 {
		t.Errorf("the model hears twice: %q; problems were asked for %d times", got, l.Asked.Load())
	}
	var uses strings.Builder
	for i := range 14 {
		fmt.Fprintf(&uses, "var v%d = Total%d()\n", i, i)
	}
	r = b.call(t, "write_file", fmt.Sprintf(`{"path":"new.go","content":%q}`, "package a\n\n"+uses.String()))
	if !strings.HasSuffix(r.Text, "\n… 4 more errors") || strings.Count(r.Text, "undefined") != 10 {
		t.Errorf("many errors: %q", r.Text)
	}
	if got := b.env.Unheard(t.Context()); !strings.HasPrefix(got, "What is staged adds 18 errors:\n") {
		t.Errorf("of those that were only counted: %q", got)
	}
	r = b.call(t, "edit_file", `{"path":"use.go","old_string":"package a","new_string":"package a a"}`)
	if !strings.Contains(r.Text, "use.go does not parse now") || strings.Contains(r.Text, "It adds") {
		t.Errorf("a file that does not parse: %q", r.Text)
	}
}

// A refused renaming is made good by another one of the symbol, or by edits of the file.
func TestRefusedRenamingIsMadeGood(t *testing.T) {
	b, _ := newLanguages(t, threeFiles)
	for _, then := range []struct{ tool, arguments string }{
		{"rename_symbol", `{"path":"sum.go","symbol":"Total","new_name":"AddAll"}`},
		{"edit_file", `{"path":"use.go","old_string":"twice","new_string":"double"}`},
	} {
		if r := b.call(t, "rename_symbol", `{"path":"use.go","symbol":"two","new_name":"twice"}`); !r.IsError {
			t.Fatal(r.Text)
		}
		if got := b.env.Draft.Refused(true); len(got) != 1 || !strings.HasPrefix(got[0].String(), "Left out: the new name of a symbol in use.go, since it was refused: the name twice is taken") {
			t.Errorf("refused: %v", got)
		}
		if r := b.call(t, then.tool, then.arguments); r.IsError {
			t.Fatal(r.Text)
		}
		if got := b.env.Draft.Refused(true); len(got) != 0 {
			t.Errorf("after %s still refused: %v", then.tool, got)
		}
	}
}

// Edits do not wait for a server that always answers, but too late.
func TestEditsDoNotWaitForAServerThatIsAlwaysLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, l := newLanguages(t, threeFiles)
		l.Wait = func(context.Context) error { time.Sleep(800 * time.Millisecond); return nil } // 1.6 s with and without the edit
		for i, want := range []string{"1s", "1s", "0s", "0s"} {
			began := time.Now()
			b.call(t, "edit_file", fmt.Sprintf(`{"path":"sum.go","old_string":"package a","new_string":"// %d\npackage a"}`, i))
			if took := time.Since(began).String(); took != want {
				t.Errorf("edit %d took %s, want %s", i, took, want)
			}
			time.Sleep(3 * time.Second) // the model thinks
		}
	})
}
