package world

import (
	"cmp"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"redline/internal/lazyregexp"
)

// search collects what programs need.
type search struct {
	*Programs
	theirs  *search       // for what the workspace leads to; nil if this is that search
	inside  []fs.FileInfo // the folders of the workspace
	found   []string      // files and folders
	hops    []string      // names of links on the ways there
	caches  []string
	visited map[string]bool   // folders of programs whose installation is among found
	folders map[string]string // names of folders without links, by their names
}

// search starts a search for what the user's programs need; its member theirs is one for what a
// workspace leads to, which must show by itself what it is.
func (p *Programs) search(workspaces []string) *search {
	inside := folderInfos(workspaces)
	theirs := &search{Programs: p, inside: inside, visited: map[string]bool{}, folders: map[string]string{}}
	return &search{Programs: p, inside: inside, visited: map[string]bool{}, folders: theirs.folders, theirs: theirs}
}

// ours reports whether the user put the programs on PATH, so that they need not show what they are.
func (s *search) ours() bool { return s.theirs != nil }

// by returns the search for what a name leads to: where the way goes through the workspace, the user
// did not choose where it ends.
func (s *search) by(name string) *search {
	if s.ours() && through(name, s.inside) {
		return s.theirs
	}
	return s
}

func (s *search) add(names ...string) { s.found = append(s.found, names...) }

// link adds names to be shown as links. The folder that one leads to may have anything besides, and
// the program at the end may be one of the system's: neither is a reason to show that folder.
func (s *search) link(hops []string) { s.hops = append(s.hops, hops...) }

// deepest is how often one installation may lead to another: an environment to the one from which
// its python comes, and so on.
const deepest = 5

// program adds what a program needs, and reports whether there is such a program.
func (s *search) program(name string, depth int) bool {
	real, hops := s.chain(name)
	if real == "" || !executable(real) {
		return false
	}
	if InSystem(real) { // where links may lead through other folders
		s.link(hops)
		return true
	}
	if s = s.by(name); s.installation(filepath.Dir(real), real, depth) {
		s.link(hops)
	}
	return true
}

// installations are the files by which a folder shows that it is an installation which is needed
// as a whole.
var installations = [][]string{
	{environment}, {condaMeta}, // environments
	{"VERSION", "src/runtime", "bin/go"},                                   // Go
	{"release", "lib/modules", "bin/java"}, {"release", "jre", "bin/java"}, // a JDK
	{"Cellar", "bin"}, // Homebrew
}

// environment is the file that makes a folder a virtual environment of Python's, condaMeta the folder
// that makes it one of conda's.
const (
	environment = "pyvenv.cfg"
	condaMeta   = "conda-meta"
)

// parts are the folders beside one of programs that these read.
var parts = []string{"lib", "lib64", "libexec", "include", "share"}

// binaries are the usual names of folders of programs.
var binaries = []string{"bin", "sbin", "libexec", "condabin", "shims", "scripts"}

// modules is the folder of Node's packages.
const modules = "node_modules"

// interpreters matches the programs whose library shows that they are installed.
var interpreters = lazyregexp.New(`^(python|pypy)[0-9.]*t?$`)

// installation adds the installation that a folder of programs belongs to, or the part of it that
// file needs, which may be "". It reports whether there is any.
func (s *search) installation(dir, file string, depth int) (ok bool) {
	if packages, ok := packageOf(cmp.Or(file, dir)); ok {
		s.add(packages)
		return true
	}
	interpreter := interpreters().MatchString(filepath.Base(file))
	key := dir
	switch {
	case interpreter:
		key += "\x00python"
	case !slices.Contains(binaries, strings.ToLower(filepath.Base(dir))):
		key = cmp.Or(file, dir)
	}
	if known, visited := s.visited[key]; visited {
		return known
	}
	defer func() { s.visited[key] = ok }()
	prefix := filepath.Dir(dir)
	if !slices.Contains(binaries, strings.ToLower(filepath.Base(dir))) {
		prefix = dir
	}
	open := !s.private(prefix)
	if open && s.whole(prefix, depth) {
		return true
	}
	if top, _, in := strings.Cut(dir+"/", "/Cellar/"); in && s.whole(top, depth) { // Homebrew
		return true
	}
	library := interpreter && slices.ContainsFunc(libraries(prefix), isFolder)
	switch {
	case !s.ours() && !library:
		return false
	case !open: // of a home folder and the like, only what Python needs
		s.add(cmp.Or(file, dir))
		if library {
			s.add(libraries(prefix)...)
		}
		return true
	}
	if in, ok := s.manifest(file); ok {
		s.add(in)
		return true
	}
	if prefix == dir { // a program beside other files
		s.add(cmp.Or(file, dir), filepath.Join(dir, "lib"))
		if in := interpreterOf(file); in != "" && depth < deepest {
			s.program(in, depth+1)
		}
		return true
	}
	s.add(dir)
	for _, part := range parts {
		s.add(filepath.Join(prefix, part))
	}
	return true
}

// whole adds a folder that is an installation as a whole, and what that needs.
func (s *search) whole(dir string, depth int) bool {
	has := func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
		return err == nil
	}
	for _, marks := range installations {
		if slices.ContainsFunc(marks, func(name string) bool { return !has(name) }) {
			continue
		}
		switch {
		case s.ours() || marks[0] != environment && marks[0] != condaMeta:
			s.add(dir)
		default:
			s.environment(dir)
		}
		if marks[0] == environment {
			s.base(dir, depth)
		}
		return true
	}
	return false
}

// environment adds what belongs to an environment in a folder, by the names that programs give it: it
// can be made in the folder of a project, which may be another than that in the workspace.
func (s *search) environment(dir string) {
	names := []string{"bin", "include", "share", environment}
	if isFolder(filepath.Join(dir, condaMeta)) {
		names = append(names, "lib", "libexec", "ssl", condaMeta)
	}
	s.add(libraries(dir)...)
	for _, name := range names {
		if info, err := os.Lstat(filepath.Join(dir, name)); err == nil && info.Mode()&fs.ModeSymlink == 0 {
			s.add(filepath.Join(dir, name))
		}
	}
}

// base adds the installation of the python that a virtual environment runs.
func (s *search) base(dir string, depth int) {
	s = s.by(dir)
	if s.visited[dir] || depth == deepest {
		return
	}
	s.visited[dir] = true
	for _, bin := range []string{filepath.Join(dir, "bin"), homeOf(filepath.Join(dir, environment))} {
		if bin == "" {
			continue
		}
		_ = s.program(filepath.Join(bin, "python"), depth+1) || s.program(filepath.Join(bin, "python3"), depth+1)
	}
}

// homeOf returns the folder that a pyvenv.cfg names as that of its python, "" if it names none.
func homeOf(file string) string {
	for line := range strings.Lines(beginning(file, 64<<10)) {
		name, value, _ := strings.Cut(line, "=")
		if value = strings.TrimSpace(value); strings.TrimSpace(name) == "home" && filepath.IsAbs(value) {
			return filepath.Clean(value)
		}
	}
	return ""
}

// linkedFolder adds the folder that a link of the workspace leads to.
func (s *search) linkedFolder(link string) {
	real, hops := s.chain(link)
	if real == "" || InSystem(real) {
		return
	}
	packages, in := packageOf(filepath.Join(real, "package.json"))
	switch {
	case filepath.Base(real) == modules:
		s.add(real)
	case in:
		s.add(packages)
	case s.private(real):
		return
	case s.whole(real, 0):
	case isVendor(real):
		s.add(real)
	case beginning(filepath.Join(real, "CACHEDIR.TAG"), len(signature)) == signature:
		s.caches = append(s.caches, real)
	default:
		return
	}
	s.link(hops)
}

// isVendor reports whether a folder has the packages of a project, which Composer or Go put there.
func isVendor(dir string) bool {
	return isFile(filepath.Join(dir, "autoload.php")) && isFolder(filepath.Join(dir, "composer")) ||
		filepath.Base(dir) == "vendor" && isFile(filepath.Join(dir, "modules.txt"))
}

// signature begins the CACHEDIR.TAG of a folder that only has what can be made again. See
// https://bford.info/cachedir/.
const signature = "Signature: 8a477f597d28d172789f06886806bc55"

// packageOf returns the folder of Node's packages that a file is in: one package of those that npm
// installs for a user, which has all it needs in it, or else all packages beside it.
func packageOf(file string) (string, bool) {
	slashed := filepath.ToSlash(file)
	before, in, ok := strings.Cut(slashed, "/"+modules+"/")
	if !ok || before == "" {
		return "", false
	}
	all := before + "/" + modules
	if filepath.Base(before) != "lib" {
		return filepath.FromSlash(all), true
	}
	names := strings.SplitN(in, "/", 3)
	n := 1
	if strings.HasPrefix(in, "@") {
		n = 2
	}
	if len(names) <= n || names[0] == ".bin" {
		return filepath.FromSlash(all), true
	}
	return filepath.FromSlash(all + "/" + strings.Join(names[:n], "/")), true
}

// script matches the first line of a program for Node and the like.
var script = lazyregexp.New(`^#!.*\b(node|bun|deno|tsx)\b`)

// manifest returns the folder of the package that a program for Node is in, if the user links it
// from where the package is worked on.
func (s *search) manifest(file string) (string, bool) {
	if !s.ours() || file == "" || !script().MatchString(beginning(file, 200)) {
		return "", false
	}
	dir := filepath.Dir(file)
	for range 4 {
		if s.private(dir) {
			break
		}
		if isFile(filepath.Join(dir, "package.json")) {
			return dir, true
		}
		dir = filepath.Dir(dir)
	}
	return "", false
}

// interpreterOf returns the program that runs a script, by its first line; "" if it is no script, or
// the system has that program.
func interpreterOf(file string) string {
	line, _, _ := strings.Cut(beginning(file, 256), "\n")
	words := strings.Fields(strings.TrimPrefix(line, "#!"))
	if !strings.HasPrefix(line, "#!") || len(words) == 0 || !filepath.IsAbs(words[0]) || InSystem(words[0]) {
		return ""
	}
	return words[0]
}

// beginning returns the first bytes of a file, "" if it is none.
func beginning(name string, most int) string {
	if !isFile(name) {
		return ""
	}
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, int64(most)))
	return string(text)
}

// private reports whether a folder has much besides programs: a home folder, one that holds one, or
// the folders in it by which programs keep the user's data apart.
func (s *search) private(dir string) bool {
	info, err := os.Stat(dir)
	if err != nil || isOneOf(info, s.above) || isSecretFolder(dir) {
		return true
	}
	return slices.Contains([]string{".local", ".config", ".cache"}, filepath.Base(dir))
}

// libraries returns the names of the libraries of Python in an installation.
func libraries(prefix string) (names []string) {
	for _, lib := range []string{"lib", "lib64"} {
		in := filepath.Join(prefix, lib)
		entries, _ := os.ReadDir(in)
		for _, e := range entries {
			if python().MatchString(e.Name()) {
				names = append(names, filepath.Join(in, e.Name()))
			}
		}
	}
	return names
}

// python matches the folder and the files of a library of Python.
var python = lazyregexp.New(`^(lib)?(python|pypy)[0-9.]+t?(\.so.*)?$`)

// many is how many packages or environments in one folder are shown one by one.
const many = 8

// gathered replaces packages and environments of the same folder by that folder, where there are
// many: each name is mounted by itself.
func gathered(names []string) []string {
	names = byLength(names)
	count := map[string]int{}
	holder := func(name string) (string, bool) {
		in := filepath.Dir(name)
		if strings.HasPrefix(filepath.Base(in), "@") { // a package in the folder of its owner
			in = filepath.Dir(in)
		}
		return in, stores().MatchString(filepath.Base(in))
	}
	for _, name := range names {
		if in, ok := holder(name); ok {
			count[in]++
		}
	}
	for i, name := range names {
		if in, ok := holder(name); ok && count[in] > many {
			names[i] = in
		}
	}
	return names
}

// stores matches the folders that have only packages or environments.
var stores = lazyregexp.New(`^(` + regexp.QuoteMeta(modules) + `|venvs|virtualenvs|\.virtualenvs)$`)

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
