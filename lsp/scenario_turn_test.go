package lsp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"redline/agent"
	"redline/agent/commands"
	"redline/agent/config"
	"redline/agent/model"
	"redline/agent/state"
	"redline/agent/toolset"
	"redline/lsp/lsptest"
)

// The acts about turns, and the settings of a story.

func init() {
	// The last turn took ROUTE, chosen by BY.
	acts["route"] = act{"ROUTE BY", (*scenario).wantRoute}
	// The model has been asked exactly this often in all.
	acts["requests"] = act{"NUMBER", (*scenario).wantRequests}
	// The last request to the model contains a text, or does not.
	acts["told"] = act{"TEXT", func(s *scenario, a []string) error { return s.wantTold(a[0], true) }}
	acts["untold"] = act{"TEXT", func(s *scenario, a []string) error { return s.wantTold(a[0], false) }}
	// A request to the model, counted from 1, offers a tool, or does not.
	acts["offered"] = act{"REQUEST TOOL", func(s *scenario, a []string) error { return s.wantOffered(a, true) }}
	acts["unoffered"] = act{"REQUEST TOOL", func(s *scenario, a []string) error { return s.wantOffered(a, false) }}
	// redline.state contains this text, as JSON without spaces.
	acts["stated"] = act{"TEXT", (*scenario).wantStated}
	// redline.state has a turn in this state, behind this many others.
	acts["queued"] = act{"TURN STATE PLACE", (*scenario).wantPlace}
	// Nothing has been approved.
	acts["unapproved"] = act{"", (*scenario).wantUnapproved}
}

// own returns the user's settings of the editor's display.
func (s *scenario) own() *config.Settings {
	own := config.Default()
	text, _ := s.part("settings")
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "ui.ask_when_ready "); ok {
			own.UI.AskWhenReady = value
		}
	}
	return &own
}

// settings applies the part with the agent's settings, one KEY VALUE per line.
func (s *scenario) settings(o *agent.Options, m *model.Config) {
	text, _ := s.part("settings")
	var allow, deny []commands.Rule
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch key {
		case "model.classification":
			o.Turns.Classify = value
		case "model.classify":
			m.Models.Classify = value
		case "model.tools":
			m.Tools = model.Takes(value)
		case "model.reuse_plans":
			o.Turns.ReusePlans = value == "true"
		case "approval.second_look":
			o.Turns.SecondLook = value
		case "editor.attached":
			o.SomeBuffers = s.someBuffers()
		case "commands.allow", "commands.deny": // rules, separated by commas; "make @ tools" is about a folder
			list := map[string]*[]commands.Rule{"commands.allow": &allow, "commands.deny": &deny}[key]
			for text := range strings.SplitSeq(value, ", ") {
				command, folder, _ := strings.Cut(text, " @ ")
				*list = append(*list, commands.Rule{Command: command, Folder: folder})
			}
		case "fetch.private_hosts":
			hosts, err := toolset.ParseHosts(value)
			if err != nil {
				s.t.Fatal(err)
			}
			o.Fetch = toolset.FetchOptions{Private: hosts, MaxBytes: 1 << 16, Timeout: 10 * time.Second}
		case "context.summaries":
			o.Turns.Summaries = value
		case "context.tokens":
			n, err := strconv.Atoi(value)
			if err != nil {
				s.t.Fatal(err)
			}
			o.Turns.Context.Tokens = n
		case "ui.ask_when_ready": // see own
		case "":
		default:
			s.t.Fatalf("a story has no setting %q", key)
		}
	}
	var wrong []error
	if o.Commands.Rules, wrong = commands.New(allow, deny); wrong != nil {
		s.t.Fatal(wrong)
	}
}

// someBuffers reports whether the story's editor shows only some of its buffers.
func (s *scenario) someBuffers() bool {
	text, _ := s.part("settings")
	return strings.Contains(text, "editor.attached some")
}

func (s *scenario) wantRoute(a []string) error {
	return s.editor.Await(s.ctx, lsptest.Expect("the route "+a[0]+" by "+a[1], func(e *lsptest.Editor) bool {
		for _, raw := range slices.Backward(e.Events()) {
			var one struct{ Kind, Route, By string }
			if json.Unmarshal(raw, &one) == nil && one.Kind == string(state.Routed) {
				return one.Route == a[0] && one.By == a[1]
			}
		}
		return false
	}))
}

// wantRequests waits until the model has been asked this often, and fails if it was asked
// more often.
func (s *scenario) wantRequests(a []string) error {
	want, err := strconv.Atoi(a[0])
	if err != nil {
		return err
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for len(s.model.Requests()) < want {
		select {
		case <-tick.C:
		case <-s.ctx.Done():
			return fmt.Errorf("the model was asked %d times", len(s.model.Requests()))
		}
	}
	if got := len(s.model.Requests()); got != want {
		return fmt.Errorf("the model was asked %d times", got)
	}
	return nil
}

// wantPlace waits until redline.state has a turn in a state and at a place in the queue.
func (s *scenario) wantPlace(a []string) error {
	var got []byte
	err := s.editor.Await(s.ctx, lsptest.Expect("turn "+strings.Join(a, " "), func(*lsptest.Editor) bool {
		raw, err := s.editor.Execute(s.ctx, "redline.state", map[string]any{})
		if err != nil {
			return false
		}
		var shown state.State
		got = raw
		return json.Unmarshal(raw, &shown) == nil && slices.ContainsFunc(shown.Turns, func(t state.Turn) bool {
			return t.Turn == a[0] && t.State == a[1] && strconv.Itoa(t.Place) == a[2]
		})
	}))
	if err != nil {
		return fmt.Errorf("%s: %w", got, err)
	}
	return nil
}

func (s *scenario) wantTold(text string, want bool) error {
	requests := s.model.Requests()
	if len(requests) == 0 {
		return errors.New("the model was not asked")
	}
	var body struct{ Messages []struct{ Content string } }
	if err := json.Unmarshal(requests[len(requests)-1].Body, &body); err != nil {
		return err
	}
	var all []string
	for _, m := range body.Messages {
		all = append(all, m.Content)
	}
	if told := strings.Join(all, "\n"); strings.Contains(told, text) != want {
		return fmt.Errorf("the model was told:\n%s", told)
	}
	return nil
}

// wantOffered waits for a request, and checks whether it offers a tool.
func (s *scenario) wantOffered(a []string, want bool) error {
	n, err := strconv.Atoi(a[0])
	if err != nil {
		return err
	}
	if err := s.model.Await(s.ctx, n); err != nil {
		return err
	}
	if tools := s.model.Requests()[n-1].Tools; slices.Contains(tools, a[1]) != want {
		return fmt.Errorf("request %d offers %v", n, tools)
	}
	return nil
}

// wantStated waits until redline.state contains a text.
func (s *scenario) wantStated(a []string) error {
	var got []byte
	err := s.editor.Await(s.ctx, lsptest.Expect("a state with "+a[0], func(*lsptest.Editor) bool {
		var err error
		got, err = s.editor.Execute(s.ctx, "redline.state", map[string]any{})
		return err == nil && strings.Contains(string(got), a[0])
	}))
	if err != nil {
		return fmt.Errorf("%s: %w", got, err)
	}
	return nil
}

func (s *scenario) wantUnapproved([]string) error {
	for _, raw := range s.editor.Events() {
		var event struct {
			Kind string
			Plan *struct{ State string }
		}
		if json.Unmarshal(raw, &event) == nil && event.Plan != nil && slices.Contains([]string{"executing", "completed"}, event.Plan.State) {
			return fmt.Errorf("a plan was %s", event.Plan.State)
		}
	}
	return s.untouched(nil)
}
