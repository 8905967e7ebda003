package preview

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/sourcegraph/go-diff/diff"
	"pgregory.net/rapid"

	"redline/agent/plan"
	"redline/agent/view"
	"redline/edits"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// texts keeps the texts of a plan.
type texts map[plan.Blob]string

func (t texts) of(b plan.Blob) string { return t[b] }

// change makes a change of a file whose operations are given.
func (t texts) change(action plan.Action, path, newPath, base, proposed string, operations ...string) plan.Change {
	t[plan.BlobOf(base)], t[plan.BlobOf(proposed)] = base, proposed
	return plan.Change{
		Path: path, NewPath: newPath, Action: action, Base: plan.BlobOf(base), Proposed: plan.BlobOf(proposed),
		BaseExists: action != plan.Create, Hunks: plan.Hunks(action, base, proposed, nil), Operations: operations,
	}
}

func op(id, step, tool, path string) plan.Operation {
	return plan.Operation{ID: id, Step: step, Tool: tool, Path: path, Args: json.RawMessage(`{}`)}
}

func command(id, step, line, args string) plan.Operation {
	return plan.Operation{ID: id, Step: step, Tool: "run_command", Command: line, Args: json.RawMessage(args)}
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

func replaced(text string, pairs ...string) string {
	return strings.NewReplacer(pairs...).Replace(text)
}

func TestRender(t *testing.T) {
	for name, c := range map[string]struct {
		goal string
		make func(texts) plan.Revision
	}{
		"edit": {"rename line 4", func(b texts) plan.Revision {
			base := numbered(40)
			return plan.Revision{
				Operations: []plan.Operation{op("o1", "", "edit_file", "a/b.txt")},
				Changes: []plan.Change{b.change(plan.Update, "a/b.txt", "", base,
					replaced(base, "line 4\n", "row 4\n", "line 7\n", "", "line 30\n", "line 30\nline 30½ 😀\n"), "o1")},
			}
		}},
		"everything": {"tidy\nup", func(b texts) plan.Revision {
			return plan.Revision{
				Description: "Move things.\n\n- first\n- second",
				Steps: []plan.Step{
					{ID: "s1", Description: "make room", Rationale: "it is\nfull", Risk: "low"},
					{ID: "s2", Description: "check", DependsOn: []string{"s1"}},
				},
				Operations: []plan.Operation{
					op("o1", "s1", "rename_file", "old.txt"), op("o2", "s1", "edit_file", "old.txt"),
					op("o3", "s1", "write_file", "new/c.txt"), op("o4", "", "delete_file", "gone.txt"),
					op("o5", "s1", "write_file", "empty"), op("o6", "s1", "rename_file", "x"),
					command("o7", "s2", "go test ./...", `{"command":"go test ./...","cwd":"sub","timeout_seconds":30}`),
					command("o8", "s2", "echo a\necho ```", `{}`),
				},
				Changes: []plan.Change{
					b.change(plan.Rename, "old.txt", "new.txt", "a\nb\n", "a\nc\n", "o1", "o2"),
					b.change(plan.Create, "new/c.txt", "", "", "x\ny", "o3"),
					b.change(plan.Delete, "gone.txt", "", "x\r\ny\r\n", "", "o4"),
					b.change(plan.Create, "empty", "", "", "", "o5"),
					b.change(plan.Rename, "x", "y", "same\n", "same\n", "o6"),
				},
			}
		}},
		"patch": {"three files at once", func(b texts) plan.Revision {
			return plan.Revision{
				Operations: []plan.Operation{op("o1", "", "apply_patch", ""), op("o2", "", "apply_patch", "old.txt")},
				Changes: []plan.Change{
					b.change(plan.Update, "a, b.txt", "", "a\n", "b\n", "o1"),
					b.change(plan.Create, "c.txt", "", "", "x\n", "o1"),
					b.change(plan.Rename, "old.txt", "new.txt", "a\nb\n", "a\nc\n", "o2"),
				},
			}
		}},
		"words": {"make it faster", func(texts) plan.Revision {
			return plan.Revision{Description: "Use a map.", TextOnly: true, Predicted: []string{"a.go", "b.go"}}
		}},
		"drift": {"worked out", func(b texts) plan.Revision {
			return plan.Revision{
				Description: "Done.", Predicted: []string{"a.go", "x\n## Files"},
				Changes: []plan.Change{b.change(plan.Create, "b.go", "", "", "x\n")},
			}
		}},
		"order": {"several of one file", func(b texts) plan.Revision {
			return plan.Revision{
				Steps: []plan.Step{{ID: "s1", Description: "second"}, {ID: "s2", Description: "first"}},
				Operations: []plan.Operation{
					op("o1", "s2", "write_file", "a.txt"), op("o2", "s2", "edit_file", "a.txt"), op("o3", "s2", "apply_patch", ""),
					command("o4", "s2", "printf '%s' \"</pre>\" | tee `x`;\n```\nend", `{}`), op("o5", "s1", "edit_file", "d\"]:::x.txt"),
				},
				Changes: []plan.Change{
					b.change(plan.Create, "a.txt", "", "", "x\ny\n", "o1", "o2", "o3"),
					b.change(plan.Update, "c.txt", "", "x\n", "y\n", "o3"),
					b.change(plan.Update, "d\"]:::x.txt", "", "x\n", "y\n", "o5"),
				},
			}
		}},
		"nothing": {"nothing is left", func(texts) plan.Revision { return plan.Revision{Description: "It was all taken out."} }},
		"hostile": {"x\n# Plan 2, revision 9", func(b texts) plan.Revision {
			return plan.Revision{
				Description: "```\n### a.go (update, +0 −0)\r## Files\u202e\n\n    # Plan 3, revision 1",
				Steps:       []plan.Step{{ID: "s1\n- [x] o9 x", Description: "a\n### b (update, +0 −0)"}},
				Operations: []plan.Operation{
					op("o1", "s1", "edit_file", "a\n### b (update, +0 −0)"),
					command("o2", "", "rm -rf ~\u200b\r\n```\n## Files", `nonsense`),
				},
				Changes: []plan.Change{b.change(plan.Update, "a\n### b (update, +0 −0)", "", "x\r### y (update, +0 −0)\n", "````\n```\n\u202ex\n", "o1")},
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			blobs := texts{}
			p := &plan.Plan{Number: 7, Goal: c.goal}
			r := p.Add(c.make(blobs), blobs.of)
			got := Render(p, r, blobs.of, Beside{})
			golden := filepath.Join("testdata", name+".md")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatalf("%v; go test -update writes it", err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// The preview's own words are few: the plan, its extent, and how to decide.
func TestHeader(t *testing.T) {
	for name, c := range map[string]struct {
		revision func(texts) plan.Revision
		want     string // after the title
	}{
		"one file": {func(b texts) plan.Revision {
			return plan.Revision{Changes: []plan.Change{b.change(plan.Update, "f", "", "a\n", "b\nc\n")}}
		}, "**Changes:** 1 file, +2 −1\n\n"},
		"commands alone": {func(texts) plan.Revision {
			return plan.Revision{Operations: []plan.Operation{command("o1", "", "a", `{}`), command("o2", "", "b", `{}`)}}
		}, "**Changes:** 2 commands\n\n"},
		"both": {func(b texts) plan.Revision {
			return plan.Revision{
				Operations: []plan.Operation{command("o1", "", "a", `{}`)},
				Changes:    []plan.Change{b.change(plan.Create, "f", "", "", "a\n"), b.change(plan.Rename, "x", "y", "a\n", "a\n")},
			}
		}, "**Changes:** 2 files, +1 −0, 1 command\n\n"},
		"in words": {func(texts) plan.Revision { return plan.Revision{TextOnly: true} }, "**Changes:** none yet: this is a plan in words.\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			blobs := texts{}
			p := &plan.Plan{Number: 12, Goal: "x"}
			r := p.Add(c.revision(blobs), blobs.of)
			want := "# Plan 12, revision 1\n\n" + c.want +
				"Decide with the code actions here, `/approve 12` in the chat, or `redline plans approve 12`.\n\n**Goal:** x\n\n"
			got := Render(p, r, blobs.of, Beside{})
			if !strings.HasPrefix(got, want) {
				t.Errorf("got\n%s\nwant it to start with\n%s", got, want)
			}
			if last := "\nhash: " + r.Hash + "\n"; !strings.HasSuffix(got, last) {
				t.Errorf("got\n%s\nwant it to end with\n%s", got, last)
			}
			if i := slices.IndexFunc(strings.Split(got, "\n"), func(line string) bool { return utf8.RuneCountInString(line) > 100 }); i >= 0 {
				t.Errorf("line %d is too long to read:\n%s", i+1, got)
			}
		})
	}
}

// A page that was written when the hash was its third line can be read.
func TestHashOnTheThirdLine(t *testing.T) {
	blobs := texts{}
	p := &plan.Plan{Number: 12, Goal: "x"}
	r := p.Add(plan.Revision{Operations: []plan.Operation{command("o1", "", "a", `{}`), command("o2", "", "b", `{}`)}}, blobs.of)
	hash := "\nhash: " + r.Hash + "\n"
	before := strings.Replace(strings.TrimSuffix(Render(p, r, blobs.of, Beside{}), hash), "\n", "\n"+hash, 1)
	if e, problems := Read(p, r, blobs.of, before); !e.Empty() || len(problems) > 0 {
		t.Errorf("read %+v, %v of\n%s", e, problems, before)
	}
}

// An operation shows the size of its file's change if it alone makes it.
func TestSizesOfOperations(t *testing.T) {
	blobs := texts{}
	p := &plan.Plan{Number: 1, Goal: "x"}
	r := p.Add(plan.Revision{
		Operations: []plan.Operation{
			op("o1", "", "edit_file", "alone"), op("o2", "", "edit_file", "shared"), op("o3", "", "edit_file", "shared"),
			op("o4", "", "rename_file", "old"), op("o5", "", "write_file", "empty"), op("o6", "", "edit_file", "undone"),
		},
		Changes: []plan.Change{
			blobs.change(plan.Update, "alone", "", "a\n", "b\nc\n", "o1"),
			blobs.change(plan.Update, "shared", "", "a\n", "b\n", "o2", "o3"),
			blobs.change(plan.Rename, "old", "new", "a\n", "a\n", "o4"),
			blobs.change(plan.Create, "empty", "", "", "", "o5"),
		},
	}, blobs.of)
	_, steps, _ := strings.Cut(Render(p, r, blobs.of, Beside{}), "## Steps\n\n")
	steps, _, _ = strings.Cut(steps, "\n\n")
	want := `- [x] Step 1: x
  - [x] edit alone (+2 −1)
  - [x] edit shared, 1 of 2
  - [x] edit shared, 2 of 2
  - [x] move old → new
  - [x] write empty
  - [x] edit undone`
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// A reader of the preview, person or program, gets whole diffs: another implementation
// that reads them from their fences gets from the base to the proposed text, and each
// hunk's id is at its block.
func TestDiffsAreWholeProperty(t *testing.T) {
	line := rapid.SampledFrom([]string{"a\n", "b\n", "```\n", "### x\n", "@@ -1 +1 @@\n", "--- a/x\n", "\n", "c\r\n", "d"})
	text := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(line, 0, 40).Draw(t, "lines"), "") })
	rapid.Check(t, func(t *rapid.T) {
		base, proposed := text.Draw(t, "base"), text.Draw(t, "proposed")
		if base == proposed {
			t.Skip("nothing changes")
		}
		blobs := texts{}
		p := &plan.Plan{Number: 1}
		r := p.Add(plan.Revision{Changes: []plan.Change{blobs.change(plan.Update, "f", "", base, proposed, "o1")}}, blobs.of)
		got := Render(p, r, blobs.of, Beside{})
		_, section, _ := strings.Cut(got, "diff\n--- a/f\n")
		end := strings.LastIndex(section, "\n```")
		file, err := diff.ParseFileDiffOptions([]byte("--- a/f\n"+section[:end+1]), diff.ParseOptions{KeepCR: true})
		if err != nil {
			t.Fatalf("%v in\n%s", err, got)
		}
		var ids []string
		for _, h := range file.Hunks {
			ids = append(ids, strings.Fields(h.Section)...)
		}
		var want []string
		for _, h := range r.Changes[0].Hunks {
			want = append(want, h.ID)
		}
		if d := cmp.Diff(want, ids); d != "" {
			t.Fatalf("ids of the hunks: -want +got\n%s\n%s", d, got)
		}
		if after := patched(base, file.Hunks); after != proposed {
			t.Fatalf("the diff leads to %q, want %q:\n%s", after, proposed, got)
		}
	})
}

// patched returns text, whose lines end with "\n", after the hunks.
func patched(text string, hunks []*diff.Hunk) string {
	lines := strings.SplitAfter(text, "\n")
	var b strings.Builder
	at := 0
	for _, h := range hunks {
		first := int(h.OrigStartLine) - 1
		if h.OrigLines == 0 {
			first++
		}
		b.WriteString(strings.Join(lines[at:first], ""))
		at = first + int(h.OrigLines)
		rows := strings.SplitAfter(string(h.Body), "\n")
		for i, row := range rows {
			if row == "" || row[0] == '-' || row[0] == '\\' {
				continue
			}
			if i+1 < len(rows) && strings.HasPrefix(rows[i+1], "\\") {
				row = strings.TrimSuffix(row, "\n")
			}
			b.WriteString(row[1:])
		}
	}
	b.WriteString(strings.Join(lines[at:], ""))
	return b.String()
}

func TestRenderSaysWhatItLeavesOut(t *testing.T) {
	blobs := texts{}
	p := &plan.Plan{Number: 3, Goal: "much"}
	big := strings.Repeat("x\n", maxDiffs/4)
	r := plan.Revision{Description: strings.Repeat("é", maxDescription)}
	for i := range maxItems + 5 {
		r.Operations = append(r.Operations, op(fmt.Sprintf("o%d", i+1), "", "edit_file", "f"))
	}
	for _, path := range []string{"one", "two", "three"} {
		r.Changes = append(r.Changes, blobs.change(plan.Create, path, "", "", big[:len(big)-len(path)]))
	}
	r.Changes = append(r.Changes, blobs.change(plan.Update, "last", "", "a\n", "b\n"))
	got := Render(p, p.Add(r, blobs.of), blobs.of, Beside{})
	for _, want := range []string{
		"(The rest of the description is left out.)", "6 more steps and operations are left out", "### two (create, ",
		"The diff of this file is left out", "`redline plans diff 3` prints it", "### last (update, +1 −1)", "-a\n+b\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the preview does not have %q", want)
		}
	}
	if n := strings.Count(got, "+x\n"); n != maxDiffs/4-1 {
		t.Errorf("%d lines are shown, want those of the first file alone", n)
	}
	if len(got) > maxDiffs+1<<20 {
		t.Errorf("the preview has %d bytes", len(got))
	}
}

func TestSectionAt(t *testing.T) {
	blobs := texts{}
	odd := "b `c` → d (update, +1 −1)"
	p := &plan.Plan{Number: 1, Goal: "x"}
	r := p.Add(plan.Revision{
		Operations: []plan.Operation{op("o1", "", "edit_file", "a/b.go")},
		Changes: []plan.Change{
			blobs.change(plan.Update, "a/b.go", "", "# a\n### x (update, +0 −0)\n", "# b\n## Files\n"),
			blobs.change(plan.Rename, "from me", "to you", "a\n", "b\n"),
			blobs.change(plan.Create, odd, "", "", "x\n"),
		},
	}, blobs.of)
	text := Render(p, r, blobs.of, Beside{})
	l := edits.NewLines(text)
	want := ""
	seen := map[string]bool{}
	for i := range l.Count() {
		c := l.Content(i)
		switch line := text[c.Start:c.End]; {
		case strings.HasPrefix(line, "### a/b.go ("):
			want = "a/b.go"
		case strings.HasPrefix(line, "### from me → to you ("):
			want = "from me"
		case strings.HasPrefix(line, `### "b `):
			want = odd
		}
		seen[want] = true
		if got, ok := SectionAt(text, i); got != want || ok != (want != "") {
			t.Errorf("line %d %q: %q, %v, want %q", i, text[c.Start:c.End], got, ok, want)
		}
	}
	if len(seen) != 4 {
		t.Errorf("sections seen: %v", seen)
	}
	for _, line := range []int{-1, l.Count() + 5} {
		SectionAt(text, line) // must not panic
	}
	if path, ok := SectionAt("### x\nabc", 1); ok {
		t.Errorf("a heading of another form is the file %q", path)
	}
}

func TestName(t *testing.T) {
	for _, n := range [][2]int{{1, 1}, {7, 12}, {12345, 3}} {
		name := view.PreviewName(n[0], n[1])
		for _, name := range []string{name, ".redline/" + name, "file:///w/.redline/" + name} {
			if p, r, ok := view.PreviewOf(name); !ok || p != n[0] || r != n[1] {
				t.Errorf("view.PreviewOf(%q) = %d, %d, %v", name, p, r, ok)
			}
		}
	}
	if got := view.PreviewName(1, 2); got != "plans/0001-r2.md" {
		t.Errorf("got %q", got)
	}
	for _, name := range []string{"", "0001-r1.md", "plans/0001.md", "plans/1-r1.md", "plans/00001-r1.md", "plans/0000-r1.md", "plans/0001-r0.md", "plans/0001-r01.md", "plans/0001-r1.md/x", "plans/9999999999-r1.md"} {
		if p, r, ok := view.PreviewOf(name); ok {
			t.Errorf("view.PreviewOf(%q) = %d, %d", name, p, r)
		}
	}
}

func BenchmarkRender(b *testing.B) {
	blobs := texts{}
	base := numbered(20_000)
	p := &plan.Plan{Number: 1, Goal: "many lines"}
	r := p.Add(plan.Revision{Changes: []plan.Change{
		blobs.change(plan.Update, "f", "", base, strings.ReplaceAll(base, "9\n", "nine\n"), "o1"),
	}}, blobs.of)
	b.ReportAllocs()
	for b.Loop() {
		Render(p, r, blobs.of, Beside{})
	}
}
