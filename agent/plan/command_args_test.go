package plan_test

import (
	"encoding/json"
	"testing"
	"time"

	"redline/agent/plan"
)

func TestFolder(t *testing.T) {
	for _, c := range []struct {
		args, folder, in string
	}{
		{`{"command":"make"}`, "", ""},
		{`{"command":"make","cwd":""}`, "", ""},
		{`{"command":"make","cwd":"."}`, "", ""},
		{`{"command":"make","cwd":"./"}`, "", ""},
		{`{"command":"make","cwd":null}`, "", ""},
		{`{"command":"make","cwd":7}`, "", ""},
		{`{"command":"make","cwd":"tools"}`, "tools", " in tools"},
		{`{"command":"make","cwd":"./tools//ci/../ci/"}`, "tools/ci", " in tools/ci"},
		{`{"command":"make","cwd":"tools\\ci"}`, "tools/ci", " in tools/ci"},
		{`{"command":"make","cwd":"../out"}`, "../out", " in ../out"},
		{`{"command":"make","Cwd":"evil"}`, "", ""}, // no reader may take another name for it
		{`{"command":"make","cwd":"a","CWD":"evil"}`, "a", " in a"},
		{`{"command":"make","cwd":"ä ö"}`, "ä ö", ` in "ä ö"`},
		{`{"command":"make","cwd":"a: true"}`, "a: true", ` in "a: true"`},
		{`{"command":"make","cwd":"a\nb"}`, "a\nb", ` in "a\nb"`},
		{`{"command":"make","cwd":"a\u202eb"}`, "a\u202eb", ` in "a\u202eb"`},
		{`null`, "", ""},
		{``, "", ""},
	} {
		o := plan.Operation{Tool: "run_command", Command: "make", Args: json.RawMessage(c.args)}
		if got := o.Folder(); got != c.folder {
			t.Errorf("%s: folder %q, want %q", c.args, got, c.folder)
		}
		if got := plan.InFolder(o.Folder()); got != c.in {
			t.Errorf("%s: %q, want %q", c.args, got, c.in)
		}
	}
	for name, o := range map[string]plan.Operation{
		"an edit":              {Tool: "edit_file", Args: json.RawMessage(`{"cwd":"tools"}`)},
		"a call of a server":   {Tool: "mcp__x__y", Command: "mcp__x__y '{}'", Args: json.RawMessage(`{"cwd":"tools"}`)},
		"a command without it": {Tool: "run_command", Command: "make"},
	} {
		if got := o.Folder(); got != "" {
			t.Errorf("%s has the folder %q", name, got)
		}
	}
	if got := plan.CommandIn("./build.sh", "evil"); got != "in evil: ./build.sh" {
		t.Error(got)
	}
	if got := plan.CommandIn("make", ""); got != "make" {
		t.Error(got)
	}
}

func TestReadCommandArgs(t *testing.T) {
	for args, want := range map[string]plan.CommandArgs{
		`{"command":"x"}`: {},
		`{"cwd":"a/b","timeout_seconds":1.5,"on_failure":"continue"}`: {Cwd: "a/b", Timeout: 1500 * time.Millisecond, Continues: true},
		`{"timeout_seconds":-1,"on_failure":"never"}`:                 {},
		`{"timeout_seconds":"2"}`:                                     {Timeout: 2 * time.Second},
		`{"timeout_seconds":"x"}`:                                     {},
		`{"Timeout_seconds":2,"ON_FAILURE":"continue"}`:               {},
	} {
		if got, err := plan.ReadCommandArgs(json.RawMessage(args)); got != want || err != nil {
			t.Errorf("%s: %+v, %v, want %+v", args, got, err, want)
		}
	}
	if got, err := plan.ReadCommandArgs(json.RawMessage("nonsense")); got != (plan.CommandArgs{}) || err == nil {
		t.Errorf("nonsense: %+v, %v", got, err)
	}
}
