package lsp

import (
	"errors"
	"strings"
	"testing"

	"redline/agent"
	"redline/agent/outside"
	"redline/agent/turn"
	"redline/lsp/lsptest"
)

// Before an outside agent has been allowed, the user is asked, and told what may be allowed. An editor
// that has no questions says how to allow it instead, and nothing that the user cannot do.
func TestAskedBeforeAnAgentWorks(t *testing.T) {
	for name, p := range map[string]lsptest.Profile{"asks": lsptest.Honest(), "has no questions": lsptest.HelixLike()} {
		t.Run(name, func(t *testing.T) {
			mender := outside.Agent{Name: "mender", Command: []string{"sh", "-c", "true", "-"}}
			c := connectTo(t, p, t.TempDir(), Options{NewAgent: builtinAgent(t, func(o *agent.Options) {
				o.Turns.OutsideOptions = turn.OutsideOptions{OutsideAgents: []outside.Agent{mender}, OutsideDefault: "mender", OutsideAgent: func(name string) (outside.Agent, error) {
					if name != mender.Name {
						return outside.Agent{}, errors.New("it is not known")
					}
					return mender, nil
				}}
			})})
			c.OnAsk(always("Not now"))
			c.ask("make it greet")
			why := "mender does not work here: you have not allowed it."
			if !p.ShowMessageRequest {
				why = "run `redline outside allow mender` here"
			}
			c.await(lsptest.MessageContains(why))
			asked := questions(c.Editor)
			if p.ShowMessageRequest && (len(asked) != 1 || !strings.Contains(asked[0].Text, "mender (`") || !strings.Contains(asked[0].Text, "works on a copy of ")) {
				t.Errorf("asked %+v", asked)
			}
			for _, m := range c.Messages() {
				if strings.Contains(m.Text, "where it is shown") {
					t.Errorf("told %s", m.Text)
				}
			}
		})
	}
}
