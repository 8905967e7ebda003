package tool_test

import (
	"encoding/json"
	"strings"
	"testing"

	"redline/agent/tool"
)

// Arguments under the names that other tools have for them, and arguments that no tool has.
func TestArgumentsOfOtherTools(t *testing.T) {
	for _, c := range []struct{ tool, arguments, same string }{
		{"read_file", `{"file_path":"dir/b.txt"}`, `{"path":"dir/b.txt"}`},
		{"read_file", `{"filePath":"dir/b.txt","path":"dir/b.txt"}`, `{"path":"dir/b.txt"}`},
		{"read_file", `{"path_str":"dir/b.txt"}`, `{"path":"dir/b.txt"}`},
		{"read_file", `{"path":["dir/b.txt"]}`, `{"path":"dir/b.txt"}`},
		{"read_file", `{"target_file":"dir/b.txt","start_line_one_indexed":2,"end_line_one_indexed_inclusive":2,"should_read_entire_file":false}`, `{"path":"dir/b.txt","start_line":2,"end_line":2}`},
		{"read_file", `{"target_file":"dir/b.txt","start_line_one_indexed":2,"end_line_one_indexed_inclusive":2,"should_read_entire_file":true}`, `{"path":"dir/b.txt"}`},
		{"read_file", `{"path":"dir/b.txt","offset":2,"limit":1}`, `{"path":"dir/b.txt","start_line":2,"end_line":2}`},
		{"read_file", `{"path":"dir/b.txt","offset":"2"}`, `{"path":"dir/b.txt","start_line":2}`},
		{"read_file", `{"path":"dir/b.txt","limit":2}`, `{"path":"dir/b.txt","end_line":2}`},
		{"read_file", `{"path":"dir/b.txt","offset":null,"limit":null}`, `{"path":"dir/b.txt"}`},
		{"read_file", `{"path":"dir/b.txt","view_range":[1,2]}`, `{"path":"dir/b.txt","ranges":[[1,2]]}`},
		{"read_file", `{"path":"dir/b.txt","line_range":"1-2"}`, `{"path":"dir/b.txt","ranges":[[1,2]]}`},
		{"read_file", `{"path":"dir/b.txt","ranges":["1-1","3"]}`, `{"path":"dir/b.txt","ranges":[[1,1],[3,3]]}`},
		{"read_file", `{"path":"dir/b.txt","ranges":"1-1, 3-3"}`, `{"path":"dir/b.txt","ranges":[[1,1],[3,3]]}`},
		{"read_file", `{"path":"dir/b.txt","ranges":[{"start":1,"end":1},{"start_line":3,"end_line":3}]}`, `{"path":"dir/b.txt","ranges":[[1,1],[3,3]]}`},
		{"list_files", `{"relative_workspace_path":"dir","recursive":true}`, `{"path":"dir"}`},
		{"list_files", `{"directory":"dir","pattern":"*.c"}`, `{"path":"dir","glob":"*.c"}`},
		{"list_files", `{"glob":"*.go, *.md"}`, `{"glob":"*.{go,md}"}`},
		{"search", `{"query":"alpha","include_pattern":"*.txt","exclude_pattern":"crlf*","case_sensitive":false}`, `{"pattern":"alpha","glob":"*.txt","exclude":["crlf*"],"ignore_case":true}`},
		{"search", `{"regex":"^b.t","path":"dir","file_pattern":"*.txt"}`, `{"pattern":"^b.t","regex":true,"path":"dir","glob":"*.txt"}`},
		{"search", `{"pattern":"beta","-i":true,"-C":1}`, `{"pattern":"beta","ignore_case":true,"context":1}`},
		{"search", `{"pattern":"beta","-A":1,"-B":0}`, `{"pattern":"beta","context":1}`},
		{"search", `{"pattern":"alpha","output_mode":"files_with_matches","type":"txt"}`, `{"pattern":"alpha","files_only":true,"glob":"*.txt"}`},
		{"search", `{"pattern":"alpha","in":"dir","glob":["*.txt"]}`, `{"pattern":"alpha","path":"dir","glob":"*.txt"}`},
		{"search", `{"pattern":"Title","type":"markdown"}`, `{"pattern":"Title","glob":"*.md"}`},
		{"search", `{"pattern":"alpha","output_mode":"content"}`, `{"pattern":"alpha"}`},
		{"search", `{"pattern":"alpha","glob":["*.txt","*.md"]}`, `{"pattern":"alpha","glob":"{*.txt,*.md}"}`},
		{"edit_file", `{"file_path":"a.go","old_str":"One","new_str":"Two"}`, `{"path":"a.go","old_string":"One","new_string":"Two"}`},
		{"write_file", `{"filename":"n.txt","contents":"x\n"}`, `{"path":"n.txt","content":"x\n"}`},
		{"rename_file", `{"source":"a.go","destination":"b.go"}`, `{"path":"a.go","new_path":"b.go"}`},
		{"run_command", `{"cmd":"go vet","workdir":"dir"}`, `{"command":"go vet","cwd":"dir"}`},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Delete File: a.go\n*** End Patch\n"}`, `{"patch":"*** Begin Patch\n*** Delete File: a.go\n*** End Patch\n"}`},
	} {
		b, other := newBench(t, files), newBench(t, files)
		got, want := b.call(t, c.tool, c.arguments), other.call(t, c.tool, c.same)
		if got.Text != want.Text || want.IsError {
			t.Errorf("%s %s answers\n%s\nand with %s\n%s", c.tool, c.arguments, got.Text, c.same, want.Text)
		}
		for i, o := range other.env.Draft.Operations() {
			if recorded := b.env.Draft.Operations()[i]; !sameJSON(t, recorded.Args, o.Args) {
				t.Errorf("%s %s is recorded as %s", c.tool, c.arguments, recorded.Args)
			}
		}
	}
}

func sameJSON(t *testing.T, a, b json.RawMessage) bool {
	t.Helper()
	var x, y map[string]any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		t.Fatalf("%s or %s is no object", a, b)
	}
	m, _ := json.Marshal(x)
	n, _ := json.Marshal(y)
	return string(m) == string(n)
}

func TestArgumentsThatNoToolHas(t *testing.T) {
	for _, c := range []struct{ tool, arguments, want string }{
		// An argument that narrows down the call is refused by name.
		{"search", `{"pattern":"alpha","only_in":"dir"}`, `error: search has no argument "only_in", and to leave it out would change what the call covers; the arguments are pattern, path, glob,`},
		{"read_file", `{"path":"a.go","symbol":"One"}`, `"symbol"`},
		{"list_files", `{"path":".","max_depth":1,"ignore":["x"]}`, `"ignore" or "max_depth"`},
		{"list_files", `{"path":".","recursive":false}`, `"recursive" can only be true`},
		{"edit_file", `{"path":"a.go","old_string":"One","new_string":"Two","start_line":3}`, `"start_line"`},
		{"search", `{"pattern":"alpha","path":"dir","dir":"."}`, `"path" and "dir" are the same argument and have different values`},
		{"read_file", `{"path":"a.go","ranges":[[1,2]],"start_line":1}`, `either ranges, or start_line and end_line`},
		{"read_file", `{"path":"a.go","ranges":"some"}`, `the argument "ranges" must be a list of pairs of line numbers`},
		{"read_file", `{"path":"a.go","ranges":[[9,10]]}`, `error: a.go has only 5 lines, so there is no range 9-10`},
		{"read_file", `{"path":"a.go","ranges":[[1,1],[9,10],[4,2]]}`, "[lines 1-1 of 5]\npackage a\n[no lines 9-10: a.go has only 5 lines, so there is no range 9-10]\n[no lines 4-2: the last line is before the first]"},
		{"read_file", `{"path":"a.go","limit":0}`, `"limit" must be 1 or more`},
		{"search", `{"pattern":"beta","PATHS":["dir"]}`, `"PATHS"`},
		{"search", `{"pattern":"beta","whole_word":true}`, `"whole_word"`},
		{"search", `{"pattern":"beta","glob":"dir/**","type":"txt"}`, `give either "glob" or "type"`},
		{"search", `{"pattern":"alpha","path":"dir/b.txt","glob":"*.go"}`, "no matches, but in other files (without path, glob and exclude), 2 lines match: dir/b.txt"},
		{"read_file", `{"path":"a.go","start_line":1,"offset":3}`, `"offset" and "start_line" both say where to begin`},
		{"read_file", `{"path":"a.go","end_line":3,"limit":1}`, `"limit" and "end_line" both say where to end`},
		// Any other unknown argument is ignored, and the answer says so.
		{"search", `{"pattern":"beta","fuzzy":true,"colour":"red"}`, "dir/b.txt:2: beta\n[not used: colour, fuzzy]"},
		{"edit_file", `{"path":"a.go","old_string":"One","new_string":"Two","dry_run":false}`, "[not used: dry_run]"},
		{"search", `{"pattern":"beta","include_dirs":[],"root":""}`, "dir/b.txt:2: beta"},
		// A reason is taken as such.
		{"search", `{"pattern":"beta","explanation":"to find it"}`, "dir/b.txt:2: beta"},
		{"read_file", `{"path":"dir/b.txt","thought":"look","reason":"twice"}`, "alpha\nbeta\nalpha\n"},
	} {
		b := newBench(t, files)
		r := b.call(t, c.tool, c.arguments)
		if !strings.Contains(r.Text, c.want) || strings.Contains(r.Text, "explanation") || strings.Contains(r.Text, "thought") {
			t.Errorf("%s %s answers\n%s\nwant\n%s", c.tool, c.arguments, r.Text, c.want)
		}
	}
}

// The reason for a buffered call is recorded under one name, whatever the model called it.
func TestReasonsAreRecorded(t *testing.T) {
	b := newBench(t, files)
	b.call(t, "run_command", `{"command":"go vet","description":"Vet it\nall"}`)
	b.call(t, "edit_file", `{"path":"a.go","old_string":"One","new_string":"Two","explanation":"a better name"}`)
	b.call(t, "delete_file", `{"path":"empty"}`)
	var notes []string
	for _, o := range b.env.Draft.Operations() {
		notes = append(notes, o.Note())
	}
	if got := strings.Join(notes, "|"); got != "Vet it|a better name|" {
		t.Errorf("notes are %q", got)
	}
}

// What was recorded before an argument was refused can still be staged again.
func TestRecordedArgumentsAreNotRefused(t *testing.T) {
	b := newBench(t, files)
	b.env.Again = true
	r := b.call(t, "edit_file", `{"path":"a.go","old_string":"One","new_string":"Two","line_hint":3,"explanation":"x"}`)
	if r.IsError || string(b.env.Draft.Operations()[0].Args) != `{"path":"a.go","old_string":"One","new_string":"Two","line_hint":3,"explanation":"x"}` {
		t.Errorf("answers %s and records %s", r.Text, b.env.Draft.Operations())
	}
}

// Tool and argument names of other programs are accepted if Redline has such a tool.
func TestOtherNames(t *testing.T) {
	for _, c := range []struct{ name, arguments, want string }{
		{"textEditor", `{"command":"view","path":"dir/b.txt"}`, "alpha\nbeta\nalpha\n"},
		{"textEditor", `{"command":"str_replace","path":"dir/b.txt","oldStr":"beta","newStr":"b"}`, "staged: text_editor dir/b.txt"},
		{"text_editor_20241022", `{"command":"create","path":"n.txt","content":"x"}`, "staged: create n.txt"},
		{"str_replace_editor", `{"command":"insert","path":"dir/b.txt","insert_line":0,"new_str":"x"}`, "staged: text_editor dir/b.txt"},
		{"read_file", `{"path_str":"dir/b.txt","max_chars":5}`, "alpha\n… cut after 5 characters, as max_chars says"},
		{"read_file", `{"path_str":"dir/b.txt","max_chars":4000}`, "alpha\nbeta\nalpha\n"},
	} {
		if r := newBench(t, files).call(t, c.name, c.arguments); !strings.HasPrefix(r.Text, c.want) {
			t.Errorf("%s %s answers\n%s\nwant\n%s", c.name, c.arguments, r.Text, c.want)
		}
	}
	with := append(tool.All(), tool.FetchURL())
	if found, ok := tool.Find(with, "http_get"); !ok || found.Name != "fetch_url" {
		t.Errorf("http_get is %q, %v", found.Name, ok)
	}
	for _, name := range []string{"http_get", "echo", "text_editors", ""} {
		if found, ok := tool.Find(tool.All(), name); ok {
			t.Errorf("%q is %s", name, found.Name)
		}
	}
	if found, _ := tool.Find(append(with, tool.Tool{Name: "http_get", Description: "a server's"}), "http_get"); found.Description != "a server's" {
		t.Errorf("the tool with the very name is %q", found.Name)
	}
}

// A note is stored among the arguments, unless they already have one or are another program's.
func TestNoted(t *testing.T) {
	edit, _ := tool.Find(tool.All(), "edit_file")
	for _, c := range []struct {
		tool            tool.Tool
		raw, note, want string
	}{
		{edit, `{"path":"a"}`, " <why>\n", `{"note":"<why>","path":"a"}`},
		{edit, `{"path":"a"}`, " ", `{"path":"a"}`},
		{edit, `{"path":"a","explanation":"so"}`, "why", `{"path":"a","explanation":"so"}`},
		{edit, `[1]`, "why", `[1]`},
		{tool.Tool{Name: "a server's"}, `{"path":"a"}`, "why", `{"path":"a"}`},
	} {
		if got := string(c.tool.Noted(json.RawMessage(c.raw), c.note)); got != c.want {
			t.Errorf("%s with the note %q is %s, want %s", c.raw, c.note, got, c.want)
		}
	}
}
