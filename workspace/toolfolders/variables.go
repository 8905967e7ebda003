package toolfolders

import (
	"os"
	"path/filepath"
	"strings"
	"sync"

	"redline/internal/smallfile"
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

// Value returns what an environment variable says about folders, or for Go the user's settings, see
// [GoSettings].
func Value(name string) string {
	value := os.Getenv(name)
	if value == "" && strings.HasPrefix(name, "GO") {
		value = GoSettings()[name]
	}
	return Folders(name, value)
}

// maxSettings is the size limit of a file of settings, in bytes.
const maxSettings = 64 << 10

// GoSettings returns the variables that the user has set for Go by "go env -w". They count where the
// environment has none. Trials do not see the file, so they get them as variables.
func GoSettings() map[string]string {
	name := os.Getenv("GOENV")
	if name == "" {
		dir, err := os.UserConfigDir()
		if err != nil {
			return nil
		}
		name = filepath.Join(dir, "go", "env")
	}
	text, err := smallfile.Read(name, maxSettings)
	if err != nil { // also for "off"
		return nil
	}
	set := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(name, "#") {
			set[name] = value
		}
	}
	return set
}

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
