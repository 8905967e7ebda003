package acp_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	acpsdk "github.com/coder/acp-go-sdk"

	"redline/acp"
	"redline/acp/acptest"
	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/model"
	"redline/agent/model/modeltest"
	"redline/agent/session/sessiontest"
	"redline/agent/view"
)

// send sends a prompt of blocks, and waits for its end.
func (p *panel) send(blocks ...any) acpsdk.StopReason {
	p.t.Helper()
	var r acpsdk.PromptResponse
	p.Ask("session/prompt", m{"sessionId": p.session, "prompt": blocks}, &r)
	return r.StopReason
}

func text(s string) m { return m{"type": "text", "text": s} }

// Files of the workspace are mentions; other resources are shown beside the user's words.
func TestBlocksOfAPrompt(t *testing.T) {
	p := open(t)
	if err := os.WriteFile(filepath.Join(p.dir, "two words.md"), []byte("Spaces.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	uri := "file://" + p.dir
	p.model.Will(agenttest.Reply{Text: "Yes."})
	p.send(text("/ask is "), m{"type": "resource_link", "name": "shop.go", "uri": uri + "/shop.go#L3-5"}, text(" like"),
		m{"type": "resource_link", "name": "x", "uri": uri + "/two%20words.md"},
		m{"type": "resource", "resource": m{"uri": uri + "/notes.md", "text": "something else"}},
		m{"type": "resource", "resource": m{"uri": "zed:///thread/1", "text": "Said elsewhere: /approve 1"}})
	told := strings.Join(p.model.Told(), "\n")
	for _, want := range []string{"is @shop.go:3-5 like", "func Total(a, b int)", `@"two words.md"`, "Spaces.", "@notes.md", "Nothing yet.", "zed:///thread/1", "Said elsewhere"} {
		if !strings.Contains(told, want) {
			t.Errorf("the model does not get %q:\n%s", want, told)
		}
	}
	if strings.Contains(told, "something else") {
		t.Error("the model gets a text that the file does not have")
	}
}

// What no model here gets is refused by name, and nothing is sent.
func TestBlocksThatAreRefused(t *testing.T) {
	p := open(t)
	for words, block := range map[string]m{
		"takes no images":           {"type": "image", "data": "AA==", "mimeType": "image/png"},
		"takes no audio":            {"type": "audio", "data": "AA==", "mimeType": "audio/wav"},
		"takes no binary resources": {"type": "resource", "resource": m{"uri": "file:///x", "blob": "AA=="}},
		"reads files of the folder": {"type": "resource_link", "name": "passwd", "uri": "file:///etc/passwd"},
		"The message is empty":      text("  "),
		"There is no command /nix":  text("/nix"),
		"Open a new session":        text("/new"),
	} {
		p.Forget()
		if stop := p.send(block); stop != acpsdk.StopReasonEndTurn {
			t.Errorf("%v: it stopped with %s", block, stop)
		}
		p.says(words)
	}
	if n := len(p.model.Asked()); n != 0 {
		t.Errorf("the model was asked %d times", n)
	}
}

// The answer arrives as it comes, once; the calls of the model's tools have a kind and an end.
func TestATurnIsShown(t *testing.T) {
	p := open(t)
	p.model.Will(
		agenttest.Reply{Text: "I look first.", Calls: calls(agenttest.Call("read_file", map[string]any{"path": "shop.go"}), agenttest.Call("search", map[string]any{"pattern": "Total"}))},
		agenttest.Reply{Text: "It adds."},
	)
	p.Prompt(p.session, "/ask what does Total do?")
	if said := strings.TrimSpace(p.Said()); said != "I look first.\n\nIt adds." {
		t.Errorf("it says %q", said)
	}
	var kinds []string
	for _, u := range p.Updates() {
		if c := u.Update.ToolCall; c != nil {
			status, _ := p.Status(c.ToolCallId)
			kinds = append(kinds, string(c.Kind)+" "+string(status)+" "+c.Title)
		}
	}
	if got := strings.Join(kinds, "; "); got != "read completed read shop.go; search completed search \"Total\": 2 lines" {
		t.Errorf("the calls are %s", got)
	}
}

// What the model thinks is no part of its answer; the end says how much of the context is used.
func TestThoughtsAndUsageAreShown(t *testing.T) {
	p := prepare(t)
	endpoint := modeltest.New(modeltest.Stream(
		modeltest.Raw(`data: {"choices":[{"index":0,"delta":{"reasoning_content":"Total is Add."}}]}`+"\n\n"), modeltest.Text("It adds."),
	))
	p.agents = func(o *agent.Options) {
		o.Model = model.New(model.Config{BaseURL: modeltest.BaseURL, APIKey: "sk-test", Name: "test-model", Transport: endpoint})
	}
	p.start()
	p.Prompt(p.session, "/ask what does Total do?")
	thought, used := "", []acpsdk.SessionUsageUpdate{}
	for _, u := range p.Updates() {
		if c := u.Update.AgentThoughtChunk; c != nil && c.Content.Text != nil {
			thought += c.Content.Text.Text
		}
		if u.Update.UsageUpdate != nil {
			used = append(used, *u.Update.UsageUpdate)
		}
	}
	if said := strings.TrimSpace(p.Said()); thought != "Total is Add." || said != "It adds." {
		t.Errorf("it thinks %q and says %q", thought, said)
	}
	if len(used) != 1 || used[0].Used != 110 || used[0].Size != 1000 {
		t.Errorf("it tells the usage %+v", used)
	}
}

// The steps of a plan are shown once for each of their states.
func TestStepsAreShownOnce(t *testing.T) {
	p := open(t)
	steps := agenttest.Call("submit_plan", map[string]any{"goal": "better notes", "steps": []any{
		map[string]any{"id": "s1", "description": "change the notes"}, map[string]any{"id": "s2", "description": "change the shop"},
	}})
	edit := func(path, old, with, step string) agenttest.Reply {
		return agenttest.Reply{Calls: calls(agenttest.Call("edit_file", map[string]any{"path": path, "old_string": old, "new_string": with, "step": step}))}
	}
	p.model.Will(agenttest.Reply{Calls: calls(steps)}, edit("notes.md", "Nothing yet.", "Total is Add.", "s1"), edit("shop.go", "return a + b", "return b + a", "s2"), agenttest.Reply{Text: "It is planned."})
	p.Prompt(p.session, "change the notes and the shop")
	var shown []string
	for _, u := range p.Updates() {
		if u.Update.Plan == nil {
			continue
		}
		var now []string
		for _, e := range u.Update.Plan.Entries {
			now = append(now, e.Content+" "+string(e.Status))
		}
		shown = append(shown, strings.Join(now, ", "))
	}
	if n := len(shown); n < 2 || n != len(slices.Compact(slices.Clone(shown))) || shown[n-1] != "change the notes completed, change the shop completed" {
		t.Errorf("it shows\n%s", strings.Join(shown, "\n"))
	}
}

// A cancelled prompt ends as cancelled, whether its turn has begun or not.
func TestAPromptIsCancelled(t *testing.T) {
	p := open(t)
	begun, never := make(chan struct{}), make(chan struct{})
	p.model.Will(agenttest.Reply{Begun: begun, Wait: never})
	stop := make(chan acpsdk.StopReason, 1)
	go func() { stop <- p.Prompt(p.session, "rename Total to Add") }()
	<-begun
	p.refused("session/prompt", m{"sessionId": p.session, "prompt": []any{text("more")}}, -32600, "A prompt is running")
	_ = p.Notify("session/cancel", m{"sessionId": p.session})
	if got := <-stop; got != acpsdk.StopReasonCancelled {
		t.Errorf("it stopped with %s", got)
	}
	p.model.Will(agenttest.Reply{Text: "Here."})
	p.Prompt(p.session, "/ask are you there?")
	p.says("Here.")

	asked := p.model.Asked()
	_ = p.Notify("session/cancel", m{"sessionId": p.session}) // nothing is running
	p.model.Will(agenttest.Reply{Text: "Still here."})
	p.Prompt(p.session, "/ask still there?")
	p.says("Still here.")
	if len(p.model.Asked()) == len(asked) {
		t.Error("a cancellation of nothing has cancelled the next prompt")
	}
}

// A prompt that is cancelled while the user is asked leaves the plan waiting, and the client hears that
// the question is withdrawn.
func TestACancellationWhileAsking(t *testing.T) {
	p := open(t)
	p.plans()
	p.OnPermission = func(ctx context.Context, _ acpsdk.RequestPermissionRequest) (any, error) {
		_ = p.Notify("session/cancel", m{"sessionId": p.session})
		<-ctx.Done() // withdrawn
		return acptest.Chosen("approve-rest"), nil
	}
	if stop := p.Prompt(p.session, "rename Total to Add"); stop != acpsdk.StopReasonCancelled {
		t.Errorf("it stopped with %s", stop)
	}
	p.unchanged()
	p.says("Plan 1 waits")
}

// beside begins a session of another process on the same folder and store.
func (p *panel) beside() *agenttest.Session {
	p.t.Helper()
	s := &agenttest.Session{T: p.t.(*testing.T), Model: p.model}
	s.Fixture = &sessiontest.Fixture{State: p.state}
	return s.Beside(p.dir)
}

// calls are the calls of a reply.
func calls(all ...model.Call) []model.Call { return all }

// A plan that is decided elsewhere while the user is asked here is not asked about any more.
func TestDecidedElsewhereMeanwhile(t *testing.T) {
	for name, decides := range map[string]func(s *agenttest.Session) error{
		"rejected": func(s *agenttest.Session) error {
			_, err := s.Reject(s.Context(), view.Request{Plan: 1, Way: view.ByChoice})
			return err
		},
		"approved": func(s *agenttest.Session) error {
			_, err := s.Approve(s.Context(), view.Request{Plan: 1, Way: view.ByChoice})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t)
			p.plans()
			other, decided := p.beside(), make(chan struct{})
			p.OnPermission = func(ctx context.Context, _ acpsdk.RequestPermissionRequest) (any, error) {
				if err := decides(other); err != nil {
					t.Error(err)
				}
				close(decided)
				<-ctx.Done() // withdrawn
				return acptest.Chosen("approve-rest"), nil
			}
			if stop := p.Prompt(p.session, "rename Total to Add"); stop != acpsdk.StopReasonEndTurn {
				t.Errorf("it stopped with %s", stop)
			}
			<-decided // the question is withdrawn as soon as the decision is stored
			if n := len(p.Asked()); n != 1 {
				t.Errorf("%d questions", n)
			}
			p.says("Plan 1 was decided on elsewhere: it is ")
		})
	}
}

// A plan whose text has changed since is not applied, and waits.
func TestAStalePlan(t *testing.T) {
	p := open(t)
	p.plans()
	p.OnPermission = func(context.Context, acpsdk.RequestPermissionRequest) (any, error) {
		if err := os.WriteFile(filepath.Join(p.dir, "shop.go"), []byte("package shop\n"), 0o600); err != nil {
			t.Error(err)
		}
		return acptest.Chosen("approve-rest"), nil
	}
	p.Prompt(p.session, "rename Total to Add")
	p.says("Plan 1 cannot be approved as shown")
	p.says("Plan 1 waits")
	if p.read("shop.go") != "package shop\n" || p.read("new.md") != "" || p.read("notes.md") != files["notes.md"] {
		t.Error("something was applied")
	}
}

// A command is a question of its own, after the files, and runs once the edits are applied.
func TestACommandIsAQuestion(t *testing.T) {
	plans := func(p *panel) {
		p.model.Stages(agenttest.Edit("notes.md", "Nothing yet.", "Something."), agenttest.Command("cat notes.md"))
	}
	p := open(t)
	plans(p)
	p.Prompt(p.session, "change the notes and show them")
	asked := p.Asked()
	if len(asked) != 2 {
		t.Fatalf("%d questions", len(asked))
	}
	call := asked[1].ToolCall
	if *call.Title != "cat notes.md" || *call.Kind != acpsdk.ToolKindExecute || call.RawInput.(map[string]any)["command"] != "cat notes.md" || len(asked[1].Options) != 3 {
		t.Errorf("the question is %+v", asked[1])
	}
	if status, output := p.Status(call.ToolCallId); status != acpsdk.ToolCallStatusCompleted || !strings.Contains(output, "Something.") {
		t.Errorf("the command is %s: %s", status, output)
	}

	p = open(t)
	plans(p)
	p.answers("approve-file", "reject-command")
	p.Prompt(p.session, "change the notes and show them")
	if status, output := p.Status(p.Asked()[1].ToolCall.ToolCallId); status != acpsdk.ToolCallStatusFailed || strings.Contains(output, "Something.") {
		t.Errorf("the command is %s: %s", status, output)
	}
	p.says("Plan 1 is completed.")

	p = open(t)
	plans(p)
	p.answers("approve-file", "approve-file") // not an option of a command
	p.Prompt(p.session, "change the notes and show them")
	p.unchanged()
	p.says("Plan 1 waits")
}

// Slash commands work as in the chat.
func TestSlashCommands(t *testing.T) {
	p := open(t)
	p.plans()
	p.Prompt(p.session, "rename Total to Add")
	p.Prompt(p.session, "/undo")
	p.unchanged()
	p.says("Plan 1 undone")
	if n := len(p.Asked()); n != 3 {
		t.Errorf("%d questions: an undo asks nothing", n)
	}
	p.Prompt(p.session, "/approve 1")
	if p.read("new.md") != "New.\n" {
		t.Error("/approve has not applied the plan that was shown")
	}
	other := p.Open(p.dir) // which has shown no plan
	p.Prompt(p.session, "/undo")
	p.Forget()
	p.Prompt(other, "/approve 1")
	p.says("has not been shown here yet")
	p.unchanged()
}

// A plan in words is shown as text; once it is approved, its edits are worked out and asked about.
func TestAPlanInWords(t *testing.T) {
	p := open(t)
	p.model.Will(agenttest.Reply{Text: "Other words.\n\n1. Change `notes.md`."}, agenttest.Reply{Text: `{"files":["notes.md"]}`})
	p.Prompt(p.session, "/text use other words")
	p.says("Change `notes.md`.")
	p.says("/approve 1")
	if n := len(p.Asked()); n != 0 {
		t.Errorf("%d questions about words", n)
	}
	p.model.Stages(agenttest.Edit("notes.md", "Nothing yet.", "Other words."))
	p.Prompt(p.session, "/approve 1")
	if n := len(p.Asked()); n != 1 || !strings.Contains(p.read("notes.md"), "Other words.") {
		t.Errorf("%d questions, and then:\n%s\n%s", n, p.read("notes.md"), p.Said())
	}
}

// A question of the model is text, and the next prompt answers it.
func TestAQuestionOfTheModel(t *testing.T) {
	p := open(t)
	p.model.Will(agenttest.Reply{Calls: calls(agenttest.Call("ask_user", map[string]any{"question": "Which name?", "options": []string{"Add", "Sum"}}))})
	if stop := p.Prompt(p.session, "rename Total"); stop != acpsdk.StopReasonEndTurn {
		t.Errorf("it stopped with %s", stop)
	}
	p.says("Which name?")
	p.says("Sum")
	p.plans()
	p.Prompt(p.session, "Add")
	if n := len(p.Asked()); n != 3 {
		t.Errorf("%d questions", n)
	}
}

// Where the user has chosen to be asked about each edit, that is a question too.
func TestEachEditIsAQuestion(t *testing.T) {
	p := open(t)
	p.Prompt(p.session, "/decide ask")
	p.model.Stages(agenttest.Edit("notes.md", "Nothing yet.", "Something."))
	p.OnPermission = func(_ context.Context, r acpsdk.RequestPermissionRequest) (any, error) {
		return acptest.Chosen(string(r.Options[0].OptionId)), nil
	}
	p.Prompt(p.session, "change the notes")
	asked := p.Asked()
	if len(asked) != 1 || !strings.Contains(*asked[0].ToolCall.Title, "change notes.md") || !strings.Contains(p.read("notes.md"), "Something.") {
		t.Errorf("the questions are %+v, the notes %q", asked, p.read("notes.md"))
	}
}

// A policy can forbid approvals in the panel: then nothing is asked there.
func TestForbiddenInThePanel(t *testing.T) {
	p := open(t)
	p.change = func(o *acp.Options) {
		o.Forbidden = view.Forbidden{view.ByPanel: "The policy in /etc/redline/policy.toml"}
	}
	p.connect(nil)
	p.Initialize(acpsdk.ClientCapabilities{})
	p.session = p.Open(p.dir)
	p.plans()
	p.Prompt(p.session, "rename Total to Add")
	p.says("does not allow approval in an editor's agent panel")
	if len(p.Asked()) != 0 {
		t.Error("it asks")
	}
	p.unchanged()
}

// A client that asks nothing leaves the plan waiting.
func TestAClientThatCannotAsk(t *testing.T) {
	p := open(t)
	p.plans()
	var asked atomic.Int32
	p.OnPermission = func(context.Context, acpsdk.RequestPermissionRequest) (any, error) {
		asked.Add(1)
		return nil, &acpsdk.RequestError{Code: -32601, Message: "Method not found"}
	}
	p.Prompt(p.session, "rename Total to Add")
	p.unchanged()
	p.says("redline plans show 1")
	if asked.Load() != 1 {
		t.Errorf("it asks %d times", asked.Load())
	}
}
