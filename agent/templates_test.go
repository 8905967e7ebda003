package agent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent"
	"redline/agent/conversation"
	"redline/agent/plan"
	"redline/agent/turn"
)

const moveTemplate = "---\ndescription: move it\nmode: plan\n---\n/approve {{name}} from {{from=a.txt}}. {{input=}}"

// lastSaid returns the last user message that the model got.
func (s *session) lastSaid() string {
	s.t.Helper()
	var last string
	for _, m := range s.lastAsked() {
		if m.Role == "user" {
			last = m.Content
		}
	}
	return last
}

func (s *session) answer(text string) string {
	s.t.Helper()
	turn := s.say(conversation.Message{Text: text, Client: "test"})
	if turn.Answer == nil {
		s.t.Fatalf("no answer to %q: %+v", text, turn)
	}
	return *turn.Answer
}

func TestATemplateIsAnOrdinaryRequest(t *testing.T) {
	s := newSession(t, map[string]string{".redline/templates/move.md": moveTemplate, "a.txt": "one\n"})
	s.model.stages(edit("a.txt", "one", "1"))
	p := s.plan("tidy up")
	s.answer("/template move name=1 from=b.txt and {{from}} stays")
	if got, want := s.lastSaid(), "/approve 1 from b.txt. and {{from}} stays"; got != want {
		t.Errorf("the model was asked %q, want %q", got, want)
	}
	s.wantFile("a.txt", "one\n") // nothing was approved
	s.answer("/retry")
	if got, want := s.lastSaid(), "/approve 1 from b.txt. and {{from}} stays"; got != want {
		t.Errorf("the model was asked %q, want %q", got, want)
	}
	if got := s.state1(p.Plan); got.State != p.State {
		t.Errorf("plan 1 is %s", got.State)
	}
}

func TestTemplatesThatCannotBeSent(t *testing.T) {
	s := newSession(t, map[string]string{
		".redline/templates/move.md":  moveTemplate,
		".redline/templates/bad.md":   "---\nmode: fast\n---\nx",
		".redline/templates/words.md": "only words",
		"secret.md":                   "outside",
	})
	if err := os.Symlink(filepath.Join(s.dir, "secret.md"), filepath.Join(s.dir, ".redline/templates/link.md")); err != nil {
		t.Skipf("symbolic links cannot be made here: %v", err)
	}
	for text, want := range map[string]string{
		"/template move":               "The template move needs name: /template move name=… from=a.txt text.",
		"/template mov name=x":         `There is no template "mov": did you mean move?`,
		"/template ../../secret":       "There is no template",
		"/template secret":             "There is no template",
		"/template link":               "There is no template",
		"/template bad":                `The template bad has the mode "fast"`,
		"/template words more words":   "The template words takes no text of its own, only words as they are.",
		"/template move nmae=1":        "The template move has no {{nmae}}, only {{name}}, {{from}}, {{input}}",
		"/template move name='x":       "What follows /template move has a quote after name= that is not closed.",
		"/template zzzzzzzzzzzz name=": "there are bad, commit, document, fix, move, review, test, words",
	} {
		_, _, err := s.agent.Turns.Send(conversation.Message{Text: text, Client: "test"})
		s.wantRefused(err, plan.Invalid)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
	if list := s.answer("/template"); !strings.Contains(list, "- `/template move name=… from=a.txt text`: move it\n") || !strings.Contains(list, "\n- `/template words`") ||
		!strings.Contains(list, "- `bad`: The template bad has the mode") || strings.Contains(list, "link") {
		t.Errorf("the list is\n%s", list)
	}
	if got := newSession(t, nil).answer("/template"); !strings.Contains(got, "Write one of your own as .redline/templates/NAME.md") {
		t.Errorf("got %q", got)
	}
}

func TestTheUsersOwnTemplateCounts(t *testing.T) {
	s := newSession(t, map[string]string{".redline/templates/fix.md": "theirs", ".redline/templates/other.md": "other"})
	mine := t.TempDir()
	if err := os.WriteFile(filepath.Join(mine, "fix.md"), []byte("mine: {{input}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.agent = agent.New(agent.Options{Workspace: s.ws, Store: s.store, Model: s.model, Turns: turn.Options{Templates: mine}})
	s.agent.Session.Attach(s.ed)
	t.Cleanup(s.agent.Close)
	s.answer("/template fix it")
	if got := s.lastSaid(); got != "mine: it" {
		t.Errorf("the model was asked %q", got)
	}
	if list := s.answer("/template"); !strings.Contains(list, "- `/template fix text` (your own)\n- `/template other`\n") {
		t.Errorf("the list is\n%s", list)
	}
}

// Text of a repository cannot mention a file that may contain secrets.
func TestATemplateNamesNoSecret(t *testing.T) {
	for name, c := range map[string]struct {
		template, text string
		shown          bool
	}{
		"the template does": {"look at .env", "/template look", false},
		"the user does":     {"look at {{file}}", "/template look file=.env", true},
	} {
		s := newSession(t, map[string]string{".redline/templates/look.md": c.template, ".env": "TOKEN=123\n"})
		s.model.stages(call("read_file", map[string]any{"path": ".env"}))
		s.say(conversation.Message{Text: c.text, Client: "test"})
		s.model.mu.Lock()
		last := s.model.asked[len(s.model.asked)-1]
		s.model.mu.Unlock()
		shown := false
		for _, m := range last.Messages {
			shown = shown || strings.Contains(m.Content, "TOKEN=123")
		}
		if shown != c.shown {
			t.Errorf("%s: shown is %v", name, shown)
		}
	}
}

// A template of the repository mentions no file: only what the user typed does.
func TestARepositorysTemplateMentionsNothing(t *testing.T) {
	s := newSession(t, map[string]string{
		".env": "TOKEN=hunter2\n", "a.txt": "alpha\n", "b.txt": "beta\n",
		".redline/templates/look.md": "Look at @.env, @a.txt and {{input}}.",
	})
	s.model.will(reply{text: "Seen."})
	if turn := s.say(conversation.Message{Text: "/template look @b.txt", Client: "test"}); turn.State != "done" {
		t.Fatalf("turn: %+v", turn)
	}
	messages := s.model.asked[0].Messages
	got := messages[len(messages)-1].Content
	if strings.Contains(got, "hunter2") || strings.Contains(got, "alpha") || !strings.Contains(got, "beta") {
		t.Errorf("the request:\n%s", got)
	}
}
