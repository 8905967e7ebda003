package turn_test

import (
	"strings"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/conversation"
	"redline/agent/state"
)

// What the user shows the model of a command's output has no tokens and keys, as what tools show.
func TestInputWithoutSecrets(t *testing.T) {
	token := "gh" + "p_aB3kq7uL2mNpRsWfHjGdYcXaVbE5oI8tKzQ1"
	for name, c := range map[string]struct {
		output string
		told   int
	}{
		"a token":   {"prices_test.go:5: Sum is not defined\nAuthorization: token " + token + "\nexit 1\n", 1},
		"coloured":  {"prices_test.go:5: Sum is not defined\n\x1b[31mtoken " + token[:9] + "\x1b[0m" + token[9:] + "\nexit 1\n", 1},
		"at length": {strings.Repeat("ok shop 0.012s\n", 1<<17) + "prices_test.go:5: Sum is not defined\ntoken " + token + "\nexit 1\n", 1},
		"none":      {"prices_test.go:5: Sum is not defined\nexit 1\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
			s.Model.Will(agenttest.Reply{Text: "Well."})
			s.Say(conversation.Message{Text: "what fails?", Output: c.output, Client: "test"})
			all := ""
			for _, m := range s.Model.Asked()[0].Messages {
				all += m.Content + "\n"
			}
			if !strings.Contains(all, "Sum is not defined") || strings.Contains(all, token[9:]) {
				t.Errorf("the model gets\n%.2000s", all)
			}
			told := 0
			for _, e := range s.Editor.Events(state.Noticed) {
				if strings.Contains(e.Text, "may hold secrets in 1 place") {
					told++
				}
			}
			if told != c.told {
				t.Errorf("told %d times", told)
			}
		})
	}
}
