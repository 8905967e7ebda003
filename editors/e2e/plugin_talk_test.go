package e2e

import (
	"context"
	"strings"
	"testing"

	"redline/agent/model/modeltest"
)

// modelled makes the world's server use a model on the loopback interface that answers by a script.
func (w *world) modelled(replies ...modeltest.Reply) *modeltest.Server {
	w.t.Helper()
	server := modeltest.New(replies...)
	url, err := server.Start()
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(server.Close)
	w.env = append(w.env, "OPENAI_BASE_URL="+url, "OPENAI_API_KEY=none", "REDLINE_MODEL=scripted")
	return server
}

// A conversation with a slow model: the user asks about a selection and the answer streams into the
// chat window, cancels a turn by the command and one in the chat, sends the last request again,
// reworks a plan with feedback, and starts a new conversation, which knows nothing of this. Work
// that a turn leaves undone stays in the chat.
func TestNeovimPluginTalk(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, map[string]string{"main.go": before})
		model := w.modelled(
			modeltest.Stream(modeltest.Text("It greets"), modeltest.Wait("greets"), modeltest.Text(" with an emoji.")),
			modeltest.Stream(modeltest.Text("Let me think"), modeltest.Wait("cancelled")),
			modeltest.Stream(modeltest.Text("Once more"), modeltest.Wait("cancelled in the chat")),
			modeltest.Stream(modeltest.Text("Done thinking.")),
			modeltest.Stream(modeltest.Call("edit_file", `{"path":"main.go","old_string":"func greet() {}","new_string":"func salute() {}"}`)),
			modeltest.Stream(modeltest.Text("The function has another name.")),
			modeltest.Stream(modeltest.Call("edit_file", `{"path":"main.go","old_string":"func salute() {}","new_string":"func wave() {}"}`)),
			modeltest.Stream(modeltest.Text("It waves now.")),
			modeltest.Stream(modeltest.Text("I know nothing of it.")),
			modeltest.Stream(modeltest.Text("main.go\n<<<<<<< SEARCH\nfunc wave() {}\n=======\n")),
			modeltest.Stream(modeltest.Text("Never mind.")),
		)
		p := w.plugged(nvim, "main.go")
		p.attached()

		// A question about a selection. The answer appears while it arrives.
		p.run("3,4Redline what does this do?")
		p.holds("Text('redline://chat'):find('It greets', 1, true) ~= nil and Text('redline://chat'):find('emoji', 1, true) == nil")
		p.is("Redline: working…", "require('redline').statusline()")
		asked := model.Requests()[0]
		last := asked.Messages[len(asked.Messages)-1].Content
		if !strings.Contains(last, "what does this do?") || !strings.Contains(last, "func greet() {}") || strings.Contains(last, "func main()") {
			t.Errorf("the model was asked\n%s", last)
		}
		model.Release("greets")
		p.holds("Text('redline://chat'):find('It greets with an emoji.', 1, true) ~= nil")
		p.is("", "require('redline').statusline()")
		p.is("main.go", "vim.fn.expand('%:t')")

		// Cancelled by the command, sent again from the chat, and cancelled there.
		p.run("Redline how many words are there?")
		p.holds("Text('redline://chat'):find('Let me think', 1, true) ~= nil")
		p.run("Redline cancel")
		p.holds("select(2, Text('redline://chat'):gsub('%*Cancelled%.%*', '')) == 1")
		p.is("", "require('redline').statusline()")
		p.run("Redline cancel")
		p.holds("Noted('nothing is running.')")
		p.run("only")
		p.run("Redline chat")
		p.message("/retry")
		p.holds("Text('redline://chat'):find('Once more', 1, true) ~= nil")
		p.message("/cancel")
		p.holds("select(2, Text('redline://chat'):gsub('%*Cancelled%.%*', '')) == 2")
		p.message("/retry")
		p.holds("Text('redline://chat'):find('Done thinking.', 1, true) ~= nil")
		if n := strings.Count(p.lua("Text('redline://chat')"), "how many words are there?"); n == 0 {
			t.Error("the chat does not show what was asked")
		}

		// A plan, and another one that replaces it.
		p.run("Redline chat")
		p.run("Redline rename the function greet, please")
		p.holds("State(1) == 'awaiting_approval' and Drawn():find('salute', 1, true) ~= nil")
		p.run("Redline rework call it wave")
		p.holds("Drawn():find('wave', 1, true) ~= nil and Drawn():find('salute', 1, true) == nil")
		p.is("2", "require('redline.plans').get(1).revision")
		requests := model.Requests()
		if !strings.Contains(string(requests[len(requests)-1].Body), "call it wave") {
			t.Error("the feedback did not come to the model")
		}
		p.run("Redline approve plan")
		p.is("completed", "State(1)")
		p.is(strings.TrimSuffix(strings.Replace(before, "func greet", "func wave", 1), "\n"), "Text('main.go')")

		// A new conversation.
		p.run("Redline /new what did I ask?")
		p.holds("Text('redline://chat'):find('I know nothing of it.', 1, true) ~= nil")
		if err := model.Await(context.Background(), 9); err != nil {
			t.Fatal(err)
		}
		if body := string(model.Requests()[8].Body); strings.Contains(body, "call it wave") {
			t.Errorf("the new conversation has the old one in it:\n%s", body)
		}

		// An edit in an answer that is cut off and is not sent again.
		p.run("Redline remove wave")
		p.holds("Text('redline://chat'):find('\\n> The answer holds edits that were not taken, of main.go', 1, true) ~= nil")
	})
}

// message writes a message into the chat window, which has the cursor, and sends it.
func (p *plugged) message(text string) {
	p.t.Helper()
	p.is("redline://message", "vim.fn.bufname()")
	p.run("call setline(1, '" + text + "')")
	p.run("write")
}
