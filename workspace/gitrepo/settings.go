package gitrepo

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"redline/workspace/secrets"
)

// withoutSettings are the folders of a repository that contain many files but no settings
// and no addresses.
var withoutSettings = []string{"objects", "refs", "info", "lfs", "rr-cache"}

// ofObjects are files of a repository that name objects, and nothing else.
var ofObjects = []string{"HEAD", "index", "packed-refs", "shallow"}

// maxLogs is how many reflogs are read.
const maxLogs = 1000

// Settings returns the files of the repository, its worktrees and its submodules that may
// contain credentials: a map from the names of settings and reflogs to their text without
// them. secret lists other files and folders of the repository that are secret by their
// names or their text.
func (r Repository) Settings() (cleaned map[string]string, secret []string) {
	cleaned = map[string]string{}
	logs := 0
	for _, dir := range r.Folders() {
		_ = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil // a command cannot read it either
			case e.IsDir() && slices.Contains(withoutSettings, e.Name()) && !isLog(dir, name):
				return filepath.SkipDir
			case secrets.Name(name, e.IsDir()):
				secret = append(secret, name)
			case !e.Type().IsRegular():
			case e.Name() == "config" || e.Name() == "config.worktree":
				if text, changed := clean(name); changed {
					cleaned[name] = text
				}
			case isLog(dir, name):
				logs++
				text, changed, ok := cleanLog(name)
				switch {
				case !ok || logs > maxLogs:
					secret = append(secret, name)
				case changed:
					cleaned[name] = text
				}
			case !slices.Contains(ofObjects, e.Name()) && filepath.Ext(name) != ".sample":
				if text, err := readText(name); err == nil && (secrets.Text(name, text) || secrets.WithoutUsers(text) != text) {
					secret = append(secret, name)
				}
			}
			return nil
		})
	}
	return cleaned, secret
}

// isLog reports whether a file of a repository is a reflog.
func isLog(dir, name string) bool {
	rel, err := filepath.Rel(dir, name)
	return err == nil && slices.Contains(strings.Split(filepath.ToSlash(rel), "/"), "logs")
}

// cleanLog returns a reflog without the credentials of addresses, and whether it had any: a
// pull from an address names it as it was given. ok is false if it cannot be read.
func cleanLog(name string) (text string, changed, ok bool) {
	was, err := readText(name)
	if err != nil {
		return "", false, false
	}
	var b strings.Builder
	for line := range strings.Lines(was) {
		public := withoutUser(line)
		if about, _, found := strings.Cut(public, "\t"); found && secrets.Text("log", public) {
			public = about + "\t\n"
		}
		b.WriteString(public)
	}
	return b.String(), b.String() != was, true
}

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
