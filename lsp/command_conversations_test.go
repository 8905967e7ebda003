package lsp

import (
	"encoding/json"
	"strings"
	"testing"

	"redline/agent/state"
	"redline/lsp/command"
)

func (f *fixture) conversations(argument map[string]any) []state.Conversation {
	f.Helper()
	raw, err := f.run(command.Conversations, argument)
	if err != nil {
		f.Fatal(err)
	}
	var result struct{ Conversations []state.Conversation }
	if err := json.Unmarshal(raw, &result); err != nil || result.Conversations == nil {
		f.Fatalf("%s: %v", raw, err)
	}
	return result.Conversations
}

// A client can list the conversations of the workspace, read what was said in one, with the plan and the
// trace of each turn, and continue it.
func TestConversationsAreListedAndOpened(t *testing.T) {
	f := newFixture(t, client{}, map[string]string{"a.txt": twoFruits})
	if list := f.conversations(map[string]any{}); len(list) != 0 {
		t.Fatalf("before anything was said there are %+v", list)
	}
	first := f.ask(`replace "apple" with "pear" in a.txt`)
	f.ask("/ask what is it, with the password = hunter2hunter2secret?")
	f.ask(`/new replace "fig" with "plum" in a.txt`)
	list := f.conversations(map[string]any{})
	if len(list) != 2 || list[1].Conversation != first.Conversation || list[1].Count != 2 || list[1].Exchanges != nil ||
		!strings.HasPrefix(list[1].Request, `replace "apple"`) || list[0].Updated.Before(list[1].Updated) {
		t.Fatalf("%+v", list)
	}
	one := f.conversations(map[string]any{"conversation": first.Conversation})
	if len(one) != 1 || len(one[0].Exchanges) != 2 || one[0].Request != list[1].Request {
		t.Fatalf("%+v", one)
	}
	if e := one[0].Exchanges[0]; e.Plan != 1 || !strings.HasSuffix(e.Trace, "-"+first.Turn) || e.Answer != *first.Answer {
		t.Errorf("the first is %+v, want plan 1, the trace of %s and %q", e, first.Turn, *first.Answer)
	}
	if e := one[0].Exchanges[1]; e.Plan == 1 || strings.Contains(e.Request, "hunter2") {
		t.Errorf("the second is %+v", e)
	}
	raw, err := f.run(command.Chat, map[string]any{"message": "/ask why?", "conversation": first.Conversation})
	if err != nil {
		t.Fatal(err)
	}
	if next := f.await(raw); next.Conversation != first.Conversation || f.conversations(map[string]any{})[0].Conversation != first.Conversation {
		t.Errorf("it was continued as %+v", next)
	}
	if _, err := f.run(command.Conversations, map[string]any{"conversation": "c0"}); err == nil || !strings.Contains(err.Error(), "There is no conversation") {
		t.Errorf("one that there is not: %v", err)
	}
}
