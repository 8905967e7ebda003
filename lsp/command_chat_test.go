package lsp

import (
	"strings"
	"testing"

	"redline/lsp/command"
)

// agents are agent files of the repository: one that only looks, and one that may do all.
var agents = map[string]string{
	"a.txt":                     twoFruits,
	".redline/agents/reader.md": "---\nmode: primary\npermission: {edit: deny}\n---\nOnly look.\n",
	".redline/agents/helper.md": "---\nmode: primary\n---\nHelp.\n",
}

// The agent that a message names counts from this message on, in its conversation.
func TestAMessageNamesAnAgent(t *testing.T) {
	f := newFixture(t, client{}, agents)
	send := func(argument map[string]any) (agent string, planned bool) {
		t.Helper()
		argument["message"] = `replace "apple" with "pear" in a.txt`
		raw, err := f.run(command.Chat, argument)
		if err != nil {
			t.Fatal(err)
		}
		turn := f.await(raw)
		return turn.Agent, !strings.Contains(*turn.Answer, "which is not available for this request")
	}
	for i, step := range []struct {
		argument map[string]any
		agent    string
		planned  bool
	}{
		{map[string]any{"agent": "reader"}, "reader", false},
		{map[string]any{}, "reader", false},
		{map[string]any{"conversation": "another"}, "", true},
		{map[string]any{"agent": "none"}, "", true},
	} {
		if agent, planned := send(step.argument); agent != step.agent || planned != step.planned {
			t.Errorf("message %d: the agent is %q, there is a plan: %v", i, agent, planned)
		}
	}
}

// An agent that does not exist is refused: another one could do more than was meant.
func TestAMessageForAnUnknownAgentIsRefused(t *testing.T) {
	f := newFixture(t, client{}, agents)
	const want = `There is no agent "raeder", did you mean reader? The agents are helper and reader.`
	_, err := f.run(command.Chat, map[string]any{"message": "x", "agent": "raeder"})
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}
