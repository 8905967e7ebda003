package loop_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/tool"
)

// cut returns a reply that was cut off.
func cut(t turn, finish string) turn {
	t.reply.Finish = finish
	return t
}

// The last call of a cut reply is never made, whether its JSON is whole or not, and the model
// learns why and what to do instead. The user learns what is missing in the end.
func TestCutReplies(t *testing.T) {
	big := `{"path":"big.txt","content":"first half`
	closed := big + `"}`
	var answerOf string
	for name, c := range map[string]struct {
		replies  []turn
		requests int
		staged   string   // paths
		told     []string // in the answer to the cut call; none: no call is answered so
		stopped  string   // in the sentence for the user; "" for none
		text     string
	}{
		"closed by the gateway": {[]turn{cut(calls("write_file", closed), "length"), says("Done.")}, 2, "",
			[]string{"error: not run", "cut off in this call", "(1 token)", "Write the file in pieces", "edit_file"},
			"A call was not made (write_file big.txt), because the reply was cut off within it: it came to the longest reply that the model may make (1 token).", "Done."},
		"not closed":              {[]turn{cut(calls("write_file", big), "length"), says("Done.")}, 2, "", []string{"Write the file in pieces"}, "(write_file big.txt)", "Done."},
		"made again":              {[]turn{cut(calls("write_file", closed), "length"), calls("write_file", write("big.txt")), says("Done.")}, 3, "big.txt", []string{"pieces"}, "", "Done."},
		"made again elsewhere":    {[]turn{cut(calls("write_file", closed), "length"), calls("write_file", write("b.txt")), says("Done.")}, 3, "b.txt", []string{"pieces"}, "(write_file big.txt)", "Done."},
		"the calls before it":     {[]turn{cut(calls("write_file", write("a.txt"), "write_file", closed), "length"), calls("write_file", write("big.txt")), says("Done.")}, 3, "a.txt big.txt", []string{"pieces"}, "", "Done."},
		"an edit":                 {[]turn{cut(calls("edit_file", `{"path":"a.txt","old_string":"x`), "length"), says("Done.")}, 2, "", []string{"Make the edit in pieces"}, "(edit_file a.txt)", "Done."},
		"a call that reads":       {[]turn{cut(calls("list_files", `{}`), "length"), says("Nothing.")}, 2, "", []string{"Make it with less text"}, "", "Nothing."},
		"no tool":                 {[]turn{cut(calls("write_fi", `{`), "length"), says("Nothing.")}, 2, "", []string{"Make it with less text"}, "", "Nothing."},
		"filtered":                {[]turn{cut(calls("write_file", closed), "content_filter"), says("I may not.")}, 2, "", []string{"content filter", "in other words"}, "the provider's content filter ended it", "I may not."},
		"again and again":         {[]turn{cut(calls("write_file", closed), "length")}, 3, "", []string{"pieces"}, "The turn was ended because 3 replies in a row were cut off", ""},
		"twice, then a good one":  {[]turn{cut(calls("write_file", closed), "length"), cut(calls("write_file", closed), "length"), calls("list_files", `{}`), cut(calls("write_file", closed), "length"), says("No.")}, 5, "", []string{"pieces"}, "A call was not made", "No."},
		"an answer":               {[]turn{cut(says("It is so bec"), "length")}, 1, "", nil, "The answer is cut off: it came to the longest reply that the model may make.", "It is so bec"},
		"a filtered answer":       {[]turn{cut(says("It is so bec"), "content_filter")}, 1, "", nil, "The answer is cut off: the provider's content filter ended it.", "It is so bec"},
		"an answer after an edit": {[]turn{calls("write_file", write("a.txt")), cut(says("I have wri"), "length")}, 2, "a.txt", nil, "The answer is cut off", "I have wri"},
		"a whole answer":          {[]turn{says("It is so.")}, 1, "", nil, "", "It is so."},
		"edits and a cut end":     {[]turn{cut(says("a.txt\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n\nI have al"), "length")}, 1, "a.txt", nil, "The answer is cut off", "a.txt\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n\nI have al"},
	} {
		t.Run(name, func(t *testing.T) {
			env := newEnv(t)
			p := &script{replies: c.replies}
			out, err := loop.Run(t.Context(), p, []model.Message{{Role: model.RoleUser, Content: "do it"}}, tool.All(), env, loop.Limits{}, loop.Hooks{})
			if err != nil || out.Requests != c.requests || c.text != "" && out.Text != c.text {
				t.Errorf("%d requests, %q, %v", out.Requests, out.Text, err)
			}
			checkAnswered(t, out.Messages)
			if got := strings.Join(env.Draft.Paths(), " "); got != c.staged && len(env.Draft.Operations()) > 0 || c.staged != "" && got == "" {
				t.Errorf("staged %q, want %q", got, c.staged)
			}
			if (out.Stopped != "") != (c.stopped != "") || !strings.Contains(out.Stopped, c.stopped) {
				t.Errorf("the user is told %q, want %q", out.Stopped, c.stopped)
			}
			answerOf = ""
			for _, m := range out.Messages {
				if m.Role == model.RoleTool && strings.Contains(m.Content, "cut off in") || strings.Contains(m.Content, "content filter") {
					answerOf = m.Content
					break
				}
			}
			if (answerOf != "") != (len(c.told) > 0) || slices.ContainsFunc(c.told, func(w string) bool { return !strings.Contains(answerOf, w) }) {
				t.Errorf("the model is told %q, want %q", answerOf, c.told)
			}
		})
	}
}

// A model that writes its calls into its reply learns that the array was cut, and how to make it
// shorter.
func TestCutArrays(t *testing.T) {
	array := "```json\n" + `[{"action": "tool", "tool": "write_file", "args": {"path": "a.txt", "content": "x`
	reply := cut(says(array), "length")
	reply.reply.ToolsInText, reply.reply.Usage.Completion = true, 4096
	whole := says(fmt.Sprintf("```json\n[{\"action\": \"tool\", \"tool\": \"write_file\", \"args\": %s}, {\"action\": \"final\", \"answer\": \"Done.\"}]\n```", write("a.txt")))
	whole.reply.ToolsInText = true
	env := newEnv(t)
	p := &script{replies: []turn{reply, whole}}
	out, err := loop.Run(t.Context(), p, []model.Message{{Role: model.RoleUser, Content: "do it"}}, tool.All(), env, loop.Limits{}, loop.Hooks{})
	if err != nil || out.Stopped != "" || out.Text != "Done." || len(env.Draft.Operations()) != 1 {
		t.Fatalf("%+v, %v", out, err)
	}
	messages := p.asked[1].Messages
	if told := messages[len(messages)-1].Content; !strings.Contains(told, "(4096 tokens)") || !strings.Contains(told, "shorter array") {
		t.Errorf("the model is told %q", told)
	}
}

// An edit in an answer that the limit cuts is asked for in smaller pieces.
func TestCutEditsInAnswers(t *testing.T) {
	reply := cut(says("a.txt\n<<<<<<< SEARCH\n=======\nx\n"), "length")
	p := &script{replies: []turn{reply, says("No.")}}
	out, err := loop.Run(t.Context(), p, []model.Message{{Role: model.RoleUser, Content: "do it"}}, tool.All(), newEnv(t), loop.Limits{}, loop.Hooks{})
	if err != nil || out.Requests != 2 {
		t.Fatalf("%+v, %v", out, err)
	}
	messages := p.asked[1].Messages
	if told := messages[len(messages)-1].Content; !strings.Contains(told, "in smaller pieces") {
		t.Errorf("the model is told %q", told)
	}
}
