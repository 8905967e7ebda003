package gitrepo

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// maxIncludes limits how deeply configuration files may include others.
const maxIncludes = 10

// Personal returns the user's settings that commands in the given folders may read, as
// the text of a configuration file: name and address for commits, the default branch
// name, and the trusted folders. home is the user's home folder.
func Personal(home string, folders []string) string {
	p := &personal{home: home, folders: folders}
	var kept []entry
	for _, name := range personalFiles(home) {
		p.read(name, func(e entry) {
			if e.is("user", "name") || e.is("user", "email") || e.is("init", "defaultbranch") || e.is("safe", "directory") {
				kept = append(kept, e)
			}
		})
	}
	return format(kept)
}

// OtherPersonal returns the path of the user's configuration file besides ~/.gitconfig.
func OtherPersonal(home string) string {
	return filepath.Join(userFolder(home), "config")
}

type personal struct {
	home    string
	folders []string
	reading []string // the current file, after the files that include it
}

// read passes on the settings of a file and of the files that it includes.
func (p *personal) read(name string, take func(entry)) {
	if len(p.reading) > maxIncludes || slices.Contains(p.reading, name) {
		return
	}
	p.reading = append(p.reading, name)
	defer func() { p.reading = p.reading[:len(p.reading)-1] }()
	for _, e := range readFile(name) {
		if e.key == "path" && (e.section == "include" || e.section == "includeif" && p.applies(e.sub)) {
			p.read(absolute(filepath.Dir(name), p.expand(e.value)), take)
		} else {
			take(e)
		}
	}
}

// applies reports whether the condition of an include holds. It supports only the folder
// of the repository.
func (p *personal) applies(condition string) bool {
	dir, ok := strings.CutPrefix(condition, "gitdir:")
	if !ok {
		dir, ok = strings.CutPrefix(condition, "gitdir/i:")
	}
	dir = p.expand(strings.TrimSuffix(dir, "**"))
	if !ok || !strings.HasSuffix(dir, "/") || strings.Contains(dir, "*") {
		return false
	}
	return slices.ContainsFunc(p.folders, func(f string) bool { return strings.HasPrefix(f+"/", dir) })
}

// expand replaces a leading ~ by the home folder.
func (p *personal) expand(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		return p.home + "/" + rest
	}
	return name
}

// ExcludeFile returns the path of the file of ignore patterns in the repository itself.
func (r Repository) ExcludeFile() string { return filepath.Join(r.common, "info", "exclude") }

// IgnoreFile returns the absolute path of the user's file of ignore patterns, as
// core.excludesFile names it in the settings of the system, of the user and of the repository,
// or the place where Git looks without one. It returns "" if the setting is empty or names no
// place that is known. home is the user's home folder, top the root of the worktree. Settings are
// read and never carried out.
func (r Repository) IgnoreFile(home, top string) string {
	named, found := "", false
	take := func(e entry) {
		if e.is("core", "excludesfile") && !e.implicit {
			named, found = e.value, true
		}
	}
	p := &personal{home: home, folders: []string{r.dir, top}}
	for _, name := range systemFiles() {
		p.read(name, take)
	}
	for _, name := range personalFiles(home) {
		p.read(name, take)
	}
	for _, name := range r.settingsFiles() {
		for _, e := range readFile(name) { // includes of a repository are not followed: they may name any file
			take(e)
		}
	}
	switch {
	case !found && home == "", found && named == "":
		return ""
	case !found:
		return filepath.Join(userFolder(home), "ignore")
	}
	named = p.expand(named)
	if strings.HasPrefix(named, "~") || strings.HasPrefix(named, "%(") || runtime.GOOS == "windows" && strings.HasPrefix(filepath.ToSlash(named), "//") {
		return "" // another user's home, a part of Git's installation, or a server that would be asked
	}
	return absolute(top, named)
}

// FoldsCase reports whether the repository says that its names are the same in upper and lower
// case.
func (r Repository) FoldsCase() bool {
	value := strings.ToLower(r.Values("core")["ignorecase"])
	return value == "true" || value == "yes" || value == "on" || value == "1"
}

// systemFiles returns the paths of the settings of the system.
func systemFiles() []string {
	off := strings.ToLower(os.Getenv("GIT_CONFIG_NOSYSTEM"))
	if off != "" && off != "0" && off != "false" && off != "no" && off != "off" {
		return nil
	}
	return []string{cmp.Or(os.Getenv("GIT_CONFIG_SYSTEM"), "/etc/gitconfig")}
}

// personalFiles returns the paths of the user's settings, those that count more later.
func personalFiles(home string) []string {
	if one := os.Getenv("GIT_CONFIG_GLOBAL"); one != "" {
		return []string{one}
	}
	return []string{OtherPersonal(home), filepath.Join(home, ".gitconfig")}
}

// userFolder returns the folder of the user's files of Git.
func userFolder(home string) string {
	return filepath.Join(cmp.Or(os.Getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config")), "git")
}
