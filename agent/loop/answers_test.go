package loop_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redline/agent/draft"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/tool"
	"redline/workspace"
)

// undone returns the sentences for the user about refused calls and about edits in answers.
func undone(env *tool.Env) string {
	return strings.Join(plan.Unfinished{Refused: env.Draft.Refused(true)}.Sentences(), " ")
}

// TestEditsInAnswers checks the outcome of edits that a model writes into its answer, and
// of text that only looks like edits.
func TestEditsInAnswers(t *testing.T) {
	all := slices.Concat(blocksInAnswers, patchesInAnswers, callsInAnswers, wholeFilesInAnswers)
	for _, c := range all {
		t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) { c.check(t) })
	}
	if len(all) < 160 {
		t.Errorf("%d answers", len(all))
	}
}

func (c answer) check(t *testing.T) {
	dir := t.TempDir()
	for name, text := range answerFiles {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ws := workspace.New([]workspace.Folder{{Dir: dir}}, workspace.Options{})
	env := &tool.Env{Draft: draft.New(ws), Workspace: ws, Step: "s1", Asks: c.asks, Develops: c.develops}
	reply := says(c.text)
	if c.finish != "" {
		reply.reply.Finish = c.finish
	}
	p := &script{replies: []turn{reply, says("So it is.")}}
	if before := c.first.reply; len(before.Calls) > 0 {
		p.replies = append([]turn{c.first}, p.replies...)
	}
	base := len(p.replies) - 1
	message := model.Message{Role: model.RoleUser, Content: "mend the sum" + c.message}
	out, err := loop.Run(t.Context(), p, []model.Message{message}, tool.All(), env, loop.Limits{}, loop.Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	checkAnswered(t, out.Messages)
	staged := len(env.Draft.Operations())
	if len(c.first.reply.Calls) > 0 && c.first.reply.Calls[0].Name != "read_file" && staged > 0 {
		staged--
	}
	got := left
	switch {
	case out.Requests > base:
		got = refused
	case staged > 0:
		got = taken
	}
	var told string
	if got == refused {
		for _, m := range p.asked[len(p.asked)-1].Messages {
			if m.Role != model.RoleAssistant && strings.HasPrefix(m.Content, "error: ") {
				told = m.Content
			}
		}
	}
	if got != c.want {
		t.Fatalf("the answer is %s, want %s; the model was told %q", got, c.want, told)
	}
	if said := undone(env); (said != "") != (got == refused) {
		t.Errorf("the user is told %q", said)
	}
	if (staged > 0) != (got == taken || c.staged) {
		t.Errorf("%d operations are staged", staged)
	}
	switch got {
	case refused:
		if !strings.Contains(told, c.says) || !strings.HasPrefix(told, "error: ") {
			t.Errorf("the model was told %q, want %q in it", told, c.says)
		}
	case taken:
		file, want := "sum.py", mended
		if c.file != "" {
			file, want = c.file, c.is
		} else if c.is != "" {
			want = c.is
		}
		if text, _, err := env.Draft.Read(file); err != nil || text != want {
			t.Errorf("%s is %q, %v; want %q", file, text, err, want)
		}
	}
}

// The model is told about edits beside its calls that no call makes; the user is told if
// the model does not make them then.
func TestEditsBesideCalls(t *testing.T) {
	both := "I change both.\n\na.txt\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n\nb.txt\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n"
	beside := calls("write_file", write("a.txt"))
	beside.reply.Text = both
	reads := calls("list_files", `{}`)
	reads.reply.Text = both
	for _, c := range []struct {
		name     string
		replies  []turn
		requests int
		left     string
	}{
		{"one is made, and no other", []turn{beside, says("Done."), says("Not needed.")}, 3, "b.txt"},
		{"both in turn", []turn{beside, calls("write_file", write("b.txt")), says("Done.")}, 3, ""},
		{"the second when it is asked for", []turn{beside, says("Done."), calls("write_file", write("b.txt")), says("Now.")}, 4, ""},
		{"none", []turn{reads, says("Done."), says("No.")}, 3, "a.txt, b.txt"},
		{"then in the answer", []turn{reads, says(both)}, 2, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := newEnv(t)
			out, err := loop.Run(t.Context(), &script{replies: c.replies}, nil, tool.All(), env, loop.Limits{}, loop.Hooks{})
			if said := undone(env); err != nil || out.Requests != c.requests || (said != "") != (c.left != "") || !strings.Contains(said, c.left) {
				t.Errorf("%d requests, %q, %v", out.Requests, said, err)
			}
		})
	}
}

// A model may invent any file name: messages to the user shorten it and make invisible
// characters visible.
func TestLongAndHiddenNamesOfFilesThatWereNotTaken(t *testing.T) {
	var all strings.Builder
	for _, name := range []string{"d/" + strings.Repeat("x", 5000) + ".go", "e/\x1b[2J.go"} {
		all.WriteString(name + "\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n\n")
	}
	p := &script{replies: []turn{says(all.String()), says("Done.")}}
	env := newEnv(t)
	_, err := loop.Run(t.Context(), p, nil, tool.All(), env, loop.Limits{}, loop.Hooks{})
	if said := undone(env); err != nil || !strings.Contains(said, "e/⟨U+001B⟩[2J.go") || len(said) > 1000 {
		t.Errorf("%.1200q, %v", said, err)
	}
}

// A model that has no tool for a patch is told which tools it has.
func TestEditsWithoutATool(t *testing.T) {
	env := newEnv(t)
	edit, _ := tool.Find(tool.All(), "write_file")
	p := &script{replies: []turn{says(written), says("Done.")}}
	out, err := loop.Run(t.Context(), p, nil, []tool.Tool{edit}, env, loop.Limits{}, loop.Hooks{})
	last := p.asked[len(p.asked)-1].Messages
	if err != nil || out.Requests != 2 || undone(env) == "" || !strings.Contains(last[len(last)-1].Content, "with the tools that you have: write_file") {
		t.Errorf("%+v, %v", out, err)
	}
}

// A model that repeats the same mistake is told only a limited number of times; a limit may
// end its turn before. The user is told.
func TestEditsCutOffAgainAndAgain(t *testing.T) {
	cut := says("src/a.txt\n<<<<<<< SEARCH\n=======\nhel")
	malformed := says("src/a.txt\n<<< SEARCH\n===\nhello\n>>> REPLACE\n")
	for name, c := range map[string]struct {
		reply           turn
		limit, requests int
		stopped         bool
	}{
		"cut off": {cut, 0, 3, false}, "cut off, with a limit": {cut, 2, 2, true},
		"malformed": {malformed, 0, 3, true}, "malformed, with a limit": {malformed, 2, 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			env := newEnv(t)
			out, err := loop.Run(t.Context(), &script{replies: []turn{c.reply}}, nil, tool.All(), env, loop.Limits{Requests: c.limit}, loop.Hooks{})
			if err != nil || out.Requests != c.requests || (out.Stopped != "") != c.stopped || !strings.Contains(undone(env), "src/a.txt") || len(env.Draft.Operations()) > 0 {
				t.Errorf("%+v, %v", out, err)
			}
		})
	}
}
