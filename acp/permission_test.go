package acp_test

import (
	"context"
	"strings"
	"testing"

	acpsdk "github.com/coder/acp-go-sdk"

	"redline/acp/acptest"
	"redline/agent/agenttest"
)

// The user is asked about each changed file, with its diff, and then all that was approved is applied.
func TestEachFileIsAQuestion(t *testing.T) {
	p := open(t)
	p.plans()
	if stop := p.Prompt(p.session, "rename Total to Add"); stop != acpsdk.StopReasonEndTurn {
		t.Errorf("it stopped with %s", stop)
	}
	asked := p.Asked()
	if len(asked) != 3 {
		t.Fatalf("%d questions: %+v", len(asked), asked)
	}
	for i, want := range []struct{ path, title, old, now string }{
		{"shop.go", "Change shop.go", files["shop.go"], strings.ReplaceAll(files["shop.go"], "Total(", "Add(")},
		{"notes.md", "Change notes.md", files["notes.md"], strings.Replace(files["notes.md"], "Nothing yet", "Total is Add", 1)},
		{"new.md", "Create new.md", "", "New.\n"},
	} {
		call := asked[i].ToolCall
		path := p.dir + "/" + want.path
		if *call.Title != want.title || *call.Kind != acpsdk.ToolKindEdit || len(call.Locations) != 1 || call.Locations[0].Path != path {
			t.Errorf("question %d is %+v", i, call)
		}
		if len(call.Content) != 1 || call.Content[0].Diff == nil {
			t.Fatalf("question %d has no diff: %+v", i, call)
		}
		if d := call.Content[0].Diff; d.Path != path || d.OldText == nil || *d.OldText != want.old || d.NewText != want.now {
			t.Errorf("the diff of %s is %+v", want.path, d)
		}
		if got := p.read(want.path); got != want.now {
			t.Errorf("%s is\n%s", want.path, got)
		}
		if status, _ := p.Status(call.ToolCallId); status != acpsdk.ToolCallStatusCompleted {
			t.Errorf("%s is %s", want.path, status)
		}
	}
	p.says("Plan 1 is completed.")
}

// One answer for each file; what is approved is applied, what is rejected is not.
func TestFilesAreDecidedOneByOne(t *testing.T) {
	for _, tt := range []struct {
		name    string
		answers []string
		applied []string
		says    string
	}{
		{"the first alone", []string{"approve-file", "reject-file", "reject-file"}, []string{"shop.go"}, "Plan 1 is completed."},
		{"the rest", []string{"reject-file", "approve-rest"}, []string{"notes.md", "new.md"}, "Plan 1 is completed."},
		{"all at once", []string{"approve-rest"}, []string{"shop.go", "notes.md", "new.md"}, "Plan 1 is completed."},
		{"none", []string{"reject-file", "reject-file", "reject-file"}, nil, "Plan 1 is cancelled."},
		{"the plan", []string{"approve-file", "reject-plan"}, nil, "Plan 1 is cancelled."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := open(t)
			p.plans()
			p.answers(tt.answers...)
			p.Prompt(p.session, "rename Total to Add")
			for _, name := range []string{"shop.go", "notes.md", "new.md"} {
				applied := false
				for _, a := range tt.applied {
					applied = applied || a == name
				}
				if changed := p.read(name) != files[name]; changed != applied {
					t.Errorf("%s: changed is %v", name, changed)
				}
			}
			p.says(tt.says)
		})
	}
}

// Only the exact id of an option approves.
func TestOtherAnswersApproveNothing(t *testing.T) {
	type m = map[string]any
	for name, answer := range map[string]any{
		"cancelled":            acptest.Cancelled(),
		"no id":                m{"outcome": m{"outcome": "selected"}},
		"an empty id":          m{"outcome": m{"outcome": "selected", "optionId": ""}},
		"another id":           m{"outcome": m{"outcome": "selected", "optionId": "approve"}},
		"the id in capitals":   m{"outcome": m{"outcome": "selected", "optionId": "APPROVE-FILE"}},
		"an id with a space":   m{"outcome": m{"outcome": "selected", "optionId": "approve-file "}},
		"the kind":             m{"outcome": m{"outcome": "selected", "optionId": "allow_once"}},
		"an id of commands":    m{"outcome": m{"outcome": "selected", "optionId": "run-command"}},
		"an unknown outcome":   m{"outcome": m{"outcome": "allowed", "optionId": "approve-file"}},
		"both outcomes":        m{"outcome": m{"outcome": "cancelled", "optionId": "approve-file"}},
		"no outcome":           m{},
		"a text":               "approve-file",
		"nothing":              nil,
		"a list":               []string{"approve-file"},
		"an id without a kind": m{"outcome": m{"optionId": "approve-file"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t)
			p.plans()
			p.OnPermission = func(context.Context, acpsdk.RequestPermissionRequest) (any, error) { return answer, nil }
			p.Prompt(p.session, "rename Total to Add")
			p.unchanged()
			if n := len(p.Asked()); n != 1 {
				t.Errorf("%d questions", n)
			}
			p.says("Plan 1 waits: decide on it in your editor, with redline review 1")
		})
	}
}

// What an editor would not show is written out in the diff and in the command that the user is asked about.
func TestHiddenCharactersAreShown(t *testing.T) {
	p := open(t)
	p.model.Stages(agenttest.Edit("notes.md", "Nothing yet.", "if admin\u202e {"), agenttest.Command("echo a\u200bb"))
	p.answers("reject-file", "reject-command")
	p.Prompt(p.session, "change the notes")
	asked := p.Asked()
	if len(asked) != 2 {
		t.Fatalf("%d questions: %s", len(asked), p.Said())
	}
	if d := asked[0].ToolCall.Content[0].Diff; !strings.Contains(d.NewText, "admin⟨U+202E⟩ {") {
		t.Errorf("the diff is %q", d.NewText)
	}
	if title, input := *asked[1].ToolCall.Title, asked[1].ToolCall.RawInput.(map[string]any)["command"]; title != "echo a⟨U+200B⟩b" || input != title {
		t.Errorf("the command is %q, %q", title, input)
	}
}

// A file that would not parse is named before the user is asked.
func TestAFileThatDoesNotParse(t *testing.T) {
	p := open(t)
	p.model.Stages(agenttest.Edit("shop.go", "return a + b }", "return a + b"))
	p.answers("reject-plan")
	p.Prompt(p.session, "change the shop")
	p.says("shop.go does not parse as proposed: ")
}
