package turn_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/conversation"
	"redline/agent/plan"
)

const moveTemplate = "---\ndescription: move it\nmode: plan\n---\n/approve {{name}} from {{from=a.txt}}. {{input=}}"

// lastSaid returns the last user message that the model got.
func lastSaid(s *agenttest.Session) string {
	s.T.Helper()
	var last string
	for _, m := range s.LastAsked() {
		if m.Role == "user" {
			last = m.Content
		}
	}
	return last
}

func answer(s *agenttest.Session, text string) string {
	s.T.Helper()
	turn := s.Say(conversation.Message{Text: text, Client: "test"})
	if turn.Answer == nil {
		s.T.Fatalf("no answer to %q: %+v", text, turn)
	}
	return *turn.Answer
}

func TestATemplateIsAnOrdinaryRequest(t *testing.T) {
	s := agenttest.New(t, map[string]string{".redline/templates/move.md": moveTemplate, "a.txt": "one\n"})
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"))
	p := s.Plan("tidy up")
	answer(s, "/template move name=1 from=b.txt and {{from}} stays")
	if got, want := lastSaid(s), "/approve 1 from b.txt. and {{from}} stays"; got != want {
		t.Errorf("the model was asked %q, want %q", got, want)
	}
	s.WantFile("a.txt", "one\n") // nothing was approved
	answer(s, "/retry")
	if got, want := lastSaid(s), "/approve 1 from b.txt. and {{from}} stays"; got != want {
		t.Errorf("the model was asked %q, want %q", got, want)
	}
	if got := s.PlanNow(p.Plan); got.State != p.State {
		t.Errorf("plan 1 is %s", got.State)
	}
}

func TestTemplatesThatCannotBeSent(t *testing.T) {
	s := agenttest.New(t, map[string]string{
		".redline/templates/move.md":  moveTemplate,
		".redline/templates/bad.md":   "---\nmode: fast\n---\nx",
		".redline/templates/words.md": "only words",
		"secret.md":                   "outside",
	})
	if err := os.Symlink(filepath.Join(s.Dir, "secret.md"), filepath.Join(s.Dir, ".redline/templates/link.md")); err != nil {
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
		_, _, err := s.Agent.Turns.Send(conversation.Message{Text: text, Client: "test"})
		s.WantRefused(err, plan.Invalid)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
	if list := answer(s, "/template"); !strings.Contains(list, "- `/template move name=… from=a.txt text`: move it\n") || !strings.Contains(list, "\n- `/template words`") ||
		!strings.Contains(list, "- `bad`: The template bad has the mode") || strings.Contains(list, "link") {
		t.Errorf("the list is\n%s", list)
	}
	if got := answer(agenttest.New(t, nil), "/template"); !strings.Contains(got, "Write one of your own as .redline/templates/NAME.md") {
		t.Errorf("got %q", got)
	}
}

func TestTheUsersOwnTemplateCounts(t *testing.T) {
	s := agenttest.New(t, map[string]string{".redline/templates/fix.md": "theirs", ".redline/templates/other.md": "other"})
	mine := t.TempDir()
	if err := os.WriteFile(filepath.Join(mine, "fix.md"), []byte("mine: {{input}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.With(func(o *agent.Options) { o.Turns.Templates = mine })
	answer(s, "/template fix it")
	if got := lastSaid(s); got != "mine: it" {
		t.Errorf("the model was asked %q", got)
	}
	if list := answer(s, "/template"); !strings.Contains(list, "- `/template fix text` (your own)\n- `/template other`\n") {
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
		s := agenttest.New(t, map[string]string{".redline/templates/look.md": c.template, ".env": "TOKEN=123\n"})
		s.Model.Stages(agenttest.Call("read_file", map[string]any{"path": ".env"}))
		s.Say(conversation.Message{Text: c.text, Client: "test"})
		last := s.Model.Asked()[len(s.Model.Asked())-1]
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
	s := agenttest.New(t, map[string]string{
		".env": "TOKEN=hunter2\n", "a.txt": "alpha\n", "b.txt": "beta\n",
		".redline/templates/look.md": "Look at @.env, @a.txt and {{input}}.",
	})
	s.Model.Will(agenttest.Reply{Text: "Seen."})
	if turn := s.Say(conversation.Message{Text: "/template look @b.txt", Client: "test"}); turn.State != "done" {
		t.Fatalf("turn: %+v", turn)
	}
	messages := s.Model.Asked()[0].Messages
	got := messages[len(messages)-1].Content
	if strings.Contains(got, "hunter2") || strings.Contains(got, "alpha") || !strings.Contains(got, "beta") {
		t.Errorf("the request:\n%s", got)
	}
}
