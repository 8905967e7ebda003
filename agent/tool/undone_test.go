package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"redline/agent/tool"
)

// TestRefusedCallsAreLeftUndone checks what is recorded of a refused call: its tool, the file and
// the reason, without what the model is told to do. A call that looks, or that was to change
// nothing, loses nothing.
func TestRefusedCallsAreLeftUndone(t *testing.T) {
	for _, test := range []struct{ name, arguments, want string }{
		{"edit_file", `{"path":"./dir/b.txt","old_string":"nope","new_string":"x"}`, "edit_file of dir/b.txt: The text to replace was not found, and nothing in the file is much like it."},
		{"edit_file", `{"path":"dir/b.txt","old_string":"alpha","new_string":"x"}`, "edit_file of dir/b.txt: The text to replace was found in 2 places, on lines 1 and 3."},
		{"edit_file", `{"file_path":"dir/b.txt","old_str":"nope"}`, `edit_file of dir/b.txt: the argument "new_string" is missing`},
		{"edit_file", `{"old_string":"beta","new_string":"x"}`, `edit_file of : the argument "path" is missing`},
		{"edit_file", `[1]`, "edit_file of : the arguments are not a JSON object"},
		{"edit_file", `{"path":"dir/b.txt","old_string":"beta","new_string":"x","only":"line 2","section":"top"}`, `edit_file of dir/b.txt: edit_file has no argument "only" or "section", and to leave it out would change what the call covers`},
		{"edit_file", `{"path":"dir/b.txt","old_string":"beta","new_string":"beta"}`, ""},
		{"edit_file", `{"path":"dir/b.txt","old_string":"Beta of old","new_string":"alpha\nbeta"}`, ""},
		{"text_editor", `{"command":"insert","path":"dir/b.txt","insert_line":9,"insert_text":"x"}`, "text_editor of dir/b.txt: there is no line 9 to insert after: the file has 3 lines"},
		{"text_editor", `{"command":"view","path":"none"}`, ""},
		{"write_file", `{"path":"../x","content":"x"}`, "write_file of ../x: ../x is outside the workspace"},
		{"write_file", `{"path":"dir/b.txt","content":"alpha\nbeta\nalpha\n"}`, ""},
		{"write_file", `{"path":"dir","content":"x"}`, "write_file of dir: dir is a folder"},
		{"delete_file", `{"path":"none"}`, "delete_file of none: none does not exist"},
		{"rename_file", `{"path":"a.go","new_path":"dir/b.txt"}`, "rename_file of a.go: dir/b.txt exists already"},
		{"rename_file", `{"path":"a.go","new_path":"a.go"}`, ""},
		{"apply_patch", `{"patch":"a.go\n<<<<<<< SEARCH\none\n>>>>>>> REPLACE\n"}`, "apply_patch of a.go: The block on line 2 of the patch has no line ======= between the text and the new text."},
		{"apply_patch", `{"patch":"words"}`, "apply_patch of : "},
		{"run_command", `{"command":"make","cwd":"../x"}`, "run_command of : ../x is outside the workspace"},
		{"run_command", `{"command":" "}`, "run_command of : the command is empty"},
		{"submit_plan", `{"goal":"x","steps":[]}`, "submit_plan of : the plan has no steps"},
		{"read_file", `{"path":"none"}`, ""},
		{"outline", `{"path":"none"}`, ""},
	} {
		t.Run(test.name+test.arguments, func(t *testing.T) {
			b := newBench(t, files)
			if r := b.call(t, test.name, test.arguments); !r.IsError {
				t.Fatalf("it was not refused: %s", r.Text)
			}
			var got []string
			for _, r := range b.env.Draft.Refused(true) {
				got = append(got, fmt.Sprintf("%s of %s: %s", r.Tool, r.Path, r.Reason))
			}
			if all := strings.Join(got, "\n"); !strings.HasPrefix(all, test.want) || test.want == "" && all != "" {
				t.Errorf("left undone: %q, want %q", all, test.want)
			}
			again := newBench(t, files)
			again.env.Again = true
			again.call(t, test.name, test.arguments)
			if left := again.env.Draft.Refused(true); left != nil {
				t.Errorf("staged again, left undone: %v", left)
			}
		})
	}
}

// TestCallsWithoutAFileAreMadeGood checks what makes a refused call good that has no file: the same
// command, the steps, a tool's next call with a file.
func TestCallsWithoutAFileAreMadeGood(t *testing.T) {
	for _, test := range []struct {
		refused, later string // tool and arguments
		left           bool
	}{
		{`run_command {"command":"go test ./...","cwd":"../x"}`, `run_command {"command":"go test ./..."}`, false},
		{`run_command {"command":"go test ./...","cwd":"../x"}`, `run_command {"command":"go test -v ./..."}`, false},
		{`run_command {"command":"go test ./...","cwd":"../x"}`, `run_command {"command":"npm ci"}`, true},
		{`run_command {"command":"go test ./...","cwd":"../x"}`, `write_file {"path":"n.txt","content":"go test ./...\n"}`, true},
		{`submit_plan {"goal":"x","steps":[]}`, `submit_plan {"goal":"x","steps":[{"id":"s1","description":"x"}]}`, false},
		{`submit_plan {"goal":"x","steps":[]}`, `write_file {"path":"n.txt","content":"x\n"}`, true},
		{`edit_file [1]`, `edit_file {"path":"dir/b.txt","old_string":"beta","new_string":"x"}`, false},
		{`edit_file [1]`, `write_file {"path":"n.txt","content":"x\n"}`, true},
		{`edit_file {"old_string":"beta","new_string":"gamma ray"}`, `edit_file {"path":"dir/b.txt","old_string":"beta","new_string":"gamma ray"}`, false},
		{`edit_file {"old_string":"beta","new_string":"gamma ray"}`, `edit_file {"path":"a.go","old_string":"T struct","new_string":"U struct"}`, true},
	} {
		t.Run(test.refused+" "+test.later, func(t *testing.T) {
			b := newBench(t, files)
			name, arguments, _ := strings.Cut(test.refused, " ")
			b.call(t, name, arguments)
			name, arguments, _ = strings.Cut(test.later, " ")
			if r := b.call(t, name, arguments); r.IsError {
				t.Fatal(r.Text)
			}
			if left := b.env.Draft.Refused(true); (len(left) > 0) != test.left {
				t.Errorf("left undone: %v", left)
			}
		})
	}
}

// TestUnstagingIsLeftUndone checks that operations that were to be taken out are named, until some
// are.
func TestUnstagingIsLeftUndone(t *testing.T) {
	b := newBench(t, files)
	take := tool.Unstage(func(names []string) (string, error) {
		if names[0] != "n1" {
			return "", fmt.Errorf("nothing is staged as %q; staged are:\nn1", names[0])
		}
		return "taken out", nil
	})
	take.Run(t.Context(), b.env, json.RawMessage(`{"operations":["n7"]}`))
	if left := b.env.Draft.Refused(true); len(left) != 1 || left[0].String() != `Left out: taking out what is staged, since it was refused: nothing is staged as "n7".` {
		t.Errorf("left undone: %v", left)
	}
	b.env.Draft.Told()
	take.Run(t.Context(), b.env, json.RawMessage(`{"operations":["n1"]}`))
	if left := b.env.Draft.Refused(true); left != nil {
		t.Errorf("left undone: %v", left)
	}
}

// TestCallsOfMissingToolsAreLeftUndone checks that a call of a tool that the turn does not have
// counts if it was to change something.
func TestCallsOfMissingToolsAreLeftUndone(t *testing.T) {
	for call, want := range map[string]string{
		`edit_file {"path":"a.go","old_string":"x","new_string":"y"}`: "a.go",
		`delete_file {"path":"a.go"}`:                                 "a.go",
		`write_to_file {"path":"a.go","content":"x"}`:                 "a.go",
		`Edit {"file_path":"a.go","old_string":"x","new_string":"y"}`: "a.go",
		`echo {"text":"x"}`:                                           "",
		`look {"path":"a.go"}`:                                        "",
		`read_file {"path":"a.go"}`:                                   "",
		`mcp__notes__note {"content":"x"}`:                            "",
	} {
		b := newBench(t, files)
		name, arguments, _ := strings.Cut(call, " ")
		tool.RecordWithheld(b.env, name, json.RawMessage(arguments), "there is no such tool")
		got := ""
		for _, r := range b.env.Draft.Refused(true) {
			got += r.Path
		}
		if got != want {
			t.Errorf("%s: left undone are %q, want %q", call, got, want)
		}
	}
}

// TestACancelledCallIsNotRefused checks that the end of a turn is no refusal.
func TestACancelledCallIsNotRefused(t *testing.T) {
	b := newBench(t, files)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	found, _ := tool.Find(tool.All(), "edit_file")
	found.Run(ctx, b.env, json.RawMessage(`{"path":"a.go","old_string":"nope","new_string":"y"}`))
	if left := b.env.Draft.Refused(true); left != nil {
		t.Errorf("left undone: %v", left)
	}
}
