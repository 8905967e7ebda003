package lsp

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/jsonrpc2"

	"redline/agent/state"
	"redline/internal/wire"
	"redline/lsp/command"
)

func TestCommandErrors(t *testing.T) {
	f := newFixture(t, client{}, map[string]string{"a.txt": twoFruits})
	f.ask(`replace "apple" with "pear" in a.txt`)
	f.shownOnce(1, 1)
	type object = map[string]any
	for name, c := range map[string]struct {
		command  string
		argument any
		code     jsonrpc2.Code
		kind     string
	}{
		"no such command":          {"redline.nothing", object{}, jsonrpc2.InvalidParams, "invalid"},
		"no object":                {command.Approve, 7, jsonrpc2.InvalidParams, "invalid"},
		"no plan":                  {command.Approve, object{}, jsonrpc2.InvalidParams, "invalid"},
		"a plan that is a text":    {command.Approve, object{"plan": "1"}, jsonrpc2.InvalidParams, "invalid"},
		"a mistyped scope":         {command.Approve, object{"plan": 1, "hunx": []string{"h1"}}, jsonrpc2.InvalidParams, "invalid"},
		"no hunks":                 {command.Approve, object{"plan": 1, "hunks": []string{}}, jsonrpc2.InvalidParams, "invalid"},
		"hunks without a name":     {command.Reject, object{"plan": 1, "hunks": []string{"h1", ""}}, jsonrpc2.InvalidParams, "invalid"},
		"hunks that are not":       {command.Approve, object{"plan": 1, "hunks": []string{"h1", "h9"}}, jsonrpc2.InvalidParams, "invalid"},
		"an empty hunk":            {command.Approve, object{"plan": 1, "hunk": ""}, jsonrpc2.InvalidParams, "invalid"},
		"an empty path":            {command.Reject, object{"plan": 1, "path": ""}, jsonrpc2.InvalidParams, "invalid"},
		"another plan":             {command.Approve, object{"plan": 9}, wire.RequestFailed, "no_such_plan"},
		"another hash":             {command.Approve, object{"plan": 1, "hash": "sha256:0"}, wire.RequestFailed, "hash_mismatch"},
		"another revision":         {command.Reject, object{"plan": 1, "revision": 2}, wire.RequestFailed, "hash_mismatch"},
		"a hunk that is not":       {command.Approve, object{"plan": 1, "hunk": "h9"}, jsonrpc2.InvalidParams, "invalid"},
		"nothing to undo":          {command.Undo, object{"plan": 1}, wire.RequestFailed, "wrong_state"},
		"undo of a pending hunk":   {command.Undo, object{"plan": 1, "hunk": "h1"}, wire.RequestFailed, "wrong_state"},
		"staging without a plan":   {command.Stage, object{}, jsonrpc2.InvalidParams, "invalid"},
		"no operation":             {command.Stage, object{"plan": 1, "remove": []string{}}, jsonrpc2.InvalidParams, "invalid"},
		"no order":                 {command.Stage, object{"plan": 1, "order": []string{}}, jsonrpc2.InvalidParams, "invalid"},
		"two at a time":            {command.Stage, object{"plan": 1, "order": []string{"o1"}, "clear": true}, jsonrpc2.InvalidParams, "invalid"},
		"another operation":        {command.Stage, object{"plan": 1, "remove": []string{"o9"}}, jsonrpc2.InvalidParams, "invalid"},
		"staging of another plan":  {command.Stage, object{"plan": 9, "clear": true}, wire.RequestFailed, "no_such_plan"},
		"rollback":                 {command.Rollback, object{"plan": 1, "revision": 1}, jsonrpc2.InvalidParams, "invalid"},
		"a rating without a plan":  {command.Rate, object{"rating": 4}, jsonrpc2.InvalidParams, "invalid"},
		"a rating that is none":    {command.Rate, object{"plan": 1, "rating": 6}, jsonrpc2.InvalidParams, "invalid"},
		"a rating of another plan": {command.Rate, object{"plan": 9, "rating": 4}, wire.RequestFailed, "no_such_plan"},
		"review":                   {command.Review, object{"plan": 1}, wire.RequestFailed, "not_allowed"},
		"rework without feedback":  {command.Rework, object{"plan": 1}, jsonrpc2.InvalidParams, "invalid"},
		"rework of another plan":   {command.Rework, object{"plan": 9, "feedback": "x"}, wire.RequestFailed, "no_such_plan"},
		"no message":               {command.Chat, object{}, jsonrpc2.InvalidParams, "invalid"},
		"a blank message":          {command.Chat, "  ", jsonrpc2.InvalidParams, "invalid"},
		"a comment without place":  {command.Chat, object{"comment": true}, jsonrpc2.InvalidParams, "invalid"},
		"a range that is none":     {command.Chat, object{"message": "x", "range": 3}, jsonrpc2.InvalidParams, "invalid"},
		"a view that is not":       {command.Show, object{"view": "moon"}, jsonrpc2.InvalidParams, "invalid"},
		"no such turn":             {command.Show, object{"view": "trace", "turn": "t99"}, jsonrpc2.InvalidParams, "invalid"},
		"show without a plan":      {command.Show, object{"view": "plan"}, jsonrpc2.InvalidParams, "invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := f.run(c.command, c.argument)
			if code, kind := codeOf(t, err); code != c.code || kind != c.kind {
				t.Errorf("got %d %q (%v), want %d %q", code, kind, err, c.code, c.kind)
			}
		})
	}
	if _, err := f.executeCommand(f.ctx, &executeCommandParams{Command: command.State, Arguments: nil}); err != nil {
		t.Errorf("no argument at all: %v", err)
	}
}

func TestStaleRefusalNamesTheHunks(t *testing.T) {
	f := newFixture(t, client{}, nil)
	f.open("a.txt", twoFruits)
	f.ask(`replace "apple" with "pear" in a.txt`)
	f.shownOnce(1, 1)
	f.change("a.txt", `[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"text":"O"}]`)
	_, err := f.run(command.Approve, map[string]any{"plan": 1})
	if code, kind := codeOf(t, err); code != wire.RequestFailed || kind != "stale" {
		t.Fatalf("got %v", err)
	}
	answer := err.(*jsonrpc2.Error)
	if want := `{"kind":"stale","hunks":["h1"]}`; string(answer.Data) != want {
		t.Errorf("data is %s, want %s", answer.Data, want)
	}
}

func TestStateSpeaksTheNegotiatedEncoding(t *testing.T) {
	f := newFixture(t, client{}, map[string]string{"a.txt": twoFruits})
	f.ask(`replace "apple" with "pear" in a.txt`)
	raw, err := f.run(command.State, map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	var s state.State
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	if len(s.Plans) != 1 || len(s.Plans[0].Files) != 1 || len(s.Plans[0].Files[0].Hunks) != 2 || len(s.Turns) != 1 || s.Model.Provider != "builtin" {
		t.Fatalf("got %s", raw)
	}
	if got := s.Plans[0].Files[0].URI; got != f.uri("a.txt") {
		t.Errorf("the uri is %s", got)
	}
}

// The state can be read without a folder: it is empty.
func TestStateWithoutAFolder(t *testing.T) {
	f := newFixtureIn(t, client{}, nil)
	raw, err := f.run(command.State, map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"plans":[],"turns":[],"model":{"provider":"builtin","name":"builtin"},"trials":"none"}`; string(raw) != want {
		t.Errorf("got %s, want %s", raw, want)
	}
}

// Several hunks, also of different files, are one decision.
func TestDecisionOnSeveralHunks(t *testing.T) {
	f := newFixture(t, client{}, map[string]string{"a.txt": twoFruits, "b.txt": "an apple\n"})
	f.ask(`replace "apple" with "pear"`)
	f.shownOnce(1, 1)
	raw, err := f.run(command.Reject, map[string]any{"plan": 1, "hunk": "h1", "hunks": []string{"h3"}})
	if err != nil {
		t.Fatal(err)
	}
	var p state.Plan
	if err := json.Unmarshal(raw, &p); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, file := range p.Files {
		for _, h := range file.Hunks {
			got = append(got, h.ID+" "+h.Status)
		}
	}
	if diff := cmp.Diff([]string{"h1 rejected", "h2 pending", "h3 rejected"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestRejectReturnsThePlan(t *testing.T) {
	f := newFixture(t, client{}, map[string]string{"a.txt": twoFruits})
	f.ask(`replace "apple" with "pear" in a.txt`)
	f.shownOnce(1, 1)
	raw, err := f.run(command.Reject, map[string]any{"plan": 1, "reason": "no"})
	if err != nil {
		t.Fatal(err)
	}
	var p state.Plan
	if err := json.Unmarshal(raw, &p); err != nil {
		t.Fatal(err)
	}
	if p.State != "cancelled" || p.Files[0].Hunks[0].Status != "rejected" {
		t.Errorf("got %s", raw)
	}
}

func TestShow(t *testing.T) {
	f := newFixture(t, client{}, map[string]string{"a.txt": twoFruits})
	f.ask(`replace "apple" with "pear" in a.txt`)
	for name, c := range map[string]struct {
		argument map[string]any
		file     string
	}{
		"a plan":             {map[string]any{"plan": 1}, ".redline/plans/0001-r1.md"},
		"the chat":           {map[string]any{}, ".redline/chat.md"},
		"the chat of a plan": {map[string]any{"plan": 1, "view": "chat", "prompt": "/rework 1 "}, ".redline/chat.md"},
	} {
		raw, err := f.run(command.Show, c.argument)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if want := `{"uri":"` + f.uri(c.file) + `"}`; string(raw) != want {
			t.Errorf("%s: got %s, want %s", name, raw, want)
		}
	}
}

// A client that has the answer of a command knows the plan in it: a decision without a
// revision means that one, whether or not it was also presented.
func TestWhatACommandTellsWasShown(t *testing.T) {
	f := newFixture(t, client{}, map[string]string{"a.txt": "apple\n", "b.txt": "apple\n"})
	f.ask(`replace "apple" with "pear"`)
	for i := range 20 {
		name, argument := command.Stage, map[string]any{"plan": 1, "order": []string{"o2", "o1"}}
		if i%2 == 1 {
			name, argument = command.Rollback, map[string]any{"plan": 1, "revision": 1}
		}
		raw, err := f.run(name, argument)
		if err != nil {
			t.Fatal(err)
		}
		var told state.Plan
		if err := json.Unmarshal(raw, &told); err != nil {
			t.Fatal(err)
		}
		if revision, hash, _ := f.shown.Now()(1); revision != told.Revision || hash != told.Hash {
			t.Fatalf("%s has told revision %d, and %d counts as shown", name, told.Revision, revision)
		}
	}
}
