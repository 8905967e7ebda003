package chat_test

import (
	"os"
	"strings"
	"testing"

	"redline/agent/chat"
)

// messages reads a file of messages, one a line.
func messages(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func TestGoesOn(t *testing.T) {
	for _, text := range messages(t, "goes-on.txt") {
		if !chat.GoesOn(text) {
			t.Errorf("%q does not say to go on", text)
		}
	}
	for _, text := range append(messages(t, "near-misses.txt"), "", " ", ",", "—", "yes\nno", "👎", "?", "apply it? no", strings.Repeat("yes ", 40)) {
		if chat.GoesOn(text) {
			t.Errorf("%q says to go on", text)
		}
	}
}

// After a question, "yes" may be the reply to it. What names the plan is not.
func TestOnlyAgrees(t *testing.T) {
	for text, want := range map[string]bool{
		"yes": true, "yes, do it": true, "ok": true, "oui, vas-y": true,
		"LGTM": false, "apply the changes": false, "proceed with the plan": false, "no": false, "yes, but rename it": false,
	} {
		if got := chat.OnlyAgrees(text); got != want {
			t.Errorf("OnlyAgrees(%q) = %t", text, got)
		}
	}
	for answer, want := range map[string]bool{
		"It is renamed. Should I add a test as well?":  true,
		"Shall I also change b.txt? ":                  true,
		"**Do you want a test?**":                      true,
		"The plan is ready. Shall I change b.txt too?": true,
		"It is renamed. Shall I apply the plan?":       false,
		"Do you approve?":                              false,
		"Why? Because it was wrong.":                   false,
		"It is renamed.":                               false,
		"":                                             false,
		"?":                                            true,
	} {
		if got := chat.AsksForMore(answer); got != want {
			t.Errorf("AsksForMore(%q) = %t", answer, got)
		}
	}
}
