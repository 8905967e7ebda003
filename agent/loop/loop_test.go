package loop_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"redline/agent/draft"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/tool"
	"redline/workspace"
)

// script is a model that gives one reply after the other, and repeats the last one.
type script struct {
	replies []turn
	asked   []model.Request
}

// turn is one reply, and how it ends.
type turn struct {
	reply model.Reply
	err   error
	wait  bool // until ctx ends
	then  func()
}

func (s *script) Info() model.Info { return model.Info{} }

func (s *script) Complete(ctx context.Context, req model.Request, onEvent func(model.Event)) (model.Reply, error) {
	next := s.replies[min(len(s.asked), len(s.replies)-1)]
	s.asked = append(s.asked, req)
	for piece := range strings.SplitAfterSeq(next.reply.Text, " ") {
		onEvent(model.Event{Text: piece})
	}
	for _, c := range next.reply.Calls {
		onEvent(model.Event{Call: &c})
	}
	if next.then != nil {
		next.then()
	}
	if next.wait {
		<-ctx.Done()
		return next.reply, ctx.Err()
	}
	return next.reply, next.err
}

func says(text string) turn { return turn{reply: model.Reply{Text: text, Finish: "stop"}} }

// calls returns a reply that calls tools, given as names and arguments in turn.
func calls(named ...string) turn {
	r := model.Reply{Finish: "tool_calls", Usage: model.Usage{Prompt: 10, Completion: 1}}
	for i := 0; i < len(named); i += 2 {
		r.Calls = append(r.Calls, model.Call{ID: fmt.Sprintf("c%d", i/2), Name: named[i], Arguments: named[i+1]})
	}
	return turn{reply: r}
}

func newEnv(t testing.TB) *tool.Env {
	ws := workspace.New([]workspace.Folder{{Dir: t.TempDir()}}, workspace.Options{})
	return &tool.Env{Draft: draft.New(ws), Workspace: ws, Step: "s1"}
}

func write(path string) string { return fmt.Sprintf(`{"path":%q,"content":"x\n"}`, path) }

// heard collects the calls of the hooks.
func heard(log *[]string) loop.Hooks {
	return loop.Hooks{
		Text:   func(s string) { *log = append(*log, "text "+s) },
		Tool:   func(name, summary string) { *log = append(*log, "tool "+name+": "+summary) },
		Staged: func(s draft.Staged) { *log = append(*log, "staged "+s.Path) },
	}
}

// checkAnswered checks that every call of a reply is answered, in order, before the next
// reply.
func checkAnswered(t *testing.T, messages []model.Message) {
	t.Helper()
	var open []string
	for _, m := range messages {
		switch {
		case m.Role == model.RoleTool && len(open) > 0 && m.CallID == open[0]:
			open = open[1:]
		case m.Role == model.RoleUser && len(open) == 0: // a reply that could not be read
		case m.Role == model.RoleAssistant && len(open) == 0:
			for _, c := range m.Calls {
				open = append(open, c.ID)
			}
		default:
			t.Errorf("message %+v comes while the calls %v are open", m, open)
		}
	}
	if len(open) > 0 {
		t.Errorf("the calls %v are never answered", open)
	}
}

func TestRun(t *testing.T) {
	env, log := newEnv(t), []string{}
	p := &script{replies: []turn{
		calls("write_file", write("a.txt"), "read_file", `{"path":"a.txt"}`, "no_such", `{}`, "edit_file", `{"path":`),
		calls("str_replace_based_edit_tool", `{"command":"str_replace","path":"a.txt","old_str":"x","new_str":"y"}`),
		says("All done."),
	}}
	given := []model.Message{{Role: model.RoleUser, Content: "do it"}}
	out, err := loop.Run(t.Context(), p, given, tool.All(), env, loop.Limits{}, heard(&log))
	if err != nil || out.Stopped != "" || out.Text != "All done." || out.Requests != 3 || out.Usage != (model.Usage{Prompt: 20, Completion: 2}) {
		t.Errorf("outcome %+v, %v", out, err)
	}
	checkAnswered(t, out.Messages)
	var answers []string
	for _, m := range out.Messages {
		if m.Role == model.RoleTool {
			answers = append(answers, m.Content)
		}
	}
	if diff := cmp.Diff([]string{
		"staged: create a.txt line 1",
		"x\n",
		`error: there is no tool "no_such"; the tools are read_file, list_files, search, outline, references, definition, git_log, git_diff, git_blame, open_location, show_view, set_diff_mode, submit_plan, edit_file, apply_patch, write_file, delete_file, rename_file, rename_symbol, text_editor, run_command, ask_user`,
		`error: the arguments are not a JSON object; give them as {"path": …, "old_string": …, "new_string": …}`,
		"staged: text_editor a.txt line 1 (exact)",
	}, answers); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{
		"tool write_file: create a.txt +1", "staged a.txt",
		"tool read_file: read a.txt",
		`tool no_such: "no_such" is no tool`,
		"tool edit_file: edit_file refused: the arguments are not a JSON object; give them as {\"path\": …, \"old_string\": …, \"new_string\": …}",
		"tool text_editor: edit a.txt +1 −1", "staged a.txt",
		"text All ", "text done.",
	}, log); diff != "" {
		t.Errorf("hooks (-want +got):\n%s", diff)
	}
	if len(given) != 1 || len(p.asked[0].Messages) != 1 || len(p.asked[2].Messages) != 8 || len(p.asked[0].Tools) != 22 {
		t.Errorf("the requests have %d, %d messages and %d tools", len(p.asked[0].Messages), len(p.asked[2].Messages), len(p.asked[0].Tools))
	}
	if text, _, _ := env.Draft.Read("a.txt"); text != "y\n" {
		t.Errorf("a.txt is %q", text)
	}
}

func TestLimits(t *testing.T) {
	different := func(n int) []turn {
		var all []turn
		for i := range n {
			all = append(all, calls("write_file", write(fmt.Sprint(i))))
		}
		return all
	}
	look := calls("read_file", `{"path":"nope"}`)
	for _, test := range []struct {
		name     string
		limits   loop.Limits
		replies  []turn
		stopped  string
		requests int
		staged   int
	}{
		{"requests", loop.Limits{Requests: 4}, different(10), "after 4 requests", 4, 4},
		{"requests by default", loop.Limits{}, different(60), "after 50 requests", 50, 50},
		{"tokens", loop.Limits{Tokens: 30}, different(10), "after 33 tokens, over the limit of 30", 3, 3},
		{"the same call", loop.Limits{}, []turn{calls("write_file", write("a"), "write_file", `{"content":"x\n",  "path":"a"}`), look,
			calls("write_file", write("a"))}, "same call of write_file 3 times", 4, 1},
		{"the same look", loop.Limits{Repeats: 2}, []turn{look}, "same call of read_file 2 times", 2, 0},
		{"steps", loop.Limits{Steps: 1}, []turn{calls("submit_plan", `{"goal":"g","steps":[{"id":"s1","description":"a"},{"id":"s2","description":"b"}]}`, "write_file", write("a"), "write_file", `{"path":"b","content":"","step":"s2"}`,
			"write_file", write("c"))}, "more than 1 steps", 1, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			env := newEnv(t)
			out, err := loop.Run(t.Context(), &script{replies: test.replies}, nil, tool.All(), env, test.limits, loop.Hooks{})
			if err != nil || !strings.Contains(out.Stopped, test.stopped) {
				t.Errorf("stopped %q, %v; want %q", out.Stopped, err, test.stopped)
			}
			if out.Requests != test.requests || len(env.Draft.Operations()) != test.staged {
				t.Errorf("%d requests and %d operations, want %d and %d", out.Requests, len(env.Draft.Operations()), test.requests, test.staged)
			}
			checkAnswered(t, out.Messages)
		})
	}
}

// TestLookingAgain checks that reading a file again after each edit does not count as a
// repetition.
func TestLookingAgain(t *testing.T) {
	env := newEnv(t)
	var replies []turn
	for i := range 6 {
		replies = append(replies, calls("list_files", `{}`, "write_file", write(fmt.Sprint(i))))
	}
	out, err := loop.Run(t.Context(), &script{replies: append(replies, says("done"))}, nil, tool.All(), env, loop.Limits{}, loop.Hooks{})
	if err != nil || out.Stopped != "" || out.Text != "done" {
		t.Errorf("outcome %+v, %v", out, err)
	}
}

func TestManyCallsInOneReply(t *testing.T) {
	env := newEnv(t)
	var named []string
	for i := range 200 {
		named = append(named, "write_file", write(fmt.Sprintf("dir/%d.txt", i)))
	}
	out, err := loop.Run(t.Context(), &script{replies: []turn{calls(named...), says("done")}}, nil, tool.All(), env, loop.Limits{}, loop.Hooks{})
	if err != nil || out.Requests != 2 || len(env.Draft.Operations()) != 200 {
		t.Errorf("%d requests, %d operations, %v", out.Requests, len(env.Draft.Operations()), err)
	}
	checkAnswered(t, out.Messages)
}

func TestBrokenReplyKeepsWhatWasComplete(t *testing.T) {
	env := newEnv(t)
	broken := &model.Error{Kind: model.KindBroken, Host: "example.org"}
	cut := calls("write_file", write("a"))
	cut.reply.Finish, cut.reply.Text, cut.err = "", "I will", broken
	out, err := loop.Run(t.Context(), &script{replies: []turn{cut}}, nil, tool.All(), env, loop.Limits{}, loop.Hooks{})
	if !errors.Is(err, broken) || out.Text != "I will" || len(env.Draft.Operations()) != 1 {
		t.Errorf("outcome %+v, %v with %d operations", out, err, len(env.Draft.Operations()))
	}
	checkAnswered(t, out.Messages)
}

func TestCancelledBetweenCalls(t *testing.T) {
	env := newEnv(t)
	ctx, cancel := context.WithCancel(t.Context())
	p := &script{replies: []turn{calls("write_file", write("a"), "write_file", write("b"))}}
	out, err := loop.Run(ctx, p, nil, tool.All(), env, loop.Limits{}, loop.Hooks{Staged: func(draft.Staged) { cancel() }})
	if !errors.Is(err, context.Canceled) || len(env.Draft.Operations()) != 1 {
		t.Errorf("%v with %d operations, want one", err, len(env.Draft.Operations()))
	}
	checkAnswered(t, out.Messages)
}

func TestCancelledWhileTheModelAnswers(t *testing.T) {
	env := newEnv(t)
	ctx, cancel := context.WithCancel(t.Context())
	cut := calls("write_file", write("a"))
	cut.wait, cut.then = true, cancel
	out, err := loop.Run(ctx, &script{replies: []turn{cut}}, nil, tool.All(), env, loop.Limits{}, loop.Hooks{})
	if !errors.Is(err, context.Canceled) || len(env.Draft.Operations()) != 0 {
		t.Errorf("%v with %d operations, want none", err, len(env.Draft.Operations()))
	}
	checkAnswered(t, out.Messages)
}

func TestWallTime(t *testing.T) {
	env := newEnv(t)
	synctest.Test(t, func(t *testing.T) {
		slow := says("thinking")
		slow.wait = true
		out, err := loop.Run(t.Context(), &script{replies: []turn{calls("write_file", write("a")), slow}}, nil, tool.All(), env, loop.Limits{Wall: time.Minute}, loop.Hooks{})
		if err != nil || !strings.Contains(out.Stopped, "after 1m0s") || len(env.Draft.Operations()) != 1 {
			t.Errorf("stopped %q, %v with %d operations", out.Stopped, err, len(env.Draft.Operations()))
		}
	})
}

func TestOnlyOfferedToolsRun(t *testing.T) {
	env := newEnv(t)
	p := &script{replies: []turn{calls("write_file", write("a")), says("no")}}
	out, err := loop.Run(t.Context(), p, nil, tool.Reading(), env, loop.Limits{}, loop.Hooks{})
	if err != nil || len(env.Draft.Operations()) > 0 || !strings.Contains(out.Messages[1].Content, "there is no tool") {
		t.Errorf("outcome %+v, %v", out, err)
	}
}

// An empty reply is a failure, unless something was staged.
func TestEmptyReply(t *testing.T) {
	empty := turn{reply: model.Reply{Finish: "stop"}}
	_, err := loop.Run(t.Context(), &script{replies: []turn{empty}}, nil, tool.All(), newEnv(t), loop.Limits{}, loop.Hooks{})
	if e, ok := errors.AsType[*model.Error](err); !ok || e.Kind != model.KindEmpty {
		t.Errorf("got %v, want that the model answered with nothing", err)
	}
	staged := &script{replies: []turn{calls("write_file", write("a")), empty}}
	if _, err := loop.Run(t.Context(), staged, nil, tool.All(), newEnv(t), loop.Limits{}, loop.Hooks{}); err != nil {
		t.Errorf("after an edit: %v", err)
	}
}

// Runs of one turn share their failed calls: the same mistake counts for all of them, also
// when they run at the same time. Reading what another run has read is no repetition.
func TestRunsThatAreOneTurn(t *testing.T) {
	var shared loop.Calls
	limits := loop.Limits{Calls: &shared}
	env := newEnv(t)
	same := calls("read_file", `{"path":"nope"}`)
	look := calls("list_files", `{}`)
	for i, want := range []string{"", "", "same call of read_file 3 times"} {
		out, err := loop.Run(t.Context(), &script{replies: []turn{look, same, says("done")}}, nil, tool.All(), env, limits, loop.Hooks{})
		if err != nil || !strings.Contains(out.Stopped, want) || want == "" && out.Stopped != "" {
			t.Errorf("run %d: stopped %q, %v; want %q", i+1, out.Stopped, err, want)
		}
	}
	for range 4 { // more reads than one run may repeat
		out, err := loop.Run(t.Context(), &script{replies: []turn{look, says("done")}}, nil, tool.All(), env, limits, loop.Hooks{})
		if err != nil || out.Stopped != "" {
			t.Errorf("a look of its own: stopped %q, %v", out.Stopped, err)
		}
	}
}
