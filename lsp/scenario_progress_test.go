package lsp_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"redline/agent/state"
	"redline/lsp/lsptest"
)

// goldenFollowed compares how the status of each file of a plan went, event by event: a line has
// what one event reports, from when the plan is executing. It waits until the plan is not.
func (s *scenario) goldenFollowed(a []string) error {
	number, err := strconv.Atoi(a[0])
	if err != nil {
		return err
	}
	var events []state.Event
	ended := lsptest.Expect("plan "+a[0]+" is not executing", func(e *lsptest.Editor) bool {
		events = nil
		for _, raw := range e.Events() {
			var one state.Event
			if json.Unmarshal(raw, &one) == nil && one.Kind == state.PlanChanged && one.Plan.Plan == number {
				if len(events) > 0 || one.Plan.State == "executing" {
					events = append(events, one)
				}
			}
		}
		return len(events) > 1 && events[len(events)-1].Plan.State != "executing"
	})
	if err := s.editor.Await(s.ctx, ended); err != nil {
		return err
	}
	status := map[string]string{}
	var b strings.Builder
	for _, e := range events {
		changed := map[string][]string{} // status → paths
		var order []string
		for _, f := range e.Plan.Files {
			if status[f.Path] == f.Status {
				continue
			}
			if status[f.Path] = f.Status; changed[f.Status] == nil {
				order = append(order, f.Status)
			}
			changed[f.Status] = append(changed[f.Status], f.Path)
		}
		for _, status := range order {
			paths := changed[status]
			what := strings.Join(paths, " ")
			if len(paths) > 3 {
				what = fmt.Sprintf("%s … %s (%d files)", paths[0], paths[len(paths)-1], len(paths))
			}
			fmt.Fprintf(&b, "%s: %s %s\n", e.Plan.State, what, status)
		}
	}
	return s.compare(a[1], b.String())
}
