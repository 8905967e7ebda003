package lsp

import (
	"testing"

	"redline/lsp/command"
	"redline/lsp/lsptest"
)

// A client that shows answers itself gets them only as events, and everything else like any
// other client.
func TestAnswersOfItsOwn(t *testing.T) {
	for name, c := range map[string]struct {
		option lsptest.Option
		want   int
	}{
		"events":  {lsptest.WithEvents(), 2},
		"answers": {lsptest.WithAnswers(), 1},
	} {
		t.Run(name, func(t *testing.T) {
			e := connect(t, lsptest.Honest(), map[string]string{"a.txt": "apple\n"}, c.option)
			ask := func(message string) {
				_, err := e.Execute(e.ctx, command.Chat, message)
				e.must(err)
			}
			ask("what can you do?")
			e.await(lsptest.Expect("the end of the first turn", finished)) // or the next message would be queued and reported as waiting
			ask(`replace "apple" with "pear"`)
			e.await(lsptest.MessageContains("plan 1 is ready"))
			if got := len(e.Messages()); got != c.want {
				t.Errorf("there are %d messages, want %d: %v", got, c.want, e.Messages())
			}
		})
	}
}
