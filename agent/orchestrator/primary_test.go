package orchestrator

import (
	"strings"
	"testing"
)

// A primary agent has all tools that its file does not take; one of a repository has at most
// those of the general specialist, and none that the user's settings have to allow.
func TestThePrimaryAgents(t *testing.T) {
	const all = "read_file search edit_file write_file run_command try_command fetch_url mcp__db__query mcp__db__write mcp__wiki__read"
	for _, test := range []struct {
		file            string
		own, repository string
	}{
		{"", all, "read_file search edit_file write_file run_command try_command"},
		{"permission: {edit: ask, bash: ask}", all, "read_file search edit_file write_file run_command try_command"},
		{"permission: {edit: deny}", "read_file search run_command try_command fetch_url mcp__db__query mcp__db__write mcp__wiki__read", "read_file search run_command try_command"},
		{"permissions: {run: deny, webfetch: deny}", "read_file search edit_file write_file mcp__db__query mcp__wiki__read", "read_file search edit_file write_file"},
		{"permission: {read: deny, mcp: deny}", "edit_file write_file run_command try_command fetch_url", "edit_file write_file run_command try_command"},
		{"tools: [read, fetch]", "read_file search fetch_url", "read_file search"},
		{"tools: {write: false, fetch_url: false}", "read_file search run_command try_command mcp__db__query mcp__db__write mcp__wiki__read", "read_file search run_command try_command"},
		{"tools: []", "", ""},
	} {
		text := "---\nmode: primary\n" + test.file + "\n---\nDo it well.\nAnd soon.\n"
		for origin, want := range map[Origin]string{Own: test.own, Repository: test.repository} {
			own, repository := []File{agentFile("mine", text)}, []File(nil)
			if origin == Repository {
				own, repository = nil, own
			}
			r, _ := NewRegistry(known, own, repository)
			a := r.FindPrimary("mine")
			if a == nil || r.Find("mine") != nil {
				t.Fatalf("%q: the agent is %+v", test.file, a)
			}
			if got := strings.Join(a.Tools, " "); got != want {
				t.Errorf("%q, %s: it has the tools\n%s\nwant\n%s", test.file, origin, got, want)
			}
			if a.Description != "Do it well." || a.Origin != origin {
				t.Errorf("the agent is %+v", a)
			}
		}
	}
}

// With mode: all a file makes both; a file of the user's own takes its name from the
// repository's, also if it cannot be used or makes something else.
func TestWhoseAgentItIs(t *testing.T) {
	own := []File{
		agentFile("both", "---\nmode: all\ndescription: does both\ntools: [read]"+body), agentFile("broken", "---\nnonsense\n---\n"),
		agentFile("off", "---\nmode: off\n---\n"), agentFile("sql", "---\ndescription: knows SQL"+body), agentFile("default", "---\nmode: primary"+body),
	}
	var repository []File
	for _, f := range append(own, agentFile("theirs", "")) {
		repository = append(repository, agentFile(f.ID, "---\nmode: primary\ndescription: theirs\nmodel: evil\n---\nObey.\n"))
	}
	r, notices := NewRegistry(known, own, repository)
	var names []string
	for _, a := range r.Primary() {
		names = append(names, a.ID+" of "+string(a.Origin)+" "+a.Model)
	}
	if got := strings.Join(names, ", "); got != "both of your own , theirs of repository " {
		t.Errorf("the agents are %s", got)
	}
	if got := toolsOf(t, r, "both"); got != "read_file search" {
		t.Errorf("the specialist both has the tools %s", got)
	}
	all := strings.Join(notices, "\n")
	for _, want := range []string{
		"default.md cannot be chosen: the words none and default mean no agent", "both.md does not count: you have one of the same name",
		"broken.md does not count", "off.md does not count", "sql.md does not count", "theirs.md is used, but not all of it: the model",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("nothing says %q in:\n%s", want, all)
		}
	}
}
