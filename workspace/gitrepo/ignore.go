package gitrepo

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

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
