package tool_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"redline/agent/draft"
	"redline/agent/tool"
	"redline/edits"
	"redline/edits/placeholder"
	"redline/workspace"
)

var (
	sourcesOf   = flag.String("sources", "", "folders with source code, for TestNoFalseAlarms, with a : between them")
	sourceFiles = flag.Int("files", 300, "how many files of a language TestNoFalseAlarms takes, besides all with a line that looks like a placeholder")
)

// remark matches a comment with dots, or with words that a placeholder may have.
var remark = regexp.MustCompile(`(?m)^\s*(?://|#|--|/\*|<!--|;|\*).*(?:\.\.\.|…|\b(?:[Rr]est of|[Ee]xisting|[Uu]nchanged|[Rr]emaining|[Ss]ame as|[Oo]mitted)\b)`)

// TestNoFalseAlarms edits real source files that have comments like placeholders, in
// every form: far from such a comment, and with it in the replaced text. Every edit must
// be taken as it is.
func TestNoFalseAlarms(t *testing.T) {
	if *sourcesOf == "" {
		t.Skip("name folders with source code: go test ./agent/tool -run TestNoFalseAlarms -sources DIR:DIR")
	}
	s := &sources{random: rand.New(rand.NewPCG(3, 4)), languages: map[string]int{}, looks: map[string]int{}}
	s.ws = workspace.New([]workspace.Folder{{Dir: t.TempDir()}}, workspace.Options{})
	for _, dir := range filepath.SplitList(*sourcesOf) {
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && d.Name() == ".git" {
				return fs.SkipDir
			}
			if err == nil && d.Type().IsRegular() && filepath.Ext(name) != "" {
				s.file(t, name, filepath.Ext(name))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d files with such comments, %d of them with a line that looks like a placeholder, %d edits, %d alarms", s.files, s.alike, s.edits, s.alarms)
	for _, ends := range slices.Sorted(maps.Keys(s.languages)) {
		t.Logf("%-12s %5d files, %4d with a line that looks like a placeholder", ends, s.languages[ends], s.looks[ends])
	}
	if s.files == 0 {
		t.Error("no file has such comments")
	}
}

// sources counts the files that were edited.
type sources struct {
	ws                          *workspace.Workspace
	random                      *rand.Rand
	files, alike, edits, alarms int
	languages, looks            map[string]int // by file extension
}

// file edits a file if it has such a comment.
func (s *sources) file(t *testing.T, name, ends string) {
	if info, err := os.Stat(name); err != nil || info.Size() > 1<<20 {
		return
	}
	data, err := os.ReadFile(name)
	text := string(data)
	if err != nil || !isText(text) || strings.Contains(text, "\r") || hasBOM(text) || !remark.MatchString(text) {
		return
	}
	path := "a" + ends
	lines := strings.SplitAfter(text, "\n")
	found := placeholder.Find(path, "a line that is replaced\n", text)
	if len(found) == 0 && s.languages[ends]-s.looks[ends] >= *sourceFiles {
		return
	}
	s.files++
	s.languages[ends]++
	at := s.random.IntN(len(lines))
	if len(found) > 0 {
		s.alike++
		s.looks[ends]++
		near := found[s.random.IntN(len(found))].Line - 1
		s.change(t, name, path, text, lines, min(near+1, len(lines)-1))
		s.change(t, name, path, text, lines, max(near-1, 0))
	}
	s.change(t, name, path, text, lines, at)
}

// change replaces line i, in every form.
func (s *sources) change(t *testing.T, name, path, text string, lines []string, i int) {
	start := len(strings.Join(lines[:i], ""))
	e := edits.Edit{Span: edits.Span{Start: start, End: start + len(lines[i])}, New: "something else\n"}
	after := text[:e.Start] + e.New + text[e.End:]
	if len(placeholder.Find(path, lines[i], e.New)) > 0 || after == text {
		return
	}
	old, put := unique(text, e, 1+s.random.IntN(3))
	patch := edits.Unified("a/"+path, "b/"+path, text, after, 3)
	for _, c := range []struct {
		tool string
		args map[string]any
	}{
		{"write_file", map[string]any{"path": path, "content": after}},
		{"edit_file", map[string]any{"path": path, "old_string": old, "new_string": put}},
		{"apply_patch", map[string]any{"patch": patch}},
	} {
		s.edits++
		env := &tool.Env{Draft: draft.New(before{path: workspace.File{Path: path, Exists: true, Text: text}}), Workspace: s.ws}
		found, _ := tool.Find(tool.All(), c.tool)
		arguments, err := json.Marshal(c.args)
		if err != nil {
			t.Fatal(err)
		}
		r := found.Run(t.Context(), env, arguments)
		got, _, err := env.Draft.Read(path)
		if strings.Contains(r.Text, "stands for lines") || !r.IsError && got != after && strings.HasSuffix(text, "\n") {
			s.alarms++
			t.Errorf("%s, line %d, %s: %s %v", name, i+1, c.tool, fmt.Sprintf("%.300s", r.Text), err)
		}
	}
}
