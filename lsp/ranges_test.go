package lsp

import (
	"bufio"
	"encoding/json"
	"net"
	"net/textproto"
	"slices"
	"testing"
	"time"

	"redline/agent/state"
	"redline/edits"
	"redline/internal/wire"
	"redline/lsp/command"
	"redline/lsp/lsptest"
	"redline/lsp/present"
)

// lastLine is a text whose last line has no line end: the position of its end depends on
// the encoding.
const lastLine = "one\né𝄞 apple"

// lastLineEnds is the end of lastLine in each encoding.
var lastLineEnds = map[edits.Encoding]state.Position{
	edits.UTF8: {Line: 1, Character: 12}, edits.UTF16: {Line: 1, Character: 9}, edits.UTF32: {Line: 1, Character: 8},
}

// Ranges in the state, in the hunks of a document and in events are in the negotiated
// encoding.
func TestRangesAreInTheNegotiatedEncoding(t *testing.T) {
	for encoding, end := range lastLineEnds {
		t.Run(encoding.String(), func(t *testing.T) {
			profile := lsptest.Honest()
			profile.Encodings = []string{encoding.String()}
			c := connect(t, profile, map[string]string{"a.txt": lastLine}, lsptest.WithEvents())
			c.plan(`replace "𝄞" with "é"`)
			want := state.Range{Start: state.Position{Line: 1}, End: end}

			var told state.State
			raw, err := c.Execute(c.ctx, command.State, map[string]any{})
			c.must(err)
			c.must(json.Unmarshal(raw, &told))
			if got := told.Plans[0].Files[0].Hunks[0].Range; got != want {
				t.Errorf("%s: %v, want %v", command.State, got, want)
			}

			var hunks command.DocumentHunks
			raw, err = c.Execute(c.ctx, command.Hunks, map[string]any{"textDocument": map[string]any{"uri": c.URI("a.txt")}})
			c.must(err)
			c.must(json.Unmarshal(raw, &hunks))
			if got := hunks.Hunks[0].Range; got != want {
				t.Errorf("%s: %v, want %v", command.Hunks, got, want)
			}
			changed := [][4]int{{0, end.Character - len(" apple"), 0, map[edits.Encoding]int{edits.UTF8: 4, edits.UTF16: 2, edits.UTF32: 2}[encoding]}}
			if rows := hunks.Hunks[0].Rows; len(rows) != 1 || !slices.Equal(rows[0].Changes, changed) {
				t.Errorf("%s: the rows %+v, want the changes %v", command.Hunks, rows, changed)
			}

			events := 0
			for _, raw := range c.Events() {
				var e state.Event
				c.must(json.Unmarshal(raw, &e))
				if e.Plan == nil || len(e.Plan.Files) == 0 {
					continue
				}
				events++
				if got := e.Plan.Files[0].Hunks[0].Range; got != want {
					t.Errorf("event %s: %v, want %v", e.Kind, got, want)
				}
			}
			if events == 0 {
				t.Error("no event has the plan")
			}
		})
	}
}

// An event has the plan as it was at the event, even if the plan has changed or been
// removed since, and in every encoding.
func TestEventsTellThePlanOfTheirTime(t *testing.T) {
	for encoding, end := range lastLineEnds {
		t.Run(encoding.String(), func(t *testing.T) {
			f := newFixture(t, client{events: present.Client{Events: true}, encoding: encoding}, map[string]string{"a.txt": lastLine})
			f.ask(`replace "apple" with "pear"`)
			then, err := f.backend.Agent().Board.PlanState(f.ctx, 1)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.run(command.Reject, map[string]any{"plan": 1, "hash": then.Hash}); err != nil {
				t.Fatal(err)
			}
			want := state.Range{Start: state.Position{Line: 1}, End: end}
			for name, number := range map[string]int{"decided since": 1, "removed since": 2} {
				if got := f.forwarded(state.Event{Kind: state.PlanChanged, PlanNumber: number, Plan: &then}); got.State != then.State || got.Files[0].Hunks[0].Range != want {
					t.Errorf("%s: it was %s at %v, and the event has %s at %v", name, then.State, want, got.State, got.Files[0].Hunks[0].Range)
				}
			}
		})
	}
}

// forwarded returns the plan in the notification that a client gets for an event.
func (f *fixture) forwarded(e state.Event) state.Plan {
	f.Helper()
	near, far := net.Pipe()
	o := f.presentation()
	o.Conn = wire.NewConn(f.ctx, near, wire.NewRouter(), wire.Options{})
	o.Conn.Start()
	defer func() { far.Close(); <-o.Conn.Done() }()
	p := present.New(o)
	o.Conn.Go("presentation", p.Run)
	p.Notify(e)
	far.SetReadDeadline(time.Now().Add(deadline))
	r := textproto.NewReader(bufio.NewReader(far))
	if _, err := r.ReadMIMEHeader(); err != nil {
		f.Fatal(err)
	}
	var sent struct {
		Method string
		Params state.Event
	}
	if err := json.NewDecoder(r.R).Decode(&sent); err != nil {
		f.Fatal(err)
	}
	if sent.Method != "redline/event" || sent.Params.Plan == nil {
		f.Fatalf("%s was sent, of no plan", sent.Method)
	}
	return *sent.Params.Plan
}
