package tool

import (
	"encoding/json"
	"strings"

	"redline/edits"
	"redline/internal/lazyregexp"
	"redline/internal/phrase"
)

// maxDoing is how many characters of an argument [Doing] shows.
const maxDoing = 60

// Doing says in a few words what a running call does, for a progress line: "reading prices.go".
// arguments are the model's, perhaps incomplete. A call that only stages is described as
// planning, since nothing is deleted or run before the user has approved it.
func Doing(name, arguments string) string {
	if t, ok := Find(All(), name); ok {
		name = t.Name
	}
	given := begun(arguments)
	said := func(keys ...string) string {
		for _, key := range keys {
			if text, ok := given[key].(string); ok && text != "" {
				return phrase.Clip(edits.Visible(phrase.OneLine(text)), maxDoing)
			}
		}
		return ""
	}
	path := said(append([]string{"path"}, pathNames...)...)
	with := func(verb, what, without string) string {
		if what == "" {
			what = without
		}
		return verb + " " + what
	}
	switch name {
	case "read_file", "outline":
		return with("reading", path, "a file")
	case "list_files":
		return with("listing files in", path, "the project")
	case "search":
		return with("searching for", said("pattern", "query", "regex"), "a text")
	case "edit_file", textEditorName:
		if given["command"] == "view" {
			return with("reading", path, "a file")
		}
		return with("editing", path, "a file")
	case "apply_patch":
		return with("editing", path, "files")
	case "write_file":
		return with("writing", path, "a file")
	case "delete_file":
		return with("planning to delete", path, "a file")
	case "rename_file":
		return with("planning to rename", path, "a file")
	case "run_command":
		return with("planning to run", inTicks(said("command", "cmd")), "a command")
	case "try_command":
		return with("trying", inTicks(said("command", "cmd")), "a command")
	case "fetch_url":
		_, where, _ := strings.Cut(said("url", "uri"), "://")
		where, _, _ = strings.Cut(where, "/") // what follows may hold a key
		where, _, _ = strings.Cut(where, "?")
		return with("fetching a page of", where[strings.LastIndex(where, "@")+1:], "the web")
	case "git_log", "git_blame":
		return with("reading the history of", path, "the project")
	case "git_diff":
		return with("reading the changes in", path, "the project")
	case "submit_plan":
		return "writing the plan"
	case AskUser:
		return "asking you"
	case "unstage", "revert":
		return "changing the plan"
	}
	return "calling " + phrase.Clip(edits.Visible(phrase.OneLine(name)), maxDoing)
}

// PathIn returns the path among the arguments of a call, perhaps incomplete; "" for none.
func PathIn(arguments string) string {
	given := begun(arguments)
	for _, name := range append([]string{"path"}, pathNames...) {
		if path, ok := given[name].(string); ok && path != "" {
			return path
		}
	}
	return ""
}

func inTicks(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

// member matches a member of an object whose value is a complete string: "path": "a.go".
var member = lazyregexp.New(`"(\w+)"\s*:\s*("(?:[^"\\]|\\.)*")`)

// begun reads the arguments of a call. If they are incomplete, it reads the complete strings
// among them.
func begun(arguments string) map[string]any {
	var given map[string]any
	if json.Unmarshal([]byte(arguments), &given) == nil {
		return given
	}
	given = map[string]any{}
	for _, m := range member().FindAllStringSubmatch(arguments, -1) {
		var value string
		if json.Unmarshal([]byte(m[2]), &value) == nil {
			given[m[1]] = value
		}
	}
	return given
}
