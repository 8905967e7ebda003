package turn_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"redline/agent/model"
	"redline/agent/session"
	"redline/agent/store"
	"redline/agent/turn"
	"redline/workspace"
)

// provider counts what it is asked.
type provider struct {
	base  string
	asked int
}

func (p *provider) Info() model.Info { return model.Info{Name: "m", BaseURL: p.base} }
func (p *provider) Complete(context.Context, model.Request, func(model.Event)) (model.Reply, error) {
	p.asked++
	return model.Reply{Text: "yes"}, nil
}

// asking asks a provider in a new session, and returns the messages that the user sees.
func asking(t *testing.T, state, dir, base, by string) (told []string) {
	t.Helper()
	st := store.New(state)
	defer st.Close()
	ws := workspace.New([]workspace.Folder{{Dir: dir}}, workspace.Options{})
	p := &provider{base: base}
	var mu sync.Mutex
	a := turn.Announce(p, session.New(ws, st, nil, nil), turn.Choice{By: by, Tell: func(text string) {
		mu.Lock()
		defer mu.Unlock()
		if p.asked != 0 {
			t.Error("the message came after the request was sent")
		}
		told = append(told, text)
	}})
	for _, purpose := range []model.Purpose{model.Answering, model.Classifying, model.Answering} {
		if reply, err := model.For(a, purpose).Complete(t.Context(), model.Request{}, nil); err != nil || reply.Text != "yes" {
			t.Fatalf("%+v, %v", reply, err)
		}
	}
	return told
}

func TestADestinationIsToldOnceForEachWorkspace(t *testing.T) {
	state, one, two := t.TempDir(), t.TempDir(), t.TempDir()
	const here, there = "https://api.anthropic.com/v1", "https://openrouter.ai/api/v1"
	for i, c := range []struct {
		dir, base string
		want      int
	}{{one, here, 1}, {one, here, 0}, {two, here, 1}, {one, there, 1}, {one, here, 0}} {
		told := asking(t, state, c.dir, c.base, "ANTHROPIC_API_KEY")
		if len(told) != c.want {
			t.Fatalf("%d: the messages are %q, want %d", i, told, c.want)
		}
		for _, text := range told {
			for _, part := range []string{"goes to " + c.base + ", because ANTHROPIC_API_KEY is set", `provider = "builtin"`, "redline setup"} {
				if !strings.Contains(text, part) {
					t.Errorf("%q is not in %q", part, text)
				}
			}
		}
	}
}

func TestAChosenDestinationIsNotTold(t *testing.T) {
	if told := asking(t, t.TempDir(), t.TempDir(), "https://api.anthropic.com/v1", ""); told != nil {
		t.Errorf("the messages are %q", told)
	}
}

// Without a store the message comes in each session.
func TestADestinationIsToldWithoutAStore(t *testing.T) {
	for range 2 {
		if told := asking(t, "/dev/null/no", t.TempDir(), "https://api.anthropic.com/v1", "X"); len(told) != 1 {
			t.Errorf("the messages are %q", told)
		}
	}
}
