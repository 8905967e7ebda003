package loop_test

import (
	"strings"
	"testing"

	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/tool"
)

// A question ends the turn: calls before it are staged, later calls in the same reply are
// not run, and a second question is not asked.
func TestAQuestionEndsTheTurn(t *testing.T) {
	env := newEnv(t)
	p := &script{replies: []turn{
		calls("write_file", write("a"), "ask_user", `{"question":"Which?","options":["x","y"]}`,
			"write_file", write("b"), "ask_user", `{"question":"And which?"}`),
		says("never asked"),
	}}
	out, err := loop.Run(t.Context(), p, nil, tool.All(), env, loop.Limits{}, loop.Hooks{})
	if err != nil || out.Requests != 1 || out.Stopped != "" {
		t.Fatalf("outcome %+v, %v", out, err)
	}
	if out.Asked == nil || out.Asked.Text != "Which?" || len(env.Draft.Operations()) != 1 {
		t.Errorf("asked %+v, with %d operations", out.Asked, len(env.Draft.Operations()))
	}
	if len(out.NotRun) != 2 || out.NotRun[0].Arguments != write("b") {
		t.Errorf("not run: %+v", out.NotRun)
	}
	checkAnswered(t, out.Messages)
	if last := out.Messages[len(out.Messages)-1]; !strings.Contains(last.Content, "the user is asked first") {
		t.Errorf("the last call was answered %q", last.Content)
	}
}

// A question that is not valid is answered to the model, which continues.
func TestAQuestionThatCannotBePut(t *testing.T) {
	p := &script{replies: []turn{calls("ask_user", `{"question":" "}`), says("Never mind.")}}
	out, err := loop.Run(t.Context(), p, nil, tool.All(), newEnv(t), loop.Limits{}, loop.Hooks{})
	if err != nil || out.Asked != nil || out.Text != "Never mind." {
		t.Errorf("outcome %+v, %v", out, err)
	}
}

// A question that arrived completely before a connection broke is asked.
func TestAQuestionInABrokenReply(t *testing.T) {
	cut := calls("ask_user", `{"question":"Which?"}`)
	cut.reply.Finish, cut.err = "", &model.Error{Kind: model.KindBroken, Host: "example.org"}
	out, err := loop.Run(t.Context(), &script{replies: []turn{cut}}, nil, tool.All(), newEnv(t), loop.Limits{}, loop.Hooks{})
	if err == nil || out.Asked == nil {
		t.Errorf("outcome %+v, %v", out, err)
	}
}
