package edits_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
	"znkr.io/diff"

	"redline/edits"
	"redline/edits/internal/edittest"
	"redline/edits/internal/linetext"
)

// checkDiff fails unless Diff keeps its promises for the two texts.
func checkDiff(t interface{ Fatalf(string, ...any) }, base, proposed string) {
	checkHunks(t, base, proposed, edits.Diff(base, proposed))
}

func checkHunks(t interface{ Fatalf(string, ...any) }, base, proposed string, hunks []edits.Hunk) {
	if got := edittest.Apply(t, base, edits.EditsOf(hunks)...); got != proposed {
		t.Fatalf("%q to %q: the hunks %v make %q", base, proposed, hunks, got)
	}
	oldEnd, newEnd := -1, -1
	for _, h := range hunks {
		if h.OldText != h.Old.Of(base) || h.NewText != h.New.Of(proposed) || h.OldText == h.NewText {
			t.Fatalf("%q to %q: hunk %v has other text than its spans", base, proposed, h)
		}
		if h.Removed != len(linetext.Split(h.OldText)) || h.Added != len(linetext.Split(h.NewText)) {
			t.Fatalf("%q to %q: hunk %v counts its lines wrong", base, proposed, h)
		}
		if !linetext.IsBound(base, h.Old.Start) || !linetext.IsBound(base, h.Old.End) || !linetext.IsBound(proposed, h.New.Start) || !linetext.IsBound(proposed, h.New.End) {
			t.Fatalf("%q to %q: hunk %v is not of whole lines", base, proposed, h)
		}
		if h.Old.Start <= oldEnd || h.New.Start <= newEnd {
			t.Fatalf("%q to %q: no line between hunk %v and the one before", base, proposed, h)
		}
		oldEnd, newEnd = h.Old.End, h.New.End
	}
}

func TestDiffTable(t *testing.T) {
	for _, c := range []struct {
		base, proposed string
		want           []edits.Hunk
	}{
		{"a\n", "a\n", nil},
		{"", "a\n", []edits.Hunk{{Old: edits.Span{Start: 0, End: 0}, New: edits.Span{Start: 0, End: 2}, OldText: "", NewText: "a\n", Added: 1, Removed: 0}}},
		{"a", "", []edits.Hunk{{Old: edits.Span{Start: 0, End: 1}, New: edits.Span{Start: 0, End: 0}, OldText: "a", NewText: "", Added: 0, Removed: 1}}},
		{"a\nb", "a\nb\n", []edits.Hunk{{Old: edits.Span{Start: 2, End: 3}, New: edits.Span{Start: 2, End: 4}, OldText: "b", NewText: "b\n", Added: 1, Removed: 1}}},
		{"a\nb\nc\n", "a\nB\nc\nd\n", []edits.Hunk{{Old: edits.Span{Start: 2, End: 4}, New: edits.Span{Start: 2, End: 4}, OldText: "b\n", NewText: "B\n", Added: 1, Removed: 1}, {Old: edits.Span{Start: 6, End: 6}, New: edits.Span{Start: 6, End: 8}, OldText: "", NewText: "d\n", Added: 1, Removed: 0}}},
		{"a\rb\rc", "a\rB\rc", []edits.Hunk{{Old: edits.Span{Start: 2, End: 4}, New: edits.Span{Start: 2, End: 4}, OldText: "b\r", NewText: "B\r", Added: 1, Removed: 1}}},
		{"a\r\nb\r\n", "a\r\nb\n", []edits.Hunk{{Old: edits.Span{Start: 3, End: 6}, New: edits.Span{Start: 3, End: 5}, OldText: "b\r\n", NewText: "b\n", Added: 1, Removed: 1}}},
		// An inserted function is one hunk, and the hunk does not run from brace to brace.
		{"func a() {\n}\n\nfunc c() {\n}\n", "func a() {\n}\n\nfunc b() {\n}\n\nfunc c() {\n}\n",
			[]edits.Hunk{{Old: edits.Span{Start: 14, End: 14}, New: edits.Span{Start: 14, End: 28}, OldText: "", NewText: "func b() {\n}\n\n", Added: 3, Removed: 0}}},
	} {
		if d := cmp.Diff(c.want, edits.Diff(c.base, c.proposed)); d != "" {
			t.Errorf("%q to %q: %s", c.base, c.proposed, d)
		}
	}
}

func TestDiffApplied(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		base := edittest.Text(30).Draw(t, "base")
		checkDiff(t, base, edittest.Text(30).Draw(t, "other"))
		checkDiff(t, base, edittest.Apply(t, base, edittest.Edits(base).Draw(t, "edits")...))
	})
}

// Large texts are compared in pieces, and the result keeps the same promises.
func TestDiffInPieces(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"a\n", "a\n", "b\n", "}\n", "\n", "c\r\n", "\r", "once\n", "d"})
		base := strings.Join(rapid.SliceOfN(line, 0, 60).Draw(t, "base"), "")
		proposed := strings.Join(rapid.SliceOfN(line, 0, 60).Draw(t, "proposed"), "")
		if rapid.Bool().Draw(t, "alike") {
			proposed = edittest.Apply(t, base, edittest.Edit(base).Draw(t, "edit"))
		}
		b := edits.Bounds{
			Always: rapid.IntRange(0, 20).Draw(t, "always"),
			Few:    rapid.IntRange(0, 3).Draw(t, "few"),
			Block:  rapid.IntRange(1, 10).Draw(t, "block"),
		}
		checkHunks(t, base, proposed, edits.DiffWithin(base, proposed, b))
	})
}

// differences counts the lines that differ without the whole difference.
func TestDifferences(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "\n"})
		x := rapid.SliceOfN(line, 1, 20).Draw(t, "x")
		y := rapid.SliceOfN(line, 1, 20).Draw(t, "y")
		want := 0
		for _, h := range diff.Hunks(x, y, diff.Context(0), diff.Minimal()) {
			want += h.EndX - h.PosX + h.EndY - h.PosY
		}
		most := rapid.IntRange(0, 10).Draw(t, "most")
		got := edits.Differences(x, y, most)
		if got != want && (want <= most || got <= most || got > want) {
			t.Fatalf("%q and %q differ in %d lines, got %d for at most %d", x, y, want, got, most)
		}
	})
}

func FuzzDiff(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nc\nd")
	f.Add("a\rb\r\nc", "\r\n\r")
	f.Add("\xff\n", "")
	f.Fuzz(func(t *testing.T, base, proposed string) {
		checkDiff(t, base, proposed)
		for context := range 3 {
			checkUnified(t, base, proposed, context)
		}
	})
}

func TestUnifiedTable(t *testing.T) {
	for _, c := range []struct {
		name, base, proposed string
		context              int
		want                 string
	}{
		{"equal", "a\n", "a\n", 3, ""},
		{"new file", "", "a\nb\n", 3, "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"emptied file", "a\n", "", 3, "@@ -1 +0,0 @@\n-a\n"},
		{"context", "1\n2\n3\n4\n5\n", "1\n2\nX\n4\n5\n", 1, "@@ -2,3 +2,3 @@\n 2\n-3\n+X\n 4\n"},
		{"two blocks", "1\n2\n3\n4\n5\n6\n", "0\n1\n2\n3\n4\n5\n", 1, "@@ -1 +1,2 @@\n+0\n 1\n@@ -5,2 +6 @@\n 5\n-6\n"},
		{"blocks that meet", "1\n2\n3\n4\n", "X\n2\n3\nY\n", 1, "@@ -1,4 +1,4 @@\n-1\n+X\n 2\n 3\n-4\n+Y\n"},
		{"no context", "1\n2\n", "1\nX\n2\n", 0, "@@ -1,0 +2 @@\n+X\n"},
		{"last line end goes", "a\nb\n", "a\nb", 3, "@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n"},
		{"no last line end", "a\nb", "x\nb", 3, "@@ -1,2 +1,2 @@\n-a\n+x\n b\n\\ No newline at end of file\n"},
		{"line ends stay", "a\r\nb\r\n", "a\r\nb\n", 3, "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+b\n"},
		{"lone carriage returns", "a\rb\rc\nd\n", "a\rB\rc\nd\n", 3, "@@ -1,2 +1,2 @@\n-a\rb\rc\n+a\rB\rc\n d\n"},
		{"a line end in two goes", "a\rb\nc\n", "a\rc\n", 3, "@@ -1,2 +1 @@\n-a\rb\n-c\n+a\rc\n"},
	} {
		want := c.want
		if want != "" {
			want = "--- a/f\n+++ b/f\n" + want
		}
		if d := cmp.Diff(want, edits.Unified("a/f", "b/f", c.base, c.proposed, c.context)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

func TestUnifiedHunkIsOneBlock(t *testing.T) {
	base := "1\n2\n3\n4\n5\n"
	hunks := edits.Diff(base, "0\n1\n2\n3\n4\nX\n")
	got := edits.UnifiedHunk(hunks[1], base, 2)
	if d := cmp.Diff("@@ -3,3 +3,3 @@\n 3\n 4\n-5\n+X\n", got); d != "" {
		t.Error(d)
	}
}

// checkUnified fails unless the unified diff of the texts, read literally,
// makes one of the other.
func checkUnified(t interface{ Fatalf(string, ...any) }, base, proposed string, context int) {
	diff := edits.Unified("a", "b", base, proposed, context)
	if got := patched(base, diff); got != proposed {
		t.Fatalf("%q to %q: the diff\n%s\nmakes %q", base, proposed, diff, got)
	}
}

// patched applies a unified diff by its line numbers alone.
func patched(base, diff string) string {
	const noNewline = "\n\\ No newline at end of file\n"
	old, rows := edits.SplitRows(base), edits.SplitRows(diff)
	var out strings.Builder
	at := 0
	for i, row := range rows {
		if i < 2 || row[0] == '\\' {
			continue
		}
		line := row[1:]
		if i+1 < len(rows) && rows[i+1] == noNewline[1:] {
			line = strings.TrimSuffix(line, "\n")
		}
		switch row[0] {
		case '@':
			from, count, _ := strings.Cut(strings.Fields(row)[1][1:], ",")
			n := atoi(from)
			if count != "0" {
				n--
			}
			for ; at < n; at++ {
				out.WriteString(old[at])
			}
		case ' ':
			out.WriteString(line)
			at++
		case '-':
			at++
		case '+':
			out.WriteString(line)
		}
	}
	for ; at < len(old); at++ {
		out.WriteString(old[at])
	}
	return out.String()
}

func TestUnifiedRead(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		base := edittest.Text(30).Draw(t, "base")
		proposed := edittest.Apply(t, base, edittest.Edits(base).Draw(t, "edits")...)
		checkUnified(t, base, proposed, rapid.IntRange(0, 4).Draw(t, "context"))
	})
}

func TestUnifiedIsTakenByGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not here to compare with: install it")
	}
	rapid.Check(t, func(r *rapid.T) {
		base := "first\n" + edittest.Text(20).Draw(r, "base")
		proposed := edittest.Apply(r, base, edittest.Edits(base).Draw(r, "edits")...)
		if base == proposed || proposed == "" {
			r.Skip("nothing to patch")
		}
		dir := t.TempDir()
		write := func(name, content string) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
				r.Fatal(err)
			}
		}
		write("f", base)
		write("p", edits.Unified("a/f", "b/f", base, proposed, 3))
		cmd := exec.Command(git, "apply", "--whitespace=nowarn", "p")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir), "GIT_CONFIG_GLOBAL=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			r.Fatalf("git apply: %v: %s", err, out)
		}
		if got, _ := os.ReadFile(filepath.Join(dir, "f")); string(got) != proposed {
			r.Fatalf("git made %q, want %q", got, proposed)
		}
	})
}

func TestVisible(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain\ttext\nmore\r\n", "plain\ttext\nmore\r\n"},
		{"añ€𝄞", "añ€𝄞"},
		{"if \u202e(x)\u2066", "if ⟨U+202E⟩(x)⟨U+2066⟩"},
		{"a\u200bb\ufeffc\u00ad", "a⟨U+200B⟩b⟨U+FEFF⟩c⟨U+00AD⟩"},
		{"\x1b[31m\x00\x7f\u009b", "⟨U+001B⟩[31m⟨U+0000⟩⟨U+007F⟩⟨U+009B⟩"},
		{"a\rb", "a⟨U+000D⟩b"},
		{"x\u3164y\ufe0f\U000e0041\u2028", "x⟨U+3164⟩y⟨U+FE0F⟩⟨U+E0041⟩⟨U+2028⟩"},
		{"\xff\xe2\x82", "⟨0xFF⟩⟨0xE2⟩⟨0x82⟩"},
		{"\ufffd", "\ufffd"},
	} {
		if got := edits.Visible(c.in); got != c.want {
			t.Errorf("Visible(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func BenchmarkDiff(b *testing.B) {
	base := edittest.Megabyte()
	for name, proposed := range map[string]string{
		"one line":      strings.Replace(base, "return 1000000\n", "return 1\n", 1),
		"every line 10": strings.ReplaceAll(base, "0\n}", "1\n}"),
		"all lines":     strings.ReplaceAll(base, "\n", " \n"),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				edits.Diff(base, proposed)
			}
		})
	}
}

// In a command every character counts; in a single line, line ends count too.
func TestVisibleCommand(t *testing.T) {
	for _, c := range []struct{ in, command, line string }{
		{"go test ./...", "go test ./...", "go test ./..."},
		{"a\n\tb", "a\n\tb", "a⟨U+000A⟩⟨U+0009⟩b"},
		{"a \\\r\nb", "a \\⟨U+000D⟩\nb", "a \\⟨U+000D⟩⟨U+000A⟩b"},
		{"a\u3000b", "a⟨U+3000⟩b", "a⟨U+3000⟩b"},
		{"a\u00a0\u2800b\u0085", "a⟨U+00A0⟩⟨U+2800⟩b⟨U+0085⟩", "a⟨U+00A0⟩⟨U+2800⟩b⟨U+0085⟩"},
		{"\xff", "⟨0xFF⟩", "⟨0xFF⟩"},
	} {
		if got := edits.VisibleCommand(c.in); got != c.command {
			t.Errorf("VisibleCommand(%q) = %q, want %q", c.in, got, c.command)
		}
		if got := edits.VisibleLine(c.in); got != c.line {
			t.Errorf("VisibleLine(%q) = %q, want %q", c.in, got, c.line)
		}
	}
	// Characters that look like a space are shown as code points everywhere, except the wide space,
	// which is usual in some texts.
	for _, r := range "\u00a0\u1680\u2000\u2003\u2009\u200a\u202f\u205f\u2800" {
		if want := fmt.Sprintf("a⟨U+%04X⟩b", r); edits.Visible("a"+string(r)+"b") != want {
			t.Errorf("%U is not made visible", r)
		}
	}
	if edits.Visible("一\u3000二\r\n") != "一\u3000二\r\n" {
		t.Error("a usual text is changed")
	}
}

func TestVisibleJSON(t *testing.T) {
	in := `{"a":"x` + "\u00a0\u2800\u202e\u0085\u007f\U000e0001é\u3000" + `y\n"}`
	want := `{"a":"x\u00a0\u2800\u202e\u0085\u007f\udb40\udc01é\u3000y\n"}`
	if got := string(edits.VisibleJSON([]byte(in))); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Within any bounds, a difference of lines leads from one text to the other.
func TestDiffContents(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "b", "}", "c"}), 0, 40)
		x, y := lines.Draw(t, "old"), lines.Draw(t, "new")
		b := edits.Bounds{
			Always: rapid.IntRange(0, 20).Draw(t, "always"),
			Few:    rapid.IntRange(0, 3).Draw(t, "few"),
			Block:  rapid.IntRange(1, 10).Draw(t, "block"),
		}
		got := []string{}
		at := 0
		for _, h := range edits.DiffLinesWithin(x, y, b) {
			got = append(append(got, x[at:h.X0]...), y[h.Y0:h.Y1]...)
			at = h.X1
		}
		if got = append(got, x[at:]...); !slices.Equal(got, y) {
			t.Fatalf("%q, not %q", got, y)
		}
	})
}
