package gitrepo

import (
	"path/filepath"
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
	for _, f := range p.folders {
		if strings.HasPrefix(f+"/", dir) {
			return true
		}
	}
	return false
}

// expand replaces a leading ~ by the home folder.
func (p *personal) expand(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		return p.home + "/" + rest
	}
	return name
}
