package loop_test

import (
	"strings"
	"testing"

	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/tool"
)

const written = "I put a greeting into it:\n\nsrc/a.txt\n<<<<<<< SEARCH\n=======\nhello\n>>>>>>> REPLACE\n"

// A model that writes search/replace blocks into its answer has them staged,
// and is not asked again.
func TestBlocksInAnAnswer(t *testing.T) {
	env := newEnv(t)
	out, err := loop.Run(t.Context(), &script{replies: []turn{says(written), says("never asked")}}, nil, tool.All(), env, loop.Limits{}, loop.Hooks{})
	if text, exists, _ := env.Draft.Read("src/a.txt"); err != nil || text != "hello\n" || !exists || out.Requests != 1 || out.Text != written {
		t.Errorf("%q, %v after %+v, %v", text, exists, out, err)
	}
	checkAnswered(t, out.Messages)
}

// Blocks that do not fit are refused, and the model gets to know why.
func TestBlocksThatDoNotFit(t *testing.T) {
	env := newEnv(t)
	bad := strings.Replace(written, "SEARCH\n", "SEARCH\nnot there\n", 1)
	p := &script{replies: []turn{says(bad), says(written)}}
	out, err := loop.Run(t.Context(), p, nil, tool.All(), env, loop.Limits{}, loop.Hooks{})
	if text, _, _ := env.Draft.Read("src/a.txt"); err != nil || text != "hello\n" || out.Requests != 2 {
		t.Errorf("%q after %+v, %v", text, out, err)
	}
	last := p.asked[1].Messages[len(p.asked[1].Messages)-1]
	if last.Role != model.RoleTool || !strings.Contains(last.Content, "src/a.txt") {
		t.Errorf("the model was told %+v", last)
	}
}

// Blocks in an answer are prose where a call has staged something, and where
// nothing can be staged.
func TestBlocksThatOnlyTell(t *testing.T) {
	env := newEnv(t)
	p := &script{replies: []turn{calls("write_file", write("b.txt")), says(written)}}
	if out, err := loop.Run(t.Context(), p, nil, tool.All(), env, loop.Limits{}, loop.Hooks{}); err != nil || out.Requests != 2 {
		t.Errorf("%+v, %v", out, err)
	}
	if out, err := loop.Run(t.Context(), &script{replies: []turn{says(written)}}, nil, tool.Reading(), env, loop.Limits{}, loop.Hooks{}); err != nil || out.Requests != 1 {
		t.Errorf("%+v, %v", out, err)
	}
	if _, exists, _ := env.Draft.Read("src/a.txt"); exists {
		t.Error("the blocks were staged")
	}
}
