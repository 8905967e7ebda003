package toolfolders

import (
	"os"
	"strings"
	"sync"
)

// names are the variables of the table, and those that move many of its folders.
var names = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{"XDG_CONFIG_HOME": true}
	for _, base := range xdg {
		all[base.variable] = true
	}
	for _, r := range table {
		for _, at := range strings.Fields(r.at) {
			if name, ok := strings.CutPrefix(at, "$"); ok {
				name, _, _ = strings.Cut(name, "/")
				all[name] = true
			}
		}
	}
	return all
})

// Variable reports whether a variable says where a tool has a folder.
func Variable(name string) bool { return names()[name] }

// Value returns what an environment variable says about folders.
func Value(name string) string { return Folders(name, os.Getenv(name)) }

// repository is the option of Maven that names its repository.
const repository = "-Dmaven.repo.local="

// Folders returns the part of the value of a variable that says where folders are: of Maven's options
// only the repository, since others may have passwords.
func Folders(name, value string) string {
	if name != "MAVEN_OPTS" && name != "MAVEN_ARGS" {
		return value
	}
	for _, option := range strings.Fields(value) {
		if dir, ok := strings.CutPrefix(option, repository); ok {
			return dir
		}
	}
	return ""
}

// Passed returns the value with which a command gets a variable of the table. ok is false for a
// variable of which it gets nothing.
func Passed(name, value string) (passed string, ok bool) {
	if !Variable(name) {
		return "", false
	}
	if name != "MAVEN_OPTS" && name != "MAVEN_ARGS" {
		return value, true
	}
	dir := Folders(name, value)
	return repository + dir, dir != ""
}
