package loop_test

import (
	"strings"
	"testing"

	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/tool"
)

// answersTo returns the answers to the calls of a run, in order.
func answersTo(out loop.Outcome) (all []string) {
	for _, m := range out.Messages {
		if m.Role == model.RoleTool {
			all = append(all, m.Content)
		}
	}
	return all
}

const (
	bad  = `{"path":"a.txt","old_string":"nope","new_string":"x"}`
	look = `{"path":"a.txt"}`
)

// The same call in one reply counts once: each is answered, nothing is staged twice, and
// the other calls run.
func TestTheSameCallInOneReply(t *testing.T) {
	insert := `{"command":"insert","path":"a.txt","insert_line":0,"insert_text":"top"}`
	for _, test := range []struct {
		name    string
		named   []string
		answers []string // how each begins
		text    string   // of a.txt
		staged  int
	}{
		{"refused three times, and a good edit", []string{"edit_file", bad, "edit_file", bad, "edit_file", bad, "edit_file", `{"path":"a.txt","old_string":"one","new_string":"1"}`},
			[]string{"error: The text to replace was not found", "error: The text to replace was not found", "error: The text to replace was not found", "staged: edit_file a.txt"}, "1\ntwo\n", 1},
		{"an edit is staged once", []string{"text_editor", insert, "text_editor", insert, "text_editor", insert},
			[]string{"staged: text_editor a.txt", "error: not run, because it is the same call as one above in this reply, and that is staged", "error: not run, because it is the same call"}, "top\none\ntwo\n", 1},
		{"also after another", []string{"text_editor", insert, "write_file", write("b.txt"), "text_editor", insert},
			[]string{"staged: text_editor a.txt", "staged: create b.txt", "error: not run, because it is the same call"}, "top\none\ntwo\n", 2},
		{"what is read again", []string{"read_file", look, "read_file", look, "edit_file", `{"path":"a.txt","old_string":"one","new_string":"1"}`, "read_file", look},
			[]string{"one\ntwo\n", "The same call came above in this reply, and its answer is there.", "staged: edit_file a.txt", "1\ntwo\n"}, "1\ntwo\n", 1},
		{"what is possible after an edit", []string{"edit_file", bad, "edit_file", `{"path":"a.txt","old_string":"one","new_string":"nope"}`, "edit_file", bad},
			[]string{"error: The text to replace was not found", "staged: edit_file a.txt", "staged: edit_file a.txt"}, "x\ntwo\n", 2},
		{"a command before and after an edit", []string{"run_command", `{"command":"make"}`, "write_file", write("b.txt"), "run_command", `{"command":"make"}`},
			[]string{"staged: run_command make", "staged: create b.txt", "staged: run_command make"}, "one\ntwo\n", 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			env := newEnv(t)
			twoLines(t, env)
			out, err := loop.Run(t.Context(), &script{replies: []turn{calls(test.named...), says("done")}}, nil, tool.All(), env, loop.Limits{}, loop.Hooks{})
			if err != nil || out.Stopped != "" || out.Text != "done" {
				t.Errorf("outcome %+v, %v", out, err)
			}
			answers := answersTo(out)
			for i, want := range test.answers {
				if !strings.HasPrefix(answers[i], want) {
					t.Errorf("call %d is answered %q, want %q", i+1, answers[i], want)
				}
			}
			if text, _, _ := env.Draft.Read("a.txt"); text != test.text {
				t.Errorf("a.txt is %q, want %q", text, test.text)
			}
			if n := len(env.Draft.Operations()) - 1; n != test.staged {
				t.Errorf("%d operations, want %d", n, test.staged)
			}
			checkAnswered(t, out.Messages)
		})
	}
}

// twoLines creates a.txt in the draft of env, as one operation.
func twoLines(t *testing.T, env *tool.Env) {
	t.Helper()
	write, _ := tool.Find(tool.All(), "write_file")
	if r := write.Run(t.Context(), env, []byte(`{"path":"a.txt","content":"one\ntwo\n"}`)); r.IsError {
		t.Fatal(r.Text)
	}
}

// Repeats count across replies, and only with no change in between: nothing staged or taken
// back, and nothing typed by the user.
func TestRepeatsAreCountedOverReplies(t *testing.T) {
	same := calls("edit_file", bad)
	other := calls("read_file", look)
	edit := func(old, new string) turn {
		return calls("edit_file", `{"path":"a.txt","old_string":"`+old+`","new_string":"`+new+`"}`)
	}
	both := func(old, new string) turn {
		return calls("edit_file", bad, "edit_file", `{"path":"a.txt","old_string":"`+old+`","new_string":"`+new+`"}`)
	}
	for _, test := range []struct {
		name    string
		replies []turn
		typed   []int // before each call
		stopped bool
	}{
		{"three times", []turn{same, same, same}, nil, true},
		{"twice", []turn{same, same}, nil, false},
		{"looked at in between", []turn{same, other, same, other, same}, nil, true},
		{"staged in between", []turn{same, same, edit("one", "1"), same, same}, nil, false},
		{"staged in between, then three times", []turn{same, same, edit("one", "1"), same, same, same}, nil, true},
		{"beside an edit each time", []turn{both("one", "1"), both("1", "2"), both("2", "3"), both("3", "4")}, nil, false},
		{"beside an edit the last time", []turn{same, same, both("one", "1")}, nil, false},
		{"beside an edit that is refused", []turn{same, same, calls("edit_file", bad, "edit_file", `{"path":"a.txt","old_string":"nope","new_string":"z"}`)}, nil, true},
		{"the same edit over and over", []turn{calls("text_editor", `{"command":"insert","path":"a.txt","insert_line":0,"insert_text":"x"}`)}, nil, true},
		{"taken back in between", []turn{same, same, calls("unstage", `{"operations":["n1"]}`), same, same}, nil, false},
		{"typed in between", []turn{same, same, same, same}, []int{0, 0, 1, 1}, false},
		{"typed before", []turn{same, same, same}, []int{7, 7, 7}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			env := newEnv(t)
			twoLines(t, env)
			tools := append(tool.All(), tool.Unstage(func([]string) (string, error) { return "taken out", nil }))
			replies := test.replies
			if test.name != "the same edit over and over" {
				replies = append(replies[:len(replies):len(replies)], says("done"))
			}
			n := 0
			hooks := loop.Hooks{Typed: func() int {
				if n++; n > len(test.typed) {
					return 0
				}
				return test.typed[n-1]
			}}
			if test.typed == nil {
				hooks.Typed = nil
			}
			out, err := loop.Run(t.Context(), &script{replies: replies}, nil, tools, env, loop.Limits{}, hooks)
			if err != nil || (out.Stopped != "") != test.stopped {
				t.Errorf("stopped %q, %v; want %v", out.Stopped, err, test.stopped)
			}
			if test.stopped {
				answers := answersTo(out)
				if !strings.Contains(strings.Join(answers, "\n"), "error: not run, because it is the same call for the third time, and nothing has changed in between") {
					t.Errorf("answers: %q", answers)
				}
			}
			checkAnswered(t, out.Messages)
		})
	}
}

// Runs of one turn count the same mistake together, once per reply; when one of them stages
// something, only its own mistakes are cleared.
func TestRepeatsOfRunsThatAreOneTurn(t *testing.T) {
	var shared loop.Calls
	limits := loop.Limits{Calls: &shared}
	run := func(replies ...turn) string {
		env := newEnv(t)
		twoLines(t, env)
		env.Draft = env.Draft.Fork()
		out, err := loop.Run(t.Context(), &script{replies: append(replies, says("done"))}, nil, tool.All(), env, limits, loop.Hooks{})
		if err != nil {
			t.Error(err)
		}
		return out.Stopped
	}
	if stopped := run(calls("edit_file", bad, "edit_file", bad)); stopped != "" {
		t.Error(stopped)
	}
	if stopped := run(calls("edit_file", bad), calls("write_file", write("b")), says("done")); stopped != "" {
		t.Error(stopped)
	}
	if stopped := run(calls("edit_file", bad)); stopped != "" {
		t.Error(stopped)
	}
	if stopped := run(calls("edit_file", bad)); !strings.Contains(stopped, "same call of edit_file 3 times") {
		t.Errorf("stopped %q", stopped)
	}
}
