package trace

import (
	"cmp"
	"fmt"
	"strings"

	"redline/edits"
	"redline/internal/phrase"
)

// verbs describe the calls of each tool; %s is the object of the call.
var verbs = map[string]string{
	"read_file": "Reading %s", "list_files": "Listing %s", "search": "Searching for %s", "outline": "Reading the outline of %s",
	"edit_file": "Editing %s", "apply_patch": "Editing %s", "text_editor": "Editing %s", "write_file": "Writing %s",
	"delete_file": "Removing %s", "rename_file": "Renaming %s", "rename_symbol": "Renaming %s", "run_command": "Planning to run `%s`", "try_command": "Trying `%s`", "adopt": "Running `%s` in a copy",
	"fetch_url": "Fetching %s", "git_log": "Reading the history of %s", "git_diff": "Comparing %s", "git_blame": "Asking who changed %s",
	"references": "Finding the uses of %s", "definition": "Finding the definition of %s",
	"submit_plan": "Planning the steps", "ask_user": "Asking you", "unstage": "Taking an edit out", "revert": "Taking %s back", "sort_message": "Sorting the message",
}

// objects are the objects of calls that name none.
var objects = map[string]string{"list_files": "the files", "search": "a text", "git_log": "the project", "git_diff": "the files"}

// Doing describes a tool call in words: "Reading a.go". summary is that of the trace:
// "path a.go, pattern x".
func Doing(name, summary string) string {
	verb, known := verbs[name]
	if !known {
		return "Calling " + edits.Visible(phrase.JoinAt(phrase.Clip(name, 40), "\r\n"))
	}
	if !strings.Contains(verb, "%s") {
		return verb
	}
	what := objects[name]
	want := []string{"command ", "url ", "pattern ", "path ", "glob ", "new_path "}
	switch name {
	case "search":
		want = []string{"pattern "}
	case "references", "definition", "rename_symbol":
		want = []string{"symbol "}
	}
	found := false
	for _, kind := range want {
		if at := strings.Index(", "+summary, ", "+kind); at >= 0 && !found {
			what, found = summary[at+len(kind):], true
			if kind != "command " {
				what, _, _ = strings.Cut(what, ", ")
			}
		}
	}
	what = cmp.Or(what, "files")
	return fmt.Sprintf(verb, phrase.Clip(edits.VisibleLine(what), 60))
}
