package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent/draft"
	"redline/agent/tool"
	"redline/agent/tool/tooltest"
	"redline/workspace"
)

// bench is a workspace on disk with a draft over it.
type bench struct {
	dir string
	ws  *workspace.Workspace
	env *tool.Env
}

func newBench(t testing.TB, files map[string]string) *bench {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ws := workspace.New([]workspace.Folder{{Dir: dir}}, workspace.Options{})
	return &bench{dir, ws, &tool.Env{Draft: draft.New(ws), Workspace: ws}}
}

// call calls a tool with arguments given as JSON.
func (b *bench) call(t testing.TB, name, arguments string) tool.Result {
	t.Helper()
	found, ok := tool.Find(tool.All(), name)
	if !ok {
		t.Fatalf("no tool %q", name)
	}
	b.env.Draft.Told() // each call is a reply of its own
	return found.Run(t.Context(), b.env, json.RawMessage(arguments))
}

var files = map[string]string{
	"a.go":         "package a\n\nfunc One() int { return 1 }\n\ntype T struct{}\n",
	"dir/b.txt":    "alpha\nbeta\nalpha\n",
	"empty":        "",
	"crlf.txt":     "one\r\ntwo\r\n",
	"open.txt":     "no line end",
	".env":         "TOKEN=hunter2\n",
	"bin":          "a\x00b",
	"long.txt":     strings.Repeat("x\n", 2001),
	"wide.txt":     strings.Repeat("é", 200<<10),
	"README.md":    "# Title\n\n## Part\n",
	".gitignore":   "ignored\n",
	"ignored":      "alpha\n",
	"bytes.txt":    strings.Repeat(strings.Repeat("y", 999)+"\n", 300),
	"dir/deep/c.c": "int main(void) { return 0; }\n",
}

// step is one call and its expected answer. After a leading "…", the answer need only
// contain the text.
type step struct {
	tool, arguments string
	text, summary   string
}

func TestTools(t *testing.T) {
	for _, test := range []struct {
		name  string
		steps []step
	}{
		{"read", []step{
			{"read_file", `{"path":"dir/b.txt"}`, "alpha\nbeta\nalpha\n", "read dir/b.txt"},
			{"read_file", `{"path":"./dir//b.txt"}`, "alpha\nbeta\nalpha\n", "read dir/b.txt"},
			{"read_file", `{"path":"empty"}`, "", "read empty"},
			{"read_file", `{"path":"crlf.txt"}`, "one\r\ntwo\r\n", "read crlf.txt"},
			{"read_file", `{"path":"dir/b.txt","start_line":2}`, "[lines 2-3 of 3]\nbeta\nalpha\n", "read dir/b.txt lines 2-3 of 3"},
			{"read_file", `{"path":"dir/b.txt","start_line":"2","end_line":2.0}`, "[lines 2-2 of 3]\nbeta\n", "read dir/b.txt lines 2-2 of 3"},
			{"read_file", `{"path":"dir/b.txt","end_line":99}`, "[lines 1-3 of 3]\nalpha\nbeta\nalpha\n", "read dir/b.txt lines 1-3 of 3"},
			{"read_file", `{"path":"dir/b.txt","start_line":0,"end_line":-1}`, "[lines 1-3 of 3]\nalpha\nbeta\nalpha\n", "read dir/b.txt lines 1-3 of 3"},
			{"read_file", `{"path":"empty","start_line":1}`, "[lines 0-0 of 0]\n", "read empty lines 0-0 of 0"},
			{"read_file", `{"path":"open.txt","start_line":1}`, "[lines 1-1 of 1]\nno line end", "read open.txt lines 1-1 of 1"},
			{"read_file", `{"path":"long.txt","start_line":1,"end_line":2001}`, "[lines 1-2000 of 2001; lines 2001-2001 have no room: ask for them next]\n" + strings.Repeat("x\n", 2000), "read long.txt lines 1-2000 of 2001"},
			{"read_file", `{"path":"long.txt"}`, "[lines 1-2000 of 2001]\n" + strings.Repeat("x\n", 2000) + "[1 line more; give start_line, or ranges, to see them]", "read long.txt lines 1-2000 of 2001"},
			{"read_file", `{"path":"bytes.txt"}`, "[lines 1-16 of 300]\n" + strings.Repeat(strings.Repeat("y", 999)+"\n", 16) + "[284 lines more; give start_line, or ranges, to see them]", "read bytes.txt lines 1-16 of 300"},
			{"read_file", `{"path":"wide.txt"}`, "[lines 1-1 of 1]\n" + strings.Repeat("é", 8000) + "…\nerror: line 1 is longer than can be shown; its beginning is above\n", "read wide.txt lines 1-1 of 1"},
			{"read_file", `{"path":"dir/b.txt","start_line":9}`, "error: dir/b.txt has only 3 lines", "read dir/b.txt refused: dir/b.txt has only 3 lines"},
			{"read_file", `{"path":"dir/b.txt","start_line":3,"end_line":1}`, "error: the last line, 1, is before the first, 3", ""},
			{"read_file", `{"path":"nope"}`, "error: nope does not exist; list the files to see what there is", ""},
			{"read_file", `{"path":"dir"}`, "…error: dir is a folder", ""},
			{"read_file", `{"path":"bin"}`, "…error: bin is a binary file", ""},
			{"read_file", `{"path":"../x"}`, "…error: ../x is outside the workspace", ""},
			{"read_file", `{"path":".git/config"}`, "….git", ""},
			{"read_file", `{"path":".env"}`, "….env may hold secrets", ""},
			{"read_file", `{"path":".redline/chat.md"}`, "…belongs to Redline", ""},
		}},
		{"list", []step{
			{"list_files", `{"path":"dir"}`, "dir/b.txt\ndir/deep/c.c", "list dir: 2 files"},
			{"list_files", `{"glob":"*.go"}`, "a.go", "list .: 1 file"},
			{"list_files", `{"glob":"*.rs"}`, "no files; without the glob: 12 files", "list .: 0 files"},
			{"list_files", `{"path":"dir","glob":"["}`, "…is not a valid glob", ""},
			{"write_file", `{"path":"dir/new.txt","content":"n\n"}`, "staged: create dir/new.txt line 1", "create dir/new.txt +1"},
			{"delete_file", `{"path":"dir/b.txt"}`, "staged: delete dir/b.txt", "delete dir/b.txt −3"},
			{"list_files", `{"path":"dir"}`, "dir/deep/c.c\ndir/new.txt", "list dir: 2 files"},
			{"list_files", `{}`, "….gitignore\nREADME.md\na.go\n", ""},
		}},
		{"search", []step{
			{"search", `{"pattern":"alpha"}`, "dir/b.txt\n1: alpha\n3: alpha", `search "alpha": 2 lines`},
			{"search", `{"pattern":"ALPHA","ignore_case":"true","glob":"dir/**"}`, "dir/b.txt\n1: alpha\n3: alpha", `search "ALPHA": 2 lines`},
			{"search", `{"pattern":"^b.t","regex":true}`, "dir/b.txt:2: beta", `search "^b.t": 1 line`},
			{"search", `{"pattern":"hunter2"}`, "no matches", `search "hunter2": 0 lines`},
			{"search", `{"pattern":"nowhere(","regex":true}`, "…error: the search pattern is not a regular expression", ""},
			{"edit_file", `{"path":"dir/b.txt","old_string":"beta","new_string":"alpha 2"}`, "staged: edit_file dir/b.txt line 2 (exact)", "edit dir/b.txt +1 −1"},
			{"search", `{"pattern":"alpha 2"}`, "dir/b.txt:2: alpha 2", `search "alpha 2": 1 line`},
			{"search", `{"pattern":"x","glob":"long.txt"}`, "…\n1000: x\n… 1001 more lines match (narrow the search to see them):\nlong.txt: 1001 lines", `search "x": 2001 lines`},
		}},
		{"outline", []step{
			{"outline", `{"path":"a.go"}`, "3: func One\n5: type T", "outline a.go"},
			{"outline", `{"path":"README.md"}`, "1: heading Title\n3:   heading Part", "outline README.md"},
			{"outline", `{"path":"empty"}`, "no declarations found; read the file instead", "outline empty"},
			{"outline", `{"path":"nope"}`, "…nope does not exist", ""},
			{"outline", `{"path":".env"}`, "….env may hold secrets", ""},
		}},
		{"edit", []step{
			{"edit_file", `{"path":"dir/b.txt","old_string":"alpha\nbeta","new_string":"a\nb\nc"}`, "staged: edit_file dir/b.txt lines 1-3 (exact)", "edit dir/b.txt +3 −2"},
			{"read_file", `{"path":"dir/b.txt"}`, "a\nb\nc\nalpha\n", "read dir/b.txt"},
			{"edit_file", `{"path":"crlf.txt","old_string":"two","new_string":"two\nthree"}`, "staged: edit_file crlf.txt line 3 (exact)\nIts line ends were made those of the lines around them.", "edit crlf.txt +1 −0"},
			{"edit_file", `{"path":"a.go","old_string":"nothing like it","new_string":""}`, "…error: The text to replace was not found", "edit_file a.go refused: The text to replace was not found, and nothing in the file is much like it. Nothing was changed. Read the file again and send its text word for word."},
			{"edit_file", `{"path":"nope","old_string":"x","new_string":"y"}`, "…error: nope does not exist", ""},
			{"edit_file", `{"path":".env","old_string":"TOKEN=x","new_string":"y"}`, "….env may hold secrets", ""},
			{"edit_file", `{"path":"long.txt","old_string":"x","new_string":"y"}`, "…error: The text to replace was found in 2001 places, on lines 1, 2, 3,", ""},
			{"edit_file", `{"path":"long.txt","old_string":"x","new_string":"y","replace_all":true}`, "staged: edit_file long.txt lines 1-2001 (exact)\nIt was replaced in 2001 places, which are now on lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 1991 more.", "edit long.txt +2001 −2001"},
		}},
		{"line ends follow the file", []step{
			{"edit_file", `{"path":"dir/b.txt","old_string":"beta","new_string":"B\r\nC"}`, "staged: edit_file dir/b.txt lines 2-3 (exact)\nIts line ends were made those of the lines around them.", ""},
			{"text_editor", `{"command":"insert","path":"dir/b.txt","insert_line":1,"insert_text":"x\r\ny\r\n"}`, "staged: text_editor dir/b.txt lines 2-3 (line)\nIts line ends were made those of the lines around them.", ""},
			{"read_file", `{"path":"dir/b.txt"}`, "alpha\nx\ny\nB\nC\nalpha\n", ""},
			{"write_file", `{"path":"dir/b.txt","content":"one\r\ntwo\r\n"}`, "…\nThe file keeps its own line ends. It takes the place of what was staged for the file before.", ""},
			{"read_file", `{"path":"dir/b.txt"}`, "one\ntwo\n", ""},
			{"edit_file", `{"path":"crlf.txt","old_string":"one\r\ntwo\r\n","new_string":"1\n2\n3\n"}`, "…Its line ends were made those of the lines around them.", ""},
			{"text_editor", `{"command":"insert","path":"open.txt","insert_line":1,"insert_text":"more\r\n"}`, "staged: text_editor open.txt lines 1-2 (line)", ""},
			{"read_file", `{"path":"crlf.txt"}`, "1\r\n2\r\n3\r\n", ""},
			{"apply_patch", `{"patch":"*** Begin Patch\n*** Update File: crlf.txt\n@@\n 1\r\n-2\r\n+II\n+IIa\n*** End Patch\n"}`, "staged: apply_patch crlf.txt lines 2-3 (exact)", ""},
			{"read_file", `{"path":"crlf.txt"}`, "1\r\nII\r\nIIa\r\n3\r\n", ""},
			{"edit_file", `{"path":"crlf.txt","old_string":"1\r\nII\r\n","new_string":"1\nII\n"}`, "staged: edit_file crlf.txt lines 1-2 (exact)", ""},
			{"read_file", `{"path":"crlf.txt"}`, "1\nII\nIIa\r\n3\r\n", ""},
			{"edit_file", `{"path":"crlf.txt","old_string":"3\r\n","new_string":"1\r\nII\r\n"}`, "…", ""},
			{"edit_file", `{"path":"crlf.txt","old_string":"1\nII\n","new_string":"x\n"}`, "…was found in 2 places, on lines 1 and 4 (forgiving other line endings)", ""},
		}},
		{"write, rename, delete", []step{
			{"write_file", `{"path":"n/m.txt","content":""}`, "staged: create n/m.txt (empty)", "create n/m.txt +0"},
			{"write_file", `{"path":"a.go","content":"package b\n"}`, "staged: write_file a.go line 1", "edit a.go +1 −5"},
			{"write_file", `{"path":"dir","content":"x"}`, "…dir is a folder", ""},
			{"rename_file", `{"path":"a.go","new_path":"b/b.go"}`, "staged: rename a.go to b/b.go", "rename a.go to b/b.go"},
			{"read_file", `{"path":"a.go"}`, "…a.go does not exist", ""},
			{"read_file", `{"path":"b/b.go"}`, "package b\n", ""},
			{"rename_file", `{"path":"b/b.go","new_path":"empty"}`, "…empty exists already", ""},
			{"edit_file", `{"path":"empty","old_string":"","new_string":"x\n"}`, "staged: edit_file empty line 1", "edit empty +1 −0"},
			{"edit_file", `{"path":"empty","old_string":"","new_string":"y\n"}`, "…error: The text to replace is empty", ""},
			{"edit_file", `{"path":"n/new","old_string":"","new_string":"x\n"}`, "staged: create n/new line 1", "create n/new +1"},
			{"rename_file", `{"path":"dir","new_path":"other"}`, "…dir is a folder", ""},
			{"rename_file", `{"path":".env","new_path":"plain.txt"}`, "….env may hold secrets", ""},
			{"delete_file", `{"path":"dir"}`, "…dir is a folder", ""},
			{"delete_file", `{"path":"nope"}`, "…nope does not exist", ""},
		}},
		{"text editor", []step{
			{"text_editor", `{"command":"view","path":"dir/b.txt"}`, "alpha\nbeta\nalpha\n", "read dir/b.txt"},
			{"text_editor", `{"command":"view","path":"dir/b.txt","view_range":[2,-1]}`, "[lines 2-3 of 3]\nbeta\nalpha\n", ""},
			{"str_replace_based_edit_tool", `{"command":"str_replace","path":"dir/b.txt","oldStr":"beta","newStr":"b"}`, "staged: text_editor dir/b.txt line 2 (exact)", "edit dir/b.txt +1 −1"},
			{"text_editor", `{"command":"str_replace","path":"dir/b.txt","old_str":"b\n"}`, "staged: text_editor dir/b.txt line 2 (exact)", "edit dir/b.txt +0 −1"},
			{"text_editor", `{"command":"insert","path":"dir/b.txt","insert_line":0,"insert_text":"top"}`, "staged: text_editor dir/b.txt line 1 (line)", "edit dir/b.txt +1 −0"},
			{"text_editor", `{"command":"insert","path":"dir/b.txt","insert_line":"3","insert_text":"end\nof it\n"}`, "staged: text_editor dir/b.txt lines 4-5 (line)", "edit dir/b.txt +2 −0"},
			{"read_file", `{"path":"dir/b.txt"}`, "top\nalpha\nalpha\nend\nof it\n", ""},
			{"text_editor", `{"command":"insert","path":"open.txt","insert_line":1,"insert_text":"more\n"}`, "staged: text_editor open.txt lines 1-2 (line)", "edit open.txt +2 −1"},
			{"read_file", `{"path":"open.txt"}`, "no line end\nmore", ""},
			{"text_editor", `{"command":"insert","path":"crlf.txt","insert_line":1,"insert_text":"mid"}`, "…staged: text_editor crlf.txt line 2 (line)", ""},
			{"read_file", `{"path":"crlf.txt"}`, "one\r\nmid\r\ntwo\r\n", ""},
			{"text_editor", `{"command":"insert","path":"dir/b.txt","insert_line":0,"new_str":"first\n"}`, "staged: text_editor dir/b.txt line 1 (line)", "edit dir/b.txt +1 −0"},
			{"text_editor", `{"command":"insert","path":"dir/b.txt","insert_line":0,"new_str":""}`, "staged: text_editor dir/b.txt line 1 (line)", "edit dir/b.txt +1 −0"},
			{"text_editor", `{"command":"insert","path":"dir/b.txt","insert_line":0,"insert_text":"x","new_str":"y"}`, "…insert was given two texts, insert_text and new_str", ""},
			{"text_editor", `{"command":"insert","path":"crlf.txt","insert_line":9,"insert_text":"x"}`, "error: there is no line 9 to insert after: the file has 3 lines; give 0 to 3", ""},
			{"text_editor", `{"command":"create","path":"n.txt","content":"n\n"}`, "staged: create n.txt line 1", "create n.txt +1"},
			{"text_editor", `{"command":"create","path":"m.txt"}`, `error: the argument "file_text" is missing; create needs it`, ""},
			{"text_editor", `{"command":"undo_edit","path":"n.txt"}`, `error: the argument "command" must be one of view, create, str_replace, insert`, ""},
			{"text_editor", `{"command":"insert","path":"nope","insert_line":0,"insert_text":"x"}`, "…nope does not exist", ""},
		}},
		{"no language server", []step{
			{"references", `{"path":"a.go","symbol":"One"}`, "error: no language server answers for a.go; use search instead", "references One in a.go refused: no language server answers for a.go; use search instead"},
			{"definition", `{"path":"a.go","symbol":"One"}`, "error: no language server answers for a.go; use search instead", ""},
			{"rename_symbol", `{"path":"a.go","symbol":"One","new_name":"Two"}`, "error: no language server answers for a.go; use search instead", "rename One to Two refused: no language server answers for a.go; use search instead"},
		}},
		{"language server", []step{
			{"write_file", `{"path":"b.go","content":"package a\n\nvar two = One() + One()\n\nfunc f() int {\n\tOne := two\n\treturn One\n}\n"}`, "staged: create b.go lines 1-8", ""},
			{"references", `{"path":"a.go","symbol":"One"}`, "a.go:3: func One() int { return 1 }\nb.go:3: var two = One() + One()", "references One in a.go: 2 lines"},
			{"references", `{"path":"b.go","symbol":"One","line":7}`, "b.go\n6: \tOne := two\n7: \treturn One", "references One in b.go: 2 lines"},
			{"references", `{"path":"b.go","symbol":"One"}`, "error: b.go has One on several lines, which do not all mean the same; give one of them as line:\n3: var two = One() + One()\n6:  One := two\n7:  return One", ""},
			{"write_file", `{"path":"c.go","content":"package a\n\nfunc g() int { One := One() + One(); return One }\n"}`, "staged: create c.go lines 1-3", ""},
			{"references", `{"path":"c.go","symbol":"One"}`, "error: line 3 of c.go has several symbols called One; give a line that has one only, or as symbol more of the line, such as One(", ""},
			{"references", `{"path":"c.go","symbol":"One()"}`, "a.go:3: func One() int { return 1 }\nb.go:3: var two = One() + One()\nc.go:3: func g() int { One := One() + One(); return One }", ""},
			{"references", `{"path":"c.go","symbol":"return One"}`, "c.go:3: func g() int { One := One() + One(); return One }", ""},
			{"delete_file", `{"path":"c.go"}`, "staged: delete c.go", ""},
			{"references", `{"path":"b.go","symbol":"One","line":4}`, "error: line 4 of b.go does not have One; it is on lines 3, 6 and 7", ""},
			{"references", `{"path":"b.go","symbol":"Three"}`, "error: b.go has no symbol Three; search finds the files that have it", ""},
			{"references", `{"path":"b.go","symbol":"()"}`, `error: the argument "symbol" must be a name`, ""},
			{"references", `{"path":"dir/b.txt","symbol":"beta"}`, "error: no language server answers for dir/b.txt; use search instead", ""},
			{"definition", `{"path":"b.go","symbol":"a.One()","line":3}`, "a.go:3: func One() int { return 1 }", "definition a.One() in b.go: 1 line"},
			{"definition", `{"path":"b.go","symbol":"int"}`, "/go/builtin.go:10: func int()", ""},
			{"definition", `{"path":".env","symbol":"TOKEN"}`, "….env may hold secrets", ""},
			{"outline", `{"path":"a.go"}`, "3: function One", "outline a.go"},
			{"rename_symbol", `{"path":"a.go","symbol":"One","new_name":"1bad"}`, `error: "1bad" is not a name: give letters, digits and _, without a digit at the start`, ""},
			{"rename_symbol", `{"path":"a.go","symbol":"One","new_name":"One"}`, "error: the symbol has that name already, so there is nothing to change", ""},
			{"rename_symbol", `{"path":"a.go","symbol":"One","new_name":"func"}`, "error: the language server refuses it: no identifier found", ""},
			{"rename_symbol", `{"path":"a.go","symbol":"One","new_name":"T"}`, "…error: the name T is taken, or not possible here. Nothing was changed. With it there are new errors:\na.go:3: other declaration of T\na.go:5: T redeclared in this block", ""},
			{"rename_symbol", `{"path":"a.go","symbol":"One","new_name":"Uno"}`, "staged: rename_symbol a.go line 3 (exact)\nstaged: rename_symbol b.go line 3 (exact)", "rename One to Uno in 2 files, a.go +1 −1, b.go +1 −1"},
			{"read_file", `{"path":"b.go"}`, "package a\n\nvar two = Uno() + Uno()\n\nfunc f() int {\n\tOne := two\n\treturn One\n}\n", ""},
			{"rename_symbol", `{"path":"b.go","symbol":"One","line":6,"new_name":"two"}`, "staged: rename_symbol b.go lines 6-7 (exact)", ""},
			{"edit_file", `{"path":"a.go","old_string":"Uno","new_string":"Eins"}`, "staged: edit_file a.go line 3 (exact)\nIt adds 2 errors:\nb.go:3: undefined: Uno\nb.go:3: undefined: Uno", "edit a.go +1 −1"},
			{"edit_file", `{"path":"a.go","old_string":"{ return 1 }","new_string":"{ return \"\" }"}`, "…\nIt adds 1 error:\na.go:3: cannot use \"\"", ""},
			{"edit_file", `{"path":"b.go","old_string":"Uno() + Uno()","new_string":"Eins()"}`, "staged: edit_file b.go line 3 (exact)", ""},
		}},
		{"command", []step{
			{"run_command", `{"command":"go test ./...","cwd":"dir","timeout_seconds":60}`, "…staged: run_command in dir: go test ./...\n", "command in dir: go test ./..."},
			{"run_command", `{"command":" "}`, "error: the command is empty; give the command line to run", ""},
			{"run_command", `{"command":"ls","cwd":"/"}`, "…outside the workspace", ""},
		}},
		{"arguments", []step{
			{"read_file", ``, `error: the argument "path" is missing; give {"path": …}`, ""},
			{"read_file", `{"path":null}`, `error: the argument "path" is missing; give {"path": …}`, ""},
			{"read_file", `["a.go"]`, `error: the arguments are not a JSON object; give them as {"path": …}`, ""},
			{"read_file", `{"path":"a.go"`, `error: the arguments are not a JSON object; give them as {"path": …}`, ""},
			{"read_file", `null`, `error: the arguments are not a JSON object; give them as {"path": …}`, ""},
			{"read_file", `{"path":7}`, `error: the argument "path" must be a string`, ""},
			{"read_file", `{"path":"a.go","start_line":"x"}`, `error: the argument "start_line" must be a whole number`, ""},
			{"read_file", `{"path":"a.go","start_line":1e99}`, `error: the argument "start_line" must be a whole number`, ""},
			{"read_file", `{"path":"dir/b.txt","unknown":{"x":1}}`, "alpha\nbeta\nalpha\n[not used: unknown]", ""},
			{"search", `{"pattern":"x","regex":"maybe"}`, `error: the argument "regex" must be true or false`, ""},
			{"text_editor", `{"command":"view","path":"a.go","view_range":[1]}`, `error: the argument "view_range" must be two line numbers, like [1, 20]`, ""},
			{"edit_file", `{"path":"a.go"}`, `error: the argument "old_string" is missing; give {"path": …, "old_string": …, "new_string": …}`, ""},
			{"edit_file", `{"path":"a.go","old_string":"One","new_string":"\ud800"}`, "…error: an argument is not text: it holds half of a surrogate pair", ""},
			{"read_file", "{\"path\":\"a.go\",\"unknown\":\"\xff\"}", "…error: an argument is not text: ", ""},
			{"write_file", `{"path":"smile","content":"\ud83d\ude00\n"}`, "staged: create smile line 1", ""},
			{"delete_file", `{"path":"a.go","path":"dir/b.txt"}`, "error: an argument is given twice; give each once", ""},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t, files)
			if test.name == "language server" {
				b.env.Languages = &tooltest.Languages{Workspace: b.ws}
			}
			for _, s := range test.steps {
				before := len(b.env.Draft.Operations())
				r := b.call(t, s.tool, s.arguments)
				if part, ok := strings.CutPrefix(s.text, "…"); ok && !strings.Contains(r.Text, part) || !ok && r.Text != s.text {
					t.Errorf("%s %s answers\n%.300q\nwant\n%.300q", s.tool, s.arguments, r.Text, s.text)
				}
				if s.summary != "" && r.Summary != s.summary {
					t.Errorf("%s %s: summary %q, want %q", s.tool, s.arguments, r.Summary, s.summary)
				}
				if r.Summary == "" || strings.ContainsAny(r.Summary, "\n\r") {
					t.Errorf("%s %s: summary %q is not one line", s.tool, s.arguments, r.Summary)
				}
				if failed := strings.HasPrefix(r.Text, "error: "); failed != r.IsError {
					t.Errorf("%s %s: IsError is %v", s.tool, s.arguments, r.IsError)
				}
				staged := strings.HasPrefix(r.Text, "staged: ")
				if after := len(b.env.Draft.Operations()); staged != (r.Staged != nil) || staged != (after == before+1) {
					t.Errorf("%s %s: %d operations after %d, Staged is %v", s.tool, s.arguments, after, before, r.Staged)
				}
				if len(r.Text) > tool.MaxResult {
					t.Errorf("%s %s answers %d bytes", s.tool, s.arguments, len(r.Text))
				}
			}
		})
	}
}

func TestSecretsThatTheUserNamed(t *testing.T) {
	b := newBench(t, files)
	b.env.Named = func(path string) bool { return path == ".env" }
	if r := b.call(t, "read_file", `{"path":".env"}`); r.Text != "TOKEN=hunter2\n" {
		t.Errorf("read answers %q", r.Text)
	}
	if r := b.call(t, "edit_file", `{"path":".env","old_string":"hunter2","new_string":"x"}`); r.IsError {
		t.Errorf("edit answers %q", r.Text)
	}
}

// TestOperations checks what a buffered call leaves in the draft.
func TestOperations(t *testing.T) {
	b := newBench(t, files)
	b.env.Step = "s1"
	if r := b.call(t, "submit_plan", `{"goal":"Do it","steps":[{"id":"s1","description":"one"},{"id":"s2","description":"two"}]}`); r.IsError {
		t.Fatal(r.Text)
	}
	b.call(t, "edit_file", `{"path":"./a.go","old_string":"One","new_string":"Two"}`)
	b.call(t, "str_replace_based_edit_tool", `{"command":"create","path":"n","content":"x","step":"s2"}`)
	b.call(t, "run_command", `{"command":"go vet","step":"s1"}`)
	r := b.call(t, "run_command", `{"command":"go test"}`) // takes the step that was named last
	if !strings.HasSuffix(r.Text, "\nIt belongs to step s1, since the call names none.") {
		t.Errorf("%s", r.Text)
	}
	got := fmt.Sprintf("%s", b.env.Draft.Operations())
	want := `[{ s1 edit_file a.go  {"path":"./a.go","old_string":"One","new_string":"Two"}} ` +
		`{ s2 text_editor n  {"command":"create","file_text":"x","path":"n","step":"s2"}} ` +
		`{ s1 run_command  go vet {"command":"go vet","step":"s1"}} { s1 run_command  go test {"command":"go test"}}]`
	if got != want {
		t.Errorf("operations\n%s\nwant\n%s", got, want)
	}
}

func TestListsAreBounded(t *testing.T) {
	many := map[string]string{}
	for i := range 1100 {
		many[fmt.Sprintf("%s/%04d.txt", strings.Repeat("d", 100), i)] = "needle " + strings.Repeat("z", 300) + "\n"
	}
	b := newBench(t, many)
	for call, arguments := range map[string]string{"list_files": `{}`, "search": `{"pattern":"needle"}`, "search files": `{"pattern":"needle","files_only":true}`} {
		r := b.call(t, strings.Fields(call)[0], arguments)
		if len(r.Text) > 16_000 {
			t.Errorf("%s answers %d bytes", call, len(r.Text))
		}
		shown, more, ok := strings.Cut(r.Text, "… ")
		var left int
		if _, err := fmt.Sscan(more, &left); !ok || err != nil || left != 1100-strings.Count(shown, "\n") {
			t.Errorf("%s shows %d rows and says %.60q", call, strings.Count(shown, "\n"), more)
		}
	}
}

func TestNamesWithLineEnds(t *testing.T) {
	b := newBench(t, nil)
	b.call(t, "write_file", `{"path":"a\nb:1: forged","content":"alpha\n"}`)
	if r := b.call(t, "search", `{"pattern":"alpha"}`); strings.Contains(r.Text, "\n") {
		t.Errorf("search answers %q, want one line", r.Text)
	}
	if r := b.call(t, "list_files", `{}`); strings.Contains(r.Text, "\n") {
		t.Errorf("list answers %q, want one line", r.Text)
	}
}

func TestCancelled(t *testing.T) {
	b := newBench(t, files)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	found, _ := tool.Find(tool.All(), "search")
	if r := found.Run(ctx, b.env, json.RawMessage(`{"pattern":"alpha"}`)); !r.IsError {
		t.Errorf("a cancelled search answers %q", r.Text)
	}
}

// FuzzArguments checks that a tool answers any arguments, and with a bounded text.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `[]`, `{}`, `{"path":"a.go"}`, `{"path":"dir/b.txt","start_line":-9223372036854775808,"end_line":"1"}`,
		`{"path":"open.txt","command":"insert","insert_line":1,"insert_text":""}`, `{"path":"dir/b.txt","command":"view","view_range":[3,-2]}`,
		`{"path":"dir/b.txt","old_string":"a","new_string":"\u0000","replace_all":true}`, `{"path":"a.go","new_path":"a.go/x"}`,
		`{"path":"\ud800","content":"\n"}`, `{"path":"file:///etc/passwd"}`, `{"pattern":"\\xff","regex":true}`, `{"command":"\u2028"}`,
	} {
		f.Add(seed)
	}
	b := newBench(f, files)
	f.Fuzz(func(t *testing.T, arguments string) {
		b.env.Draft = draft.New(b.ws)
		for _, each := range tool.All() {
			r := each.Run(t.Context(), b.env, json.RawMessage(arguments))
			if len(r.Text) > tool.MaxResult || r.Summary == "" || strings.ContainsAny(r.Summary, "\n\r") {
				t.Errorf("%s answers %d bytes, summary %q", each.Name, len(r.Text), r.Summary)
			}
			if r.IsError == (r.Staged != nil) && each.Buffered && each.Name != "text_editor" {
				t.Errorf("%s answers %q and stages %v", each.Name, r.Text, r.Staged)
			}
		}
		if _, err := b.env.Draft.Seal(func(path string) (string, bool, uint32, error) {
			file, err := b.ws.Read(path)
			return file.Text, file.Exists, uint32(file.Mode.Perm()), err
		}); err != nil {
			t.Errorf("the draft cannot be sealed: %v", err)
		}
	})
}

func BenchmarkCall(b *testing.B) {
	lines := strings.Repeat("a line of usual length, or nearly so\n", 1000)
	for _, bench := range []struct{ name, tool, arguments string }{
		{"read", "read_file", `{"path":"big.txt"}`},
		{"edit", "edit_file", `{"path":"big.txt","old_string":"NEEDLE","new_string":"haystack"}`},
		{"refused", "edit_file", `{"path":"big.txt","old_string":"a line of unusual length, or nearly so","new_string":"x"}`},
	} {
		b.Run(bench.name, func(b *testing.B) {
			ws := newBench(b, map[string]string{"big.txt": lines + "NEEDLE\n" + lines})
			for b.Loop() {
				ws.env.Draft = draft.New(ws.ws)
				ws.call(b, bench.tool, bench.arguments)
			}
		})
	}
}
