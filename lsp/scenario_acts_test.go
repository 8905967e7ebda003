package lsp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/google/go-cmp/cmp"

	"redline/agent/state"
	"redline/lsp/lsptest"
)

// act runs one line of a script: an act of the user, or an expectation.
func (s *scenario) act(words []string) error {
	verb, args := words[0], words[1:]
	if s.last != nil && verb != "refused" {
		return fmt.Errorf("the act before failed: %w", s.last)
	}
	does, ok := acts[verb]
	if !ok {
		return fmt.Errorf("there is no act %q, only %v", verb, slices.Sorted(maps.Keys(acts)))
	}
	if len(args) != len(strings.Fields(does.args)) {
		return fmt.Errorf("%s takes: %s", verb, does.args)
	}
	err := does.do(s, args)
	if _, ok := errors.AsType[*lsptest.Refusal](err); ok {
		s.last = err // the next line must be `refused`
		return nil
	}
	return err
}

// acts are the verbs of the scripts.
var acts map[string]act

// act is the arguments of a verb and its function.
type act struct {
	args string
	do   func(*scenario, []string) error
}

func init() {
	acts = map[string]act{
		// Acts of the user.
		"open":    {"PATH", func(s *scenario, a []string) error { return s.editor.Open(a[0]) }},
		"close":   {"PATH", func(s *scenario, a []string) error { return s.editor.Close(a[0]) }},
		"save":    {"PATH", func(s *scenario, a []string) error { return s.editor.Save(a[0]) }},
		"undo":    {"PATH", func(s *scenario, a []string) error { return s.editor.Undo(a[0]) }},
		"replace": {"PATH OLD NEW", func(s *scenario, a []string) error { return s.editor.Replace(a[0], a[1], a[2]) }},
		"type":    {"PATH LINE TEXT", (*scenario).typeText},
		"chat":    {"MESSAGE", func(s *scenario, a []string) error { return s.command("redline.chat", map[string]any{"message": a[0]}) }},
		"action":  {"PATH LINE TITLE", (*scenario).runAction},
		"execute": {"COMMAND JSON", func(s *scenario, a []string) error { return s.command(a[0], json.RawMessage(a[1])) }},
		"approve": {"JSON", func(s *scenario, a []string) error { return s.command("redline.approve", json.RawMessage(a[0])) }},
		"release": {"NAME", func(s *scenario, a []string) error { s.model.Release(a[0]); return nil }},
		"restart": {"", (*scenario).restart},
		"write":   {"PATH PART", (*scenario).writeDisk},
		"refuse":  {"PATH", (*scenario).refuseEdits},
		"lie":     {"PATH", (*scenario).lie},
		"tick":    {"WHAT", (*scenario).tick},
		"half":    {"PATH", (*scenario).half},

		// Expectations.
		"refused":     {"KIND", (*scenario).wasRefused},
		"diagnostics": {"PATH CODES", (*scenario).diagnostics},
		"message":     {"TEXT", func(s *scenario, a []string) error { return s.editor.Await(s.ctx, lsptest.MessageContains(a[0])) }},
		"event":       {"KIND TEXT", (*scenario).wantEvent},
		"shown":       {"SUFFIX", func(s *scenario, a []string) error { return s.editor.Await(s.ctx, lsptest.ShownDocument(a[0])) }},
		"text":        {"PATH PART", (*scenario).wantText},
		"contains":    {"PATH TEXT", func(s *scenario, a []string) error { return s.editor.Await(s.ctx, lsptest.TextContains(a[0], a[1])) }},
		"disk":        {"PATH PART", (*scenario).wantDisk},
		"absent":      {"PATH", (*scenario).wantAbsent},
		"step":        {"PLAN STEP STATUS", (*scenario).wantStep},
		"untouched":   {"", (*scenario).untouched},
		"state":       {"PLAN STATE", (*scenario).wantState},
		"file":        {"PLAN PATH STATUS", (*scenario).wantFile},
		"hunk":        {"PLAN HUNK STATUS", (*scenario).wantHunk},
		"command":     {"PLAN COMMAND STATUS", (*scenario).wantCommand},
		"no-action":   {"PATH LINE TITLE", (*scenario).noAction},
		"actions":     {"PATH LINE PART", (*scenario).goldenActions},
		"hover":       {"PATH LINE PART", (*scenario).goldenHover},
		"diagnostic":  {"PATH CODE PART", (*scenario).goldenDiagnostic},
		"no-plan":     {"PLAN", (*scenario).noPlan},
		"predicted":   {"PLAN STATUSES", (*scenario).wantPredicted},
		"followed":    {"PLAN PART", (*scenario).goldenFollowed},
		"preview":     {"NAME PART", (*scenario).goldenPreview},
		"reached":     {"CALLS", (*scenario).wantReached},
		"page":        {"NAME TEXT", (*scenario).wantPage},
	}
}

func (s *scenario) command(name string, args any) error {
	_, err := s.editor.Execute(s.ctx, name, args)
	return err
}

func (s *scenario) typeText(a []string) error {
	line, err := strconv.Atoi(a[1])
	if err != nil {
		return err
	}
	return s.editor.Insert(a[0], line, 0, a[2])
}

// runAction picks a code action. It retries until the action is offered, since diagnostics
// and state may arrive after the last message.
func (s *scenario) runAction(a []string) error {
	line, err := strconv.Atoi(a[1])
	if err != nil {
		return err
	}
	var action lsptest.Action
	offered := lsptest.Expect("an action "+a[2], func(e *lsptest.Editor) bool {
		action, err = e.ActionTitled(s.ctx, a[0], line, a[2])
		return err == nil
	})
	if waited := s.editor.Await(s.ctx, offered); waited != nil {
		return fmt.Errorf("%w\n%w", err, waited)
	}
	_, err = s.editor.RunAction(s.ctx, action)
	return err
}

// wantEvent awaits an event of this kind that contains a text.
func (s *scenario) wantEvent(a []string) error {
	return s.editor.Await(s.ctx, lsptest.Expect("an event "+a[0]+" with "+a[1], func(e *lsptest.Editor) bool {
		return slices.ContainsFunc(e.Events(), func(raw json.RawMessage) bool {
			var event struct{ Kind string }
			return json.Unmarshal(raw, &event) == nil && event.Kind == a[0] && strings.Contains(string(raw), a[1])
		})
	}))
}

func (s *scenario) restart([]string) error {
	s.stop()
	s.start()
	return nil
}

func (s *scenario) writeDisk(a []string) error {
	text, ok := s.part(a[1])
	if !ok {
		return fmt.Errorf("there is no part %q", a[1])
	}
	return os.WriteFile(filepath.Join(s.dir, a[0]), []byte(bytesOf(text)), 0o644)
}

// refuseEdits makes the editor refuse edits of a file from now on.
func (s *scenario) refuseEdits(a []string) error {
	s.editor.OnApply(func(e lsptest.WorkspaceEdit) (lsptest.Answer, bool) {
		if !slices.Contains(e.URIs(), s.editor.URI(a[0])) {
			return lsptest.Answer{}, false
		}
		return lsptest.Answer{Applied: false, FailureReason: "the user said no"}, true
	})
	return nil
}

// lie makes the editor claim to have made an edit of a file, without making it.
func (s *scenario) lie(a []string) error {
	s.editor.OnApply(func(e lsptest.WorkspaceEdit) (lsptest.Answer, bool) {
		if !slices.Contains(e.URIs(), s.editor.URI(a[0])) {
			return lsptest.Answer{}, false
		}
		return lsptest.Answer{Applied: true}, true
	})
	return nil
}

// tick makes the user tick, in reviews from now on, the proposals whose "PATH DESCRIPTION"
// contains a text.
func (s *scenario) tick(a []string) error {
	s.editor.OnReview(func(proposals []lsptest.Proposal) []bool {
		var ticked []bool
		for _, p := range proposals {
			ticked = append(ticked, strings.Contains(p.Path+" "+p.Description, a[0]))
		}
		return ticked
	})
	return nil
}

// half makes the editor carry out only the first step of the next edit of a file that has
// several, and answer that it failed.
func (s *scenario) half(a []string) error {
	var once sync.Once
	s.editor.OnApply(func(e lsptest.WorkspaceEdit) (answer lsptest.Answer, handled bool) {
		if len(e.DocumentChanges) < 2 || !slices.Contains(e.URIs(), s.editor.URI(a[0])) {
			return answer, false
		}
		once.Do(func() {
			e.DocumentChanges = e.DocumentChanges[:1]
			s.editor.Apply(e)
			answer, handled = lsptest.Answer{Applied: false, FailureReason: "the second step failed"}, true
		})
		return answer, handled
	})
	return nil
}

func (s *scenario) wasRefused(a []string) error {
	var refusal *lsptest.Refusal
	if !errors.As(s.last, &refusal) || refusal.Kind != a[0] {
		return fmt.Errorf("got %v, want a refusal %s", s.last, a[0])
	}
	s.last = nil
	return nil
}

// diagnostics awaits exactly these codes, in order; "none" means no diagnostics.
func (s *scenario) diagnostics(a []string) error {
	var want []string
	if a[1] != "none" {
		want = strings.Split(a[1], ",")
	}
	return s.editor.Await(s.ctx, lsptest.Expect(a[0]+" has the diagnostics "+a[1], func(e *lsptest.Editor) bool {
		var got []string
		for _, d := range e.Diagnostics(a[0]) {
			got = append(got, d.Code())
		}
		return slices.Equal(got, want)
	}))
}

func (s *scenario) wantText(a []string) error {
	want, ok := s.part(a[1])
	if !ok {
		return fmt.Errorf("there is no part %q", a[1])
	}
	err := s.editor.Await(s.ctx, lsptest.TextEquals(a[0], bytesOf(want)))
	if err != nil {
		return fmt.Errorf("%s (-want +got):\n%s\n%w", a[0], cmp.Diff(bytesOf(want), s.editor.Text(a[0])), err)
	}
	return nil
}

func (s *scenario) wantDisk(a []string) error {
	want, ok := s.part(a[1])
	if !ok {
		return fmt.Errorf("there is no part %q", a[1])
	}
	data, err := os.ReadFile(filepath.Join(s.dir, a[0]))
	if err != nil {
		return err
	}
	if diff := cmp.Diff(bytesOf(want), string(data)); diff != "" {
		return fmt.Errorf("%s on disk (-want +got):\n%s", a[0], diff)
	}
	return nil
}

func (s *scenario) wantAbsent(a []string) error {
	if _, err := os.Lstat(filepath.Join(s.dir, a[0])); err == nil {
		return fmt.Errorf("%s is there", a[0])
	}
	return nil
}

// untouched checks that nothing in the workspace and beside it differs on disk from the
// story's beginning, apart from Redline's own files.
func (s *scenario) untouched([]string) error {
	for top, dir := range map[string]string{"ws/": s.dir, "outside/": s.outside} {
		want := map[string]string{}
		for _, f := range s.archive.Files {
			if name, ok := strings.CutPrefix(f.Name, top); ok && !strings.HasPrefix(name, ".redline/") {
				want[name] = bytesOf(string(f.Data))
			}
		}
		if diff := cmp.Diff(want, s.filesIn(dir)); diff != "" {
			return fmt.Errorf("%s was touched (-want +got):\n%s", top, diff)
		}
	}
	beside, err := os.ReadDir(filepath.Dir(s.dir))
	if err != nil {
		return err
	}
	for _, entry := range beside {
		if name := entry.Name(); name != "ws" && name != "outside" {
			return fmt.Errorf("%s was made beside the workspace", name)
		}
	}
	return nil
}

// planState returns a plan from redline.state.
func (s *scenario) planState(number string) (state.Plan, error) {
	raw, err := s.editor.Execute(s.ctx, "redline.state", map[string]any{})
	if err != nil {
		return state.Plan{}, err
	}
	var shown state.State
	if err := json.Unmarshal(raw, &shown); err != nil {
		return state.Plan{}, err
	}
	for _, p := range shown.Plans {
		if fmt.Sprint(p.Plan) == number {
			return p, nil
		}
	}
	return state.Plan{}, fmt.Errorf("there is no plan %s in %s", number, raw)
}

// awaitPlan waits until ok accepts a plan. It looks again at each message.
func (s *scenario) awaitPlan(number, what string, ok func(state.Plan) (string, bool)) error {
	var got string
	var err error
	waited := s.editor.Await(s.ctx, lsptest.Expect(what, func(*lsptest.Editor) bool {
		var p state.Plan
		if p, err = s.planState(number); err != nil {
			return false
		}
		var is bool
		got, is = ok(p)
		return is
	}))
	if waited != nil {
		return fmt.Errorf("got %q: %w\n%w", got, err, waited)
	}
	return nil
}

func (s *scenario) wantState(a []string) error {
	return s.awaitPlan(a[0], "plan "+a[0]+" is "+a[1], func(p state.Plan) (string, bool) {
		return p.State, p.State == a[1]
	})
}

// noPlan waits until the state does not have a plan.
func (s *scenario) noPlan(a []string) error {
	return s.editor.Await(s.ctx, lsptest.Expect("no plan "+a[0], func(*lsptest.Editor) bool {
		_, err := s.planState(a[0])
		return err != nil
	}))
}

// wantPredicted awaits the statuses of the files that a plan in words predicts: "a.txt pending, b.txt created".
func (s *scenario) wantPredicted(a []string) error {
	return s.awaitPlan(a[0], a[1], func(p state.Plan) (string, bool) {
		var all []string
		for _, f := range p.PredictedFiles {
			all = append(all, f.Path+" "+string(f.Status))
		}
		return strings.Join(all, ", "), strings.Join(all, ", ") == a[1]
	})
}

func (s *scenario) wantFile(a []string) error {
	return s.awaitPlan(a[0], a[1]+" is "+a[2], func(p state.Plan) (string, bool) {
		for _, f := range p.Files {
			if f.Path == a[1] {
				return f.Status, f.Status == a[2]
			}
		}
		return "no such file", false
	})
}

func (s *scenario) wantCommand(a []string) error {
	return s.awaitPlan(a[0], a[1]+" is "+a[2], func(p state.Plan) (string, bool) {
		for _, c := range p.Commands {
			if c.ID == a[1] {
				return c.Status + " " + c.Reason, c.Status == a[2]
			}
		}
		return "no such command", false
	})
}

func (s *scenario) wantStep(a []string) error {
	return s.awaitPlan(a[0], "step "+a[1]+" is "+a[2], func(p state.Plan) (string, bool) {
		for _, step := range p.Steps {
			if step.ID == a[1] {
				return step.Status, step.Status == a[2]
			}
		}
		return "no such step", false
	})
}

func (s *scenario) wantHunk(a []string) error {
	return s.awaitPlan(a[0], a[1]+" is "+a[2], func(p state.Plan) (string, bool) {
		for _, f := range p.Files {
			for _, h := range f.Hunks {
				if h.ID == a[1] {
					return h.Status, h.Status == a[2]
				}
			}
		}
		return "no such hunk", false
	})
}

func (s *scenario) noAction(a []string) error {
	line, err := strconv.Atoi(a[1])
	if err != nil {
		return err
	}
	if action, err := s.editor.ActionTitled(s.ctx, a[0], line, a[2]); err == nil {
		return fmt.Errorf("there is an action %q", action.Title)
	}
	return nil
}

// wantPage checks that a page written by Redline contains a text. The command that shows a
// page is answered after the page is written.
func (s *scenario) wantPage(a []string) error {
	var page []byte
	err := s.editor.Await(s.ctx, lsptest.Expect(a[0]+" with "+a[1], func(*lsptest.Editor) bool {
		page, _ = os.ReadFile(filepath.Join(s.dir, ".redline", a[0])) // it may not be there yet
		return strings.Contains(string(page), a[1])
	}))
	if err != nil {
		return fmt.Errorf("%s does not hold %q:\n%s\n%w", a[0], a[1], page, err)
	}
	return nil
}
