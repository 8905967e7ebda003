package gitrepo

import (
	"path/filepath"
	"strings"
)

// Remote returns the addresses of a remote as the repository has them: where it is fetched from,
// and where it is pushed to. ok is false if the repository has no such remote.
func (r Repository) Remote(name string) (fetch, push string, ok bool) {
	r.each(func(e entry) {
		switch {
		case e.section != "remote" || e.sub != name || e.value == "":
		case e.key == "url" && fetch == "":
			fetch = e.value
		case e.key == "pushurl" && push == "":
			push = e.value
		}
	})
	if push == "" {
		push = fetch
	}
	return fetch, push, fetch != ""
}

// Remotes returns the names of the remotes that have an address, each once.
func (r Repository) Remotes() (names []string) {
	seen := map[string]bool{}
	r.each(func(e entry) {
		if e.section == "remote" && e.sub != "" && e.key == "url" && e.value != "" && !seen[e.sub] {
			seen[e.sub] = true
			names = append(names, e.sub)
		}
	})
	return names
}

// Header is a header that a repository wants sent to a web server. CI systems keep the token of a
// job so.
type Header struct {
	Of   string // the address that it is for, "" for every one
	Text string
}

// Headers returns the settings http.extraHeader and http.ADDRESS.extraHeader in their order; an
// empty text forgets those before it.
func (r Repository) Headers() (all []Header) {
	r.each(func(e entry) {
		if e.section == "http" && e.key == "extraheader" {
			all = append(all, Header{Of: e.sub, Text: e.value})
		}
	})
	return all
}

// each passes on the settings of the repository. It does not follow includes.
func (r Repository) each(take func(entry)) {
	for _, name := range r.settingsFiles() {
		for _, e := range readFile(name) {
			take(e)
		}
	}
}

// Bare returns the repository that a folder is itself, without a worktree.
func Bare(dir string) (Repository, bool) {
	if !isRepository(dir) {
		return Repository{}, false
	}
	for _, e := range readFile(filepath.Join(dir, "config")) {
		if e.is("core", "bare") && e.value == "true" {
			return Repository{dir, dir}, true
		}
	}
	return Repository{}, false
}

// Value is a setting by its whole name: "user.name", "remote.origin.url".
type Value struct {
	Name string
	Text string
	Bare bool // it has no value, which means true
}

// Format returns settings as the text of a file. It leaves out those that no file can have.
func Format(values []Value) string {
	var entries []entry
	for _, v := range values {
		first, last := strings.IndexByte(v.Name, '.'), strings.LastIndexByte(v.Name, '.')
		if first <= 0 || strings.ContainsAny(v.Name, "\n\x00") || strings.Contains(v.Text, "\x00") {
			continue
		}
		e := entry{section: v.Name[:first], key: v.Name[last+1:], value: v.Text, implicit: v.Bare}
		if first < last {
			e.sub = v.Name[first+1 : last]
		}
		entries = append(entries, e)
	}
	return format(entries)
}
