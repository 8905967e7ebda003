package lsp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"redline/lsp/lsptest"
)

// compare checks a golden part of the story, or rewrites it with -update.
func (s *scenario) compare(part, got string) error {
	if s.unaddress != nil {
		got = s.unaddress.Replace(got)
	}
	if !strings.HasSuffix(got, "\n") {
		got += "\n"
	}
	i := slices.IndexFunc(s.archive.Files, func(f txtar.File) bool { return f.Name == part })
	if updating() {
		if i < 0 {
			s.archive.Files = append(s.archive.Files, txtar.File{Name: part})
			i = len(s.archive.Files) - 1
		}
		s.archive.Files[i].Data = []byte(got)
		s.golden = true
		return nil
	}
	if i < 0 {
		return fmt.Errorf("there is no part %q: run with -update to write it", part)
	}
	if diff := cmp.Diff(string(s.archive.Files[i].Data), got); diff != "" {
		return fmt.Errorf("%s (-want +got):\n%s", part, diff)
	}
	return nil
}

// goldenActions compares the titles of the code actions at a line.
func (s *scenario) goldenActions(a []string) error {
	line, err := strconv.Atoi(a[1])
	if err != nil {
		return err
	}
	if err := s.settled(); err != nil { // a plan is ready before its turn has ended, and a turn that runs can be cancelled
		return err
	}
	at := lsptest.Position{Line: line}
	actions, err := s.editor.CodeActions(s.ctx, a[0], lsptest.Range{Start: at, End: at})
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, action := range actions {
		fmt.Fprintf(&b, "%s: %s", action.Kind, action.Title)
		if action.IsPreferred {
			b.WriteString(" (preferred)")
		}
		for _, d := range action.Diagnostics {
			fmt.Fprintf(&b, " [%s]", d.Code())
		}
		b.WriteString("\n")
	}
	return s.compare(a[2], b.String())
}

func (s *scenario) goldenHover(a []string) error {
	line, err := strconv.Atoi(a[1])
	if err != nil {
		return err
	}
	hover, err := s.editor.Hover(s.ctx, a[0], lsptest.Position{Line: line})
	if err != nil {
		return err
	}
	return s.compare(a[2], hover)
}

func (s *scenario) goldenDiagnostic(a []string) error {
	if err := s.editor.Await(s.ctx, lsptest.DiagnosticCode(a[0], a[1])); err != nil {
		return err
	}
	for _, d := range s.editor.Diagnostics(a[0]) {
		if d.Code() == a[1] {
			return s.compare(a[2], fmt.Sprintf("%d:%d-%d:%d severity %d, source %s\n%s", d.Range.Start.Line, d.Range.Start.Character,
				d.Range.End.Line, d.Range.End.Character, d.Severity, d.Source, d.Message))
		}
	}
	return nil
}

// goldenPreview compares a preview file, without its hash.
// tookForm matches how long a trial took.
var tookForm = regexp.MustCompile(`, after [0-9.]+ s`)

func (s *scenario) goldenPreview(a []string) error {
	var data []byte
	err := s.editor.Await(s.ctx, lsptest.Expect("the preview "+a[0], func(*lsptest.Editor) (ok bool) {
		var err error
		data, err = os.ReadFile(filepath.Join(s.dir, ".redline", "plans", a[0]))
		return err == nil
	}))
	if err != nil {
		return err
	}
	var lines []string
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "hash: ") {
			line = "hash: …\n"
		}
		line = tookForm.ReplaceAllString(line, ", after …")
		lines = append(lines, line)
	}
	return s.compare(a[1], strings.Join(lines, ""))
}

// split splits a line of a script into words. A word in single quotes may contain anything;
// , \t, \r, \\ and \u202E in it stand for those characters. A comment begins with #.
func split(line string) ([]string, error) {
	var words []string
	unescape := strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\r`, "\r")
	for {
		line = strings.TrimLeft(line, " \t")
		switch {
		case line == "" || line[0] == '#':
			return words, nil
		case line[0] == '\'':
			word, rest, ok := strings.Cut(line[1:], "'")
			if !ok {
				return nil, fmt.Errorf("a quote is not closed")
			}
			words, line = append(words, unescape.Replace(hiddenCharacters(word))), rest
		default:
			end := strings.IndexAny(line, " \t")
			if end < 0 {
				end = len(line)
			}
			words, line = append(words, line[:end]), line[end:]
		}
	}
}
