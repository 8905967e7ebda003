package tool_test

import (
	"fmt"
	"strings"
	"testing"
)

var searched = map[string]string{
	"a.go": "package a\n\nfunc getUser() {}\n\nfunc other() {}\n\nvar x = getUser\n", "web/User.ts": "export function GetUser() {}\n",
	"web/vendor/lib.ts": "GetUser()\n", "text/call.md": "Call `f(x)`.\n", "src/handlers/index.go": "package handlers\n",
}

func TestSearching(t *testing.T) {
	for _, c := range []struct{ arguments, want string }{
		{`{"pattern":"GetUser"}`, "web/User.ts:1: export function GetUser() {}\nweb/vendor/lib.ts:1: GetUser()"},
		{`{"pattern":"GetUser","path":"web","exclude":"vendor"}`, "web/User.ts:1: export function GetUser() {}"},
		{`{"pattern":"getUser","path":"./a.go"}`, "a.go\n3: func getUser() {}\n7: var x = getUser"},
		{`{"pattern":"user","ignore_case":true,"files_only":true}`, "a.go: 2 lines\nweb/User.ts: 1 line\nweb/vendor/lib.ts: 1 line"},
		{`{"pattern":"getUser","context":1}`, "a.go\n2- \n3: func getUser() {}\n4- \n--\n6- \n7: var x = getUser"},
		{`{"pattern":"getUser","context":2}`, "a.go\n1- package a\n2- \n3: func getUser() {}\n4- \n5- func other() {}\n6- \n7: var x = getUser"},
		{`{"pattern":"func","context":1,"glob":"*.{go,ts}","limit":1}`, "a.go\n2- \n3: func getUser() {}\n4- \n… 2 more lines match (limit was 1):\na.go: 1 line\nweb/User.ts: 1 line"},
		{`{"pattern":"getUser","path":"a.go","context":99}`, "a.go\n1- package a\n2- \n3: func getUser() {}\n4- \n5- func other() {}\n6- \n7: var x = getUser\n[context: 20 lines around each are the most; read_file shows more]"},
		// Searches that find something if they are read otherwise.
		{`{"pattern":"nothing"}`, "no matches"},
		{`{"pattern":"getuser"}`, "no matches, but in another case (ignore_case: true):\na.go\n3: func getUser() {}\n7: var x = getUser\nweb/User.ts:1: export function GetUser() {}\nweb/vendor/lib.ts:1: GetUser()"},
		{`{"pattern":"func.*User"}`, "no matches, but as a regular expression (regex: true):\na.go:3: func getUser() {}\nweb/User.ts:1: export function GetUser() {}"},
		{`{"pattern":"func.*User","files_only":true}`, "no matches, but as a regular expression (regex: true):\na.go: 1 line\nweb/User.ts: 1 line"},
		{`{"pattern":"f(x)","regex":true}`, "no matches, but as plain text (regex: false):\ntext/call.md:1: Call `f(x)`."},
		{`{"pattern":"getUser","glob":"*.ts"}`, "no matches, but in another case (ignore_case: true):\nweb/User.ts:1: export function GetUser() {}\nweb/vendor/lib.ts:1: GetUser()\nas asked, but in other files (without path, glob and exclude), 2 lines match: a.go"},
		{`{"pattern":"FUNC.*user"}`, "no matches, but as a regular expression in another case (regex: true, ignore_case: true):\na.go:3: func getUser() {}\nweb/User.ts:1: export function GetUser() {}"},
		{`{"pattern":"f(","regex":true}`, "no matches, but as plain text (regex: false), since it is no regular expression:\ntext/call.md:1: Call `f(x)`."},
		{`{"pattern":"g(","regex":true}`, "the search pattern is not a regular expression"},
		{`{"pattern":"x","path":"handlers"}`, "handlers does not exist; src/handlers does: use that path"},
		{`{"pattern":"x","path":"web/hanlders"}`, "does not exist; src/handlers does: use that path"},
		{`{"pattern":"x","path":"user.ts"}`, "user.ts does not exist; web/User.ts does: use that path"},
		{`{"pattern":"x","path":"nothing/like/it"}`, "does not exist; list_files shows what there is"},
		{`{"pattern":"x","path":"../elsewhere"}`, "is outside the workspace"},
	} {
		b := newBench(t, searched)
		r := b.call(t, "search", c.arguments)
		if r.IsError && !strings.Contains(r.Text, c.want) || !r.IsError && r.Text != c.want {
			t.Errorf("%s answers\n%s\nwant\n%s", c.arguments, r.Text, c.want)
		}
	}
	b := newBench(t, searched)
	if r := b.call(t, "list_files", `{"path":"handlers"}`); !strings.Contains(r.Text, "src/handlers does: use that path") {
		t.Errorf("a folder that is missing: %s", r.Text)
	}
	if r := b.call(t, "search", `{"pattern":"hunter2","path":".env"}`); !r.IsError {
		t.Errorf("a file with secrets: %s", r.Text)
	}
}

// A path that looks like a row of the answer is quoted where rows follow it.
func TestHeadings(t *testing.T) {
	b := newBench(t, map[string]string{"12: x.go": "one\none\n", "b/--": "one\none\n"})
	want := "\"12: x.go\"\n1: one\n2: one\nb/--\n1: one\n2: one"
	if r := b.call(t, "search", `{"pattern":"one"}`); r.Text != want {
		t.Errorf("it answers\n%s\nwant\n%s", r.Text, want)
	}
}

// Where lines have no room, those that the list of files counts are all of them, and the answer
// ends below no heading.
func TestMoreHitsThanRoom(t *testing.T) {
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("d/f%03d.txt", i)] = strings.Repeat("x"+strings.Repeat("y", 60)+"\n", 4)
	}
	r := newBench(t, files).call(t, "search", `{"pattern":"x"}`)
	rows, rest, ok := strings.Cut(r.Text, "… ")
	shown := strings.Count(rows, ": x")
	if want := fmt.Sprintf("%d more lines match (narrow the search to see them):\n", 1200-shown); !ok || !strings.HasPrefix(rest, want) {
		t.Errorf("%d rows are shown, and then: %.80q", shown, rest)
	}
	lines := strings.Split(strings.TrimSpace(rows), "\n")
	if last := lines[len(lines)-1]; !strings.Contains(last, ": x") {
		t.Errorf("the last row is %q", last)
	}
	if len(rest) > 5000 {
		t.Errorf("the list of the others has %d bytes", len(rest))
	}
}

// The beginning of a large file comes with an outline of the rest.
func TestReadingLargeFiles(t *testing.T) {
	var text strings.Builder
	text.WriteString("package big\n")
	for i := range 3000 {
		text.WriteString("// a line of a comment that makes the file large\n")
		if i == 10 || i == 2500 {
			text.WriteString("func F" + strings.Repeat("x", i/1000) + "() {}\n")
		}
	}
	b := newBench(t, map[string]string{"big.go": text.String()})
	r := b.call(t, "read_file", `{"path":"big.go"}`)
	if !strings.HasPrefix(r.Text, "[lines 1-328 of 3003]\npackage big\n") || !strings.HasSuffix(r.Text, "\n[2675 lines more; give start_line, or ranges, to see them]\n2504: func Fxx") {
		t.Errorf("answers %.60q … %q", r.Text, r.Text[len(r.Text)-120:])
	}
	if len(r.Text) > 18_000 {
		t.Errorf("answers %d bytes", len(r.Text))
	}
	r = b.call(t, "read_file", `{"path":"big.go","ranges":[[1,1],[2504,2504],[3003,-1]]}`)
	if want := "[lines 1-1 of 3003]\npackage big\n[lines 2504-2504 of 3003]\nfunc Fxx() {}\n[lines 3003-3003 of 3003]\n// a line of a comment that makes the file large\n"; r.Text != want {
		t.Errorf("ranges answer\n%s", r.Text)
	}
	r = b.call(t, "read_file", `{"path":"big.go","ranges":[[1,1500],[1501,2900],[3000,3003]]}`)
	if len(r.Text) > 66<<10 || !strings.Contains(r.Text, "[lines 3000-3003 have no room; ask for them in another call]") && !strings.Contains(r.Text, "of 3003]\n") {
		t.Errorf("%d bytes", len(r.Text))
	}
}

// A folder that shows nothing since all in it is ignored says so; so does a search there. An empty
// one, and one with secrets alone, does not.
func TestFoldersOfIgnoredFiles(t *testing.T) {
	b := newBench(t, map[string]string{
		".gitignore": "*.log\n/built/*\n", "logs/a.log": "needle\n", "logs/b.log": "", "one/a.log": "", "built/x/y.go": "", "src/a.go": "", "src/a.log": "needle\n", "keys/.env": "needle\n",
	})
	for arguments, want := range map[string]string{
		`{"path":"logs"}`:                "no files shown: Git ignores all 2 files here",
		`{"path":"logs","glob":"*.log"}`: "no files shown: Git ignores all 2 files here",
		`{"path":"one"}`:                 "no files shown: Git ignores the one file here",
		`{"path":"built"}`:               "no files shown: Git ignores the one file here",
		`{"path":"keys"}`:                "no files",
		`{"path":"src"}`:                 "src/a.go",
		`{"path":"src","glob":"*.log"}`:  "no files; without the glob: 1 file",
	} {
		if r := b.call(t, "list_files", arguments); r.Text != want {
			t.Errorf("%s: %q, want %q", arguments, r.Text, want)
		}
	}
	for arguments, want := range map[string]string{
		`{"pattern":"needle","path":"logs"}`:             "no matches: Git ignores all files here, so none was searched",
		`{"pattern":"needle","path":"src"}`:              "no matches",
		`{"pattern":"needle","path":"keys"}`:             "no matches",
		`{"pattern":"needle","path":"src","glob":"*.x"}`: "no matches",
	} {
		if r := b.call(t, "search", arguments); r.Text != want {
			t.Errorf("%s: %q, want %q", arguments, r.Text, want)
		}
	}
}
