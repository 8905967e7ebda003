package git

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// base are the settings of the private repository. The first must not change. The others
// have the defaults of Git, or switch off what a later Git may switch on.
const base = `[core]
	repositoryFormatVersion = 1
	bare = false
	fsmonitor = false
	untrackedCache = false
	hooksPath = /dev/null
	attributesFile = /dev/null
	quotePath = false
	bigFileThreshold = 8m
[diff]
	autoRefreshIndex = false
	renameLimit = 400
[gc]
	auto = 0
[maintenance]
	auto = false
[protocol]
	allow = never
[i18n]
	logOutputEncoding = UTF-8
[color]
	ui = false
`

// taken are the keys of [core] that define how files on disk become texts of the
// repository.
var taken = []string{"autocrlf", "eol", "filemode", "ignorecase", "symlinks", "precomposeunicode", "longpaths", "checkstat", "trustctime"}

// word matches a value that is no program, file or address.
var word = regexp.MustCompile(`^[a-zA-Z0-9]{1,16}$`)

// chosen returns the settings for the private repository, and caches them.
func (r *Repo) chosen(ctx context.Context) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.settings != "" {
		return r.settings, nil
	}
	values, err := r.personal(ctx)
	if err != nil {
		return "", err
	}
	for key, value := range r.found.Values("core") {
		values[key] = value
	}
	text := base + "[core]\n"
	for _, key := range taken {
		if word.MatchString(values[key]) {
			text += "\t" + key + " = " + values[key] + "\n"
		}
	}
	if ignore := r.ignoreFile(); ignore != "" {
		text += "\texcludesFile = " + strconv.Quote(filepath.ToSlash(ignore)) + "\n"
	}
	text += "[extensions]\n"
	extensions := r.found.Values("extensions")
	for _, key := range []string{"objectformat", "refstorage"} {
		if word.MatchString(extensions[key]) {
			text += "\t" + key + " = " + extensions[key] + "\n"
		}
	}
	r.settings = text
	return text, nil
}

// personal returns the user's and the system's settings in [core], by key in lower case. It asks
// Git, since the user's settings may include other files.
func (r *Repo) personal(ctx context.Context) (values map[string]string, err error) {
	v, err := r.openWith(ctx, headOnly, base)
	if err != nil {
		return nil, err
	}
	defer v.close()
	v.env = asUser(v.env)
	out, err := v.git(nil, 64<<10, "config", "-z", "--get-regexp", `^core\.(`+strings.Join(taken, "|")+`)$`)
	if err != nil && exitCode(err) != 1 { // exit code 1: there is no such setting
		return nil, err
	}
	values = map[string]string{}
	for entry := range strings.SplitSeq(string(out.text), "\x00") {
		name, value, ok := strings.Cut(entry, "\n")
		key, isCore := strings.CutPrefix(name, "core.")
		if !isCore {
			continue
		}
		if !ok {
			value = "true"
		}
		values[key] = value
	}
	return values, nil
}

// asUser returns an environment with the variables through which Git finds the settings
// of the user and the system.
func asUser(env []string) []string {
	names := []string{"HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"}
	env = slices.DeleteFunc(env, func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(names, name)
	})
	for _, name := range names {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// ignoreFile returns the user's file of ignore patterns if Git can read it without
// waiting. It is the one by which package workspace decides what to list.
func (r *Repo) ignoreFile() string {
	home, _ := os.UserHomeDir()
	name := r.found.IgnoreFile(home, r.top)
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return name
}
