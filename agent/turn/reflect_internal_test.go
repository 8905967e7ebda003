package turn

import (
	"strings"
	"testing"

	"redline/agent/trace"
)

// The reflection's request names each call once, by its result, and counts those that only read.
func TestEachCallIsReflectedOnce(t *testing.T) {
	step := func(kind trace.Kind, name string) trace.Step { return trace.Step{Kind: kind, Name: name} }
	steps := onceEach([]trace.Step{
		step(trace.Reply, "m"), step(trace.Tool, "read_file"), step(trace.Tool, "read_file"), step(trace.Tool, "str_replace_based_edit_tool"),
		step(trace.ToolDone, "read_file"), step(trace.ToolDone, "read_file"), step(trace.ToolDone, "text_editor"), step(trace.Staged, ""),
		step(trace.SpecialistTool, "search"), step(trace.SpecialistToolDone, "search"),
		step(trace.Tool, "read_file"), step(trace.Tool, "run_command"), // the turn was cancelled
	})
	var got []string
	for _, s := range steps {
		got = append(got, strings.TrimSpace(string(s.Kind)+" "+s.Name))
	}
	want := "reply m, tool_done read_file, tool_done read_file, tool_done text_editor, staged, heap_tool_done search, tool read_file, tool run_command"
	if strings.Join(got, ", ") != want {
		t.Errorf("got %s\nwant %s", strings.Join(got, ", "), want)
	}
	if got := callCounts(steps); got != "2 read_file, 1 text_editor, 1 search" {
		t.Errorf("the counts are %s", got)
	}
	if got := callCounts(nil); got != "" {
		t.Errorf("of nothing: %s", got)
	}
}
