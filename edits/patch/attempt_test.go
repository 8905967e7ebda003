package patch_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"redline/edits/patch"
	_ "redline/internal/seed"
)

// harmless are lines that belong to no edit, in any combination.
var harmless = []string{
	"", "Words.", "I would change the sum:", "sum.py", "`sum.py`:", "# Title", "=======", "===", "-------", "---", "***", "+++",
	"<<<<<<< HEAD", "<<<<<<<", ">>>>>>> main", ">>>>>>>", "||||||| base", "> <<<<<<< SEARCH", "> *** Begin Patch", "> --- a/x", "> +++ b/x",
	"- an item", "+ an item", "* an item", "    indented", "\ttab", "```", "```go", "~~~", "```text", "1. one", "`<<<<<<< SEARCH`",
	"Call apply_patch with *** Begin Patch.", "cat <<'EOF'", "EOF", "@interface X", "@@count = 0", "-- comment", "++i;", "x = y ======= z",
	"<<<<<<< OURS", "\r", "café — “quoted”", "*** Important ***", "--", "diff between a and b", "index of all", "--- ", "<!-- SEARCH -->",
}

// A text without a mark is never an attempt.
func TestNoAttemptWithoutAMark(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom(harmless)).Draw(t, "lines"), "\n")
		if found := patch.Attempts(text); len(found) > 0 {
			t.Fatalf("%q is taken for %+v", text, found)
		}
	})
}

// All texts of up to three such lines.
func TestNoAttemptInThreeLines(t *testing.T) {
	check := func(lines ...string) {
		t.Helper()
		if text := strings.Join(lines, "\n"); len(patch.Attempts(text)) > 0 {
			t.Errorf("%q is taken for %+v", text, patch.Attempts(text))
		}
	}
	for _, first := range harmless {
		check(first)
		for _, second := range harmless {
			check(first, second)
			for _, third := range harmless {
				check(first, second, third)
			}
		}
	}
}

// A patch that Parse accepts alone is found among words and other code, and reads the
// same.
func TestAttemptsAmongWords(t *testing.T) {
	around := rapid.SliceOfN(rapid.SampledFrom([]string{"", "Words.", "# Title", "<<<<<<< HEAD", "=======", ">>>>>>> main", "Then:"}), 0, 4)
	word := rapid.StringMatching(`[a-z]{1,6}( [a-z<>=+*-]{1,9})?`)
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		var want []string
		for i := range rapid.IntRange(1, 4).Draw(t, "edits") {
			old, new := word.Draw(t, "old"), word.Draw(t, "new")
			path := fmt.Sprintf("dir/f%d.txt", i)
			fence := rapid.SampledFrom([]string{"", "```\n", "```text\n", "~~~\n"}).Draw(t, "fence")
			for _, line := range around.Draw(t, "words") {
				text.WriteString(line + "\n")
			}
			shape := rapid.SampledFrom([]string{"`%[1]s`\n%[4]s<<<<<<< SEARCH\n%[2]s\n=======\n%[3]s\n>>>>>>> REPLACE\n", "`%[1]s`\n%[4]s------- SEARCH\n%[2]s\n=======\n%[3]s\n+++++++ REPLACE\n",
				"%[4]s*** Begin Patch\n*** Update File: %[1]s\n@@\n-%[2]s\n+%[3]s\n*** End Patch\n", "%[4]s--- a/%[1]s\n+++ b/%[1]s\n@@ @@\n-%[2]s\n+%[3]s\n"}).Draw(t, "form")
			fmt.Fprintf(&text, shape, path, old, new, fence)
			if fence != "" {
				text.WriteString(fence[:3] + "\n")
			} else {
				text.WriteString("\nWords again.\n")
			}
			want = append(want, fmt.Sprintf("%s: %s → %s", path, old, new))
		}
		var got []string
		for _, a := range patch.Attempts(text.String()) {
			files, err := patch.Parse(patch.JoinText([]patch.Attempt{a}))
			if err != nil || len(files) != 1 || len(files[0].Chunks) != 1 || files[0].Path != a.Path || a.Cut {
				t.Fatalf("of %q: %+v, %+v, %v", text.String(), a, files, err)
			}
			c := files[0].Chunks[0]
			got = append(got, fmt.Sprintf("%s: %s → %s", a.Path, strings.TrimSuffix(c.Old, "\n"), strings.TrimSuffix(c.New, "\n")))
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("of %q\n%q is found, want\n%q", text.String(), got, want)
		}
	})
}

// An edit without its end is still an attempt, and never reads like the whole.
func TestAttemptsCutOff(t *testing.T) {
	for _, whole := range []string{
		"a.txt\n<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n",
		"```\na.txt\n------- SEARCH\none\n=======\ntwo\n+++++++ REPLACE\n```\n",
		"*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch\n",
		"```diff\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n```\n",
	} {
		end := strings.Index(whole, "two") + 1
		for ; end < len(whole); end++ {
			text := whole[:end]
			found := patch.Attempts(text)
			if len(found) != 1 || !found[0].Cut && !strings.Contains(found[0].Lines, "two") {
				t.Fatalf("%q has %+v", text, found)
			}
		}
	}
}

// A block without an end does not hold the name of the next one, which would be taken for an
// edit of the same file.
func TestABlockWithoutAnEndBeforeAnother(t *testing.T) {
	const good = "sum.py\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"
	for _, first := range []string{
		"shop.py\n<<<<<<< SEARCH\na\n", "shop.py\n<<<<<<< SEARCH\na\n=======\nc\n", "shop.py\n```python\n<<<<<<< SEARCH\na\n```\n",
		"shop.py\n```python\n<<<<<<< SEARCH\na\n=======\nc\n```\n", "shop.py\n<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n",
	} {
		found := patch.Attempts(first + "\n" + good)
		if len(found) != 2 || found[0].Path != "shop.py" || found[1].Path != "sum.py" {
			t.Fatalf("%q has %+v", first+good, found)
		}
		if _, err := patch.Parse(found[0].Text); err == nil {
			t.Errorf("%q is read", found[0].Text)
		}
		if _, err := patch.Parse(found[1].Text); err != nil {
			t.Errorf("%q: %v", found[1].Text, err)
		}
	}
}

// In long texts full of marks, the attempts are at most a few times as long as the text,
// and the time for them is not quadratic.
func TestAttemptsInLongTexts(t *testing.T) {
	attempts := func(text string) {
		if got := patch.JoinText(patch.Attempts(text)); len(got) > 8*len(text) {
			t.Errorf("the attempts in %.40q… have %d bytes of %d", text, len(got), len(text))
		}
	}
	repeated := func(size int, pieces ...string) {
		for _, piece := range pieces {
			attempts(strings.Repeat(piece, size/len(piece)))
		}
	}
	repeated(min(patch.MaxBytes, 4*patch.LongText), "<<<<<<< SEARCH\n", "a.txt\n<<<<<<< SEARCH\nx\n=======\n", "=======\n>>>>>>> REPLACE\n", "*** Begin Patch\n", "@@\n", "--- a/x\n+++ b/x\n", "```diff\n", "<")
	repeated(patch.LongText, "=======\n", ">>>>>>> REPLACE\n", "*** Update File: x\n", "*** Update File: x\n+\n", "@@ @@\n+\n", "--- a/x\n+++ b/x\n@@\n", "diff --git a/x b/x\n", "```diff\n```\n",
		"```diff\n+\n```\n", "   ```diff\n", "\n", "`", " \n", "+\n", "------- SEARCH\n", "+++++++ REPLACE\n", "apply_patch <<'EOF'\n", "```\n<<<<<<< SEARCH\n```\n", "*** Begin Patch\n\n*** End Patch\n", "--- x\n", "`a.txt`\n")
	block := "a.txt\n<<<<<<< SEARCH\nx\n=======\n>>>>>>> REPLACE\n"
	attempts(block + strings.Repeat(">>>>>>> REPLACE\n", patch.LongText>>4))
	attempts("--- a/x\n+++ b/x\n" + strings.Repeat("@@\n-a\n+b\nwords\n", patch.LongText>>4))
	long := strings.Repeat("words a.txt `b.txt`\n", patch.LongText>>3)
	attempts(long + "<<<<<<< SEARCH\n=======\n" + long + "*** Begin Patch\n" + long + "```diff\n" + long)
}

func FuzzAttempts(f *testing.F) {
	names, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		if files := txtar.Parse(data).Files; len(files) > 0 {
			f.Add("Words.\n\n```diff\n" + unescape(string(files[0].Data)) + "```\n")
			f.Add(unescape(string(files[0].Data)))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		found := patch.Attempts(text)
		rest := strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\t' }), "")
		for _, a := range found {
			if a.Form == 0 || a.Lines == "" || !strings.HasSuffix(a.Text, a.Lines) && a.Form != patch.BeginPatch {
				t.Errorf("%+v", a)
			}
			for line := range strings.Lines(a.Lines) { // in order
				_, after, ok := strings.Cut(rest, strings.Join(strings.FieldsFunc(strings.TrimSuffix(line, "\n"), func(r rune) bool { return r == ' ' || r == '\t' }), ""))
				if !ok {
					t.Fatalf("%q is not in %q", a.Lines, text)
				}
				rest = after
			}
			var refusal *patch.Refusal
			if _, err := patch.Parse(a.Text); err != nil && !errors.As(err, &refusal) {
				t.Errorf("%v is no refusal", err)
			}
		}
		marked := strings.ContainsAny(text, "<>") || strings.Contains(text, "***") || strings.Contains(text, "@@") || strings.Contains(text, "---") ||
			strings.Contains(text, "+++") || strings.Contains(text, "diff ") || strings.Contains(text, "```") || strings.Contains(text, "~~~")
		if len(found) > 0 && !marked {
			t.Errorf("%q has no mark and %+v", text, found)
		}
	})
}
