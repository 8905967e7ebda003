package gitrepo

import (
	"slices"
	"strings"

	"redline/workspace/secrets"
)

// harmless are the sections of a repository's settings that commands may read, since Git
// needs them without a network. Sections about servers, credentials and mail programs are
// not among them.
var harmless = strings.Fields(`core extensions remote branch submodule user author committer init diff merge filter index feature
	gc pack push pull rebase status log format color column advice i18n apply am blame grep notes rerere sequence worktree include`)

// revealing are parts of setting names that indicate credentials.
var revealing = strings.Fields("token password passwd secret credential extraheader cookie")

// clean returns the settings of a file without credentials, and whether it left any out.
// If it does not understand the file, it returns the settings before the mistake.
func clean(name string) (text string, changed bool) {
	text, err := readText(name)
	if err != nil {
		return "", true
	}
	entries, err := parse(text)
	kept, changed := withoutCredentials(entries)
	if err == nil && !changed && !secrets.Text("config", text) { // credentials could also be in a comment
		return text, false
	}
	return format(kept), true
}

func withoutCredentials(entries []entry) (kept []entry, changed bool) {
	for _, e := range entries {
		if !slices.Contains(harmless, e.section) || slices.ContainsFunc(revealing, func(part string) bool { return strings.Contains(e.key, part) }) {
			changed = true
			continue
		}
		public := e
		public.sub, public.value = withoutUser(e.sub), withoutUser(e.value)
		if secrets.Text("config", public.key+" = "+public.value) {
			changed = true
			continue
		}
		changed = changed || public != e
		kept = append(kept, public)
	}
	return kept, changed
}

// withoutUser removes the user and the query from URLs in a value.
func withoutUser(value string) string {
	return secrets.WithoutQueries(secrets.WithoutUsers(value), "")
}
