package brief_test

import (
	"strings"
	"testing"

	"redline/agent/brief"
	"redline/agent/draft"
	"redline/workspace"
)

func TestRulesNearestFirst(t *testing.T) {
	d := newDesk(t, map[string]string{
		"AGENTS.md": "root", "CLAUDE.md": "root", "a/AGENTS.md": "a", "a/b/CONVENTIONS.md": "ab", "c/AGENTS.md": "c", "a/b/x.txt": "", "c/y.txt": "",
		".github/copilot-instructions.md": "hub", ".cursorrules": "cursor", "GEMINI.md": " \n",
	})
	rule := func(path, text string) []string { return []string{"rules: " + path + ":", "```", text, "```"} }
	all := func(parts ...[]string) (out []string) {
		for _, p := range parts {
			out = append(out, p...)
		}
		return out
	}
	root := all(rule("AGENTS.md", "root"), rule(".cursorrules", "cursor"), rule(".github/copilot-instructions.md", "hub"))
	d.want(brief.Request{Own: "x"}, root...)
	d.want(brief.Request{Path: "a/b/x.txt"}, all([]string{"file: a/b/x.txt"}, rule("a/b/CONVENTIONS.md", "ab"), rule("a/AGENTS.md", "a"), root)...)
	d.want(brief.Request{Own: "@c/y.txt"}, all([]string{"mentioned: c/y.txt (empty)"}, rule("c/AGENTS.md", "c"), root)...)
	if got := d.gather(brief.Request{Own: "x"}, brief.Limits{NoRules: true}).Text(); got != "" {
		t.Errorf("without rules: %s", got)
	}
}

func TestRulesForSomeFiles(t *testing.T) {
	d := newDesk(t, map[string]string{
		".cursor/rules/always.mdc":                "---\nalwaysApply: true\nglobs: *.nothing\n---\nalways\n",
		".cursor/rules/go.mdc":                    "---\ndescription: how Go is written\nglobs: \"*.go\", cmd/**/*.{txt,md}\nalwaysApply: false\n---\ngo\n",
		".cursor/rules/sql.mdc":                   "---\ndescription: SQL\nglobs:\n  - '*.sql'\n---\nsql\n",
		".cursor/rules/react.mdc":                 "---\nglobs: **/*.tsx\ndescription: React: all\n---\nreact\n",
		".cursor/rules/web.mdc":                   "---\nglobs: [*.css, '*.html']\ntags:\n  - {a: b}\n---\nweb\n",
		".cursor/rules/ask.mdc":                   "---\r\ndescription: on demand\r\nalwaysApply: false\r\n---\r\nask\r\n",
		".github/instructions/ts.instructions.md": "---\napplyTo: '**/*.ts'\n---\nts\n",
		".github/instructions/notes.md":           "no rule",
		"a.go":                                    "", "web/b.ts": "", "cmd/x/y.md": "",
	})
	for path, want := range map[string]string{"a.go": "always go", "web/b.ts": "always ts", "cmd/x/y.md": "always go", "z.sql": "always sql", "z.c": "always"} {
		text := d.gather(brief.Request{Path: path}, brief.Limits{}).Text()
		var got []string
		for _, word := range []string{"always", "go", "sql", "ask", "ts"} {
			if strings.Contains(text, "\n"+word+"\n```") {
				got = append(got, word)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %v, want %s:\n%s", path, got, want, text)
		}
	}
	text := d.gather(brief.Request{Path: "a.go"}, brief.Limits{}).Text()
	for _, want := range []string{
		"\n  .cursor/rules/ask.mdc, for when it is asked for: on demand\n", "\n  .cursor/rules/sql.mdc, for *.sql: SQL\n", "\n  .github/instructions/ts.instructions.md, for **/*.ts\n",
		"\n  .cursor/rules/react.mdc, for **/*.tsx: React: all\n", "\n  .cursor/rules/web.mdc, for *.css,*.html\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("missing %q in:\n%s", want, text)
		}
	}
}

// A rule that names files is not for all of them, however it names them.
func TestRulesNameFilesInAnyForm(t *testing.T) {
	for front, fits := range map[string]string{
		"globs: {Makefile,Dockerfile}": "{Makefile,Dockerfile}", "globs: {src/**,lib/**}": "{src/**,lib/**}", "applyTo: {a.ts, b.ts}": "{a.ts,b.ts}",
		"globs: !vendor/**": "!vendor/**", "  globs: *.ts": "*.ts", "\tglobs: *.ts\n\tdescription: t": "*.ts: t", "globs: [{Makefile,a}, b]": "{Makefile,a},b",
		"globs:\n  - {Makefile,a}\n  - !b": "{Makefile,a},!b", "globs: {a: b, c}": "{a: b,c}", "globs: '*.go'\nglobs: '*.ts'": "*.ts",
		"description: a: b\n  globs: *.ts": "*.ts: a: b", "globs: [*.ts,\n  *.tsx]": "*.ts,*.tsx", "globs:\n  - *.ts\n  x: y": "when it is asked for",
		"description:\n  words\n  globs: *.ts": "when it is asked for", "a line\nglobs: *.ts": "*.ts",
	} {
		d := newDesk(t, map[string]string{".cursor/rules/some.mdc": "---\n" + front + "\n---\nsome\n", "a.go": ""})
		if text := d.gather(brief.Request{Path: "a.go"}, brief.Limits{}).Text(); !strings.Contains(text, "\n  .cursor/rules/some.mdc, for "+fits+"\n") {
			t.Errorf("%q is not for %s:\n%s", front, fits, text)
		}
	}
	for _, front := range []string{"a line", "globs:", "globs: {Makefile,*.go}", "globs:\n  - {Makefile,*.go}", "  globs: '*.go'", "globs: '*.ts'\nglobs: '*.go'", "a:\n  - *b\n  c: d"} {
		d := newDesk(t, map[string]string{".cursor/rules/some.mdc": "---\n" + front + "\n---\nsome\n", "a.go": ""})
		if text := d.gather(brief.Request{Path: "a.go"}, brief.Limits{}).Text(); !strings.Contains(text, "\nsome\n```") {
			t.Errorf("%q is not for a.go:\n%s", front, text)
		}
	}
}

func TestRulesAreBounded(t *testing.T) {
	files := map[string]string{"AGENTS.md": strings.Repeat("be brief\n", 10_000), "x/a.txt": ""}
	for i := range 30 {
		files["x/.cursor/rules/"+string(rune('a'+i%26))+string(rune('a'+i/26))+".md"] = "rule " + string(rune('a'+i%26)) + string(rune('a'+i/26)) + "\n"
	}
	b := newDesk(t, files).gather(brief.Request{Path: "x/a.txt"}, brief.Limits{Tokens: 100_000})
	text := b.Text()
	if n := strings.Count(text, "\nrules: "); n != 16 {
		t.Errorf("%d rule files are shown", n)
	}
	if !strings.Contains(b.Notice(), "more rule file") {
		t.Errorf("what was left out is not told: %s", b.Notice())
	}
	b = newDesk(t, map[string]string{"AGENTS.md": files["AGENTS.md"]}).gather(brief.Request{}, brief.Limits{Tokens: 100_000})
	if len(b.Text()) > 40<<10 || !strings.Contains(b.Notice(), "AGENTS.md (only its first") {
		t.Errorf("%d bytes; %s", len(b.Text()), b.Notice())
	}
}

func TestRulesOfSeveralFolders(t *testing.T) {
	one := newDesk(t, map[string]string{"AGENTS.md": "one\n", "sub/a.txt": "", "sub/CLAUDE.md": "sub\n"})
	two := newDesk(t, map[string]string{"AGENTS.md": "two\n"})
	ws := workspace.New([]workspace.Folder{{Name: "one", Dir: one.dir}, {Name: "two", Dir: two.dir}}, workspace.Options{})
	d := &desk{t: t, ws: ws, draft: draft.New(ws)}
	d.want(brief.Request{Path: "one/sub/a.txt"}, "file: one/sub/a.txt",
		"rules: one/sub/CLAUDE.md:", "```", "sub", "```", "rules: one/AGENTS.md:", "```", "one", "```")
	d.want(brief.Request{}, "rules: one/AGENTS.md:", "```", "one", "```", "rules: two/AGENTS.md:", "```", "two", "```")
}
