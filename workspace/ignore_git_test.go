package workspace

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// gitIn returns a function that runs git in a folder below dir and returns its output. The home is
// dir/home, and the system has no settings, for git and for the test alike.
func gitIn(t *testing.T, dir string) func(folder string, args ...string) string {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed, so there is nothing to compare with")
	}
	home := filepath.Join(dir, "home")
	must(t, os.MkdirAll(home, 0o755))
	for name, value := range map[string]string{
		"HOME": home, "USERPROFILE": home, "XDG_CONFIG_HOME": "", "GIT_CONFIG_GLOBAL": "", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CEILING_DIRECTORIES": dir,
	} {
		t.Setenv(name, value)
	}
	for _, name := range []string{"XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"} {
		must(t, os.Unsetenv(name))
	}
	return func(folder string, args ...string) string {
		t.Helper()
		args = append([]string{"-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always"}, args...)
		cmd := exec.Command(git, args...)
		cmd.Dir = filepath.Join(dir, folder)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v in %s: %v %v", args, folder, err, stderr.String())
		}
		return string(out)
	}
}

// Lists show what git tracks, and what it neither tracks nor ignores, wherever that is said.
func TestIgnoredAsGit(t *testing.T) {
	tree := map[string]string{"ws/a.go": "", "ws/a.log": "", "ws/sub/b.log": "", "ws/sub/b.tmp": "", "ws/out/c.go": "", "ws/out/deep/d.go": "", "ws/out/d.log": "", "ws/A.LOG": "", "ws/.gitignore": "*.bak\n"}
	type run func(folder string, args ...string) string
	track := func(names ...string) func(*testing.T, string, run) {
		return func(_ *testing.T, _ string, git run) { git("ws", append([]string{"add", "-f"}, names...)...) }
	}
	for name, c := range map[string]struct {
		files  map[string]string // besides those of tree
		init   []string
		change func(t *testing.T, dir string, git run)
		hidden string // what must be hidden, so that the case shows something
		shown  string
	}{
		"the user's usual place": {files: map[string]string{"home/.config/git/ignore": "*.log\n"}, hidden: "a.log"},
		"the user's settings":    {files: map[string]string{"home/.gitconfig": "[core]\n\texcludesFile = ~/mine # here\n", "home/mine": "*.log\n", "home/.config/git/ignore": "*.tmp\n"}, hidden: "a.log", shown: "sub/b.tmp"},
		"their other file":       {files: map[string]string{"home/.config/git/config": "[core]\nexcludesfile=\"~/my ignore\"\n", "home/my ignore": "*.log\n"}, hidden: "a.log"},
		"both":                   {files: map[string]string{"home/.config/git/config": "[core]\nexcludesfile=~/one\n", "home/.gitconfig": "[core]\nexcludesfile=~/two\n", "home/one": "*.log\n", "home/two": "*.tmp\n"}, hidden: "sub/b.tmp", shown: "a.log"},
		"included":               {files: map[string]string{"home/.gitconfig": "[include]\npath = more/config\n", "home/more/config": "[core]\nexcludesFile = ~/mine\n", "home/mine": "*.log\n"}, hidden: "a.log"},
		"no file":                {files: map[string]string{"home/.gitconfig": "[core]\nexcludesFile =\n", "home/.config/git/ignore": "*.log\n"}, shown: "a.log"},
		"the repository's settings": {files: map[string]string{"ws/mine": "*.log\n", "home/.config/git/ignore": "*.tmp\n"}, hidden: "a.log", shown: "sub/b.tmp",
			change: func(_ *testing.T, _ string, git run) { git("ws", "config", "core.excludesFile", "mine") }},
		"of the repository alone": {files: map[string]string{"ws/.git/info/exclude": "*.log\n!sub/b.log\n", "home/.config/git/ignore": "b.log\n"}, hidden: "a.log", shown: "sub/b.log"},
		"not again":               {files: map[string]string{"ws/sub/.gitignore": "!*.log\n", "home/.config/git/ignore": "*.log\n"}, hidden: "a.log", shown: "sub/b.log"},
		"the system's settings": {files: map[string]string{"system": "[core]\nexcludesFile = ~/mine\n", "home/mine": "*.log\n"}, hidden: "a.log",
			change: func(t *testing.T, dir string, _ run) {
				t.Setenv("GIT_CONFIG_NOSYSTEM", "")
				t.Setenv("GIT_CONFIG_SYSTEM", filepath.Join(dir, "system"))
			}},
		"for some folders": {files: map[string]string{"home/.gitconfig": "[includeIf \"gitdir:~/\"]\npath = no\n", "home/no": "[core]\nexcludesFile=~/mine\n", "home/mine": "*.log\n"}, shown: "a.log"},
		"another folder": {files: map[string]string{"home/.gitconfig": "", "home/mine": "*.log\n"}, hidden: "a.log",
			change: func(t *testing.T, dir string, _ run) {
				writeTree(t, dir, map[string]string{"home/.gitconfig": "[includeIf \"gitdir:" + filepath.ToSlash(dir) + "/\"]\npath = yes\n", "home/yes": "[core]\nexcludesFile=~/mine\n"})
			}},
		"in another case":     {files: map[string]string{"home/.config/git/ignore": "*.Log\n[s]UB/\n"}, hidden: "A.LOG", change: func(_ *testing.T, _ string, git run) { git("ws", "config", "core.ignorecase", "true") }},
		"tracked":             {files: map[string]string{"ws/.gitignore": "*.log\n"}, hidden: "A.log", shown: "a.log", change: track("a.log")},
		"tracked in a folder": {files: map[string]string{"ws/.gitignore": "out/\n"}, hidden: "out/d.log", shown: "out/deep/d.go", change: track("out/deep/d.go")},
		"the name before":     {files: map[string]string{"ws/.gitignore": "out/\n", "ws/out-1": "", "ws/out.go": ""}, hidden: "out/c.go", change: track("out-1", "out.go")},
		"version 4 of the index": {files: map[string]string{"ws/.gitignore": "*.log\nout\n"}, hidden: "out/c.go", shown: "out/d.log", change: func(_ *testing.T, _ string, git run) {
			git("ws", "add", "-f", "out/d.log", "sub/b.log", "a.go")
			git("ws", "update-index", "--index-version=4")
		}},
		"version 3 of the index": {files: map[string]string{"ws/.gitignore": "*.log\n"}, hidden: "sub/b.log", shown: "a.log", change: func(_ *testing.T, _ string, git run) { git("ws", "add", "-fN", "a.log", "out/d.log") }},
		"SHA-256":                {init: []string{"--object-format=sha256"}, files: map[string]string{"ws/.gitignore": "*.log\n"}, hidden: "sub/b.log", shown: "a.log", change: track("a.log", "a.go", "out/c.go")},
		"long names":             {files: map[string]string{"ws/.gitignore": "*.log\n", "ws/" + strings.Repeat("x", 200) + ".log": ""}, hidden: "a.log", shown: strings.Repeat("x", 200) + ".log", change: track(strings.Repeat("x", 200) + ".log")},
		"no more tracked": {files: map[string]string{"ws/.gitignore": "*.log\n"}, hidden: "a.log", shown: "sub/b.log", change: func(t *testing.T, dir string, git run) {
			git("ws", "add", "-f", "a.log", "sub/b.log")
			listOf(t, filepath.Join(dir, "ws"))
			git("ws", "rm", "-q", "--cached", "a.log")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := newTree(t, tree)
			git := gitIn(t, dir)
			git("ws", append([]string{"init", "-q"}, c.init...)...)
			writeTree(t, dir, c.files)
			if c.change != nil {
				c.change(t, dir, git)
			}
			got := listOf(t, filepath.Join(dir, "ws"))
			want := strings.Split(strings.TrimSuffix(git("ws", "ls-files", "-z", "--cached", "--others", "--exclude-standard"), "\x00"), "\x00")
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-git +ours):\n%s", diff)
			}
			if c.hidden != "" && slices.Contains(got, c.hidden) || c.shown != "" && !slices.Contains(got, c.shown) {
				t.Errorf("the case shows nothing: %q", got)
			}
		})
	}
}

// listed returns the files of a new workspace.
func listOf(t *testing.T, dir string) []string {
	t.Helper()
	got, _, err := New([]Folder{{Dir: dir}}, Options{}).List(t.Context(), "", "", nil, 0)
	must(t, err)
	return got
}

// A worktree has the patterns of its repository; a submodule and a repository within another have
// their own, and the user's; what another repository says does not count.
func TestIgnoredInSeveralRepositories(t *testing.T) {
	dir := newTree(t, map[string]string{
		"main/a.go": "", "main/.gitignore": "*.log\nkept/\n", "lib/l.go": "", "lib/l.log": "", "home/.config/git/ignore": "*.mine\n",
	})
	git := gitIn(t, dir)
	for _, name := range []string{"lib", "main"} {
		git(name, "init", "-q")
		git(name, "add", ".")
		git(name, "commit", "-qm", "first")
	}
	git("main", "worktree", "add", "-q", "../tree")
	git("main", "submodule", "--quiet", "add", "-f", filepath.ToSlash(filepath.Join(dir, "lib")), "kept/lib")
	git("main", "init", "-q", "inner")
	writeTree(t, dir, map[string]string{
		"main/.git/info/exclude": "*.tmp\n", "tree/x.tmp": "", "tree/x.log": "", "tree/x.go": "", "tree/x.mine": "",
		"main/kept/no.go": "", "main/kept/lib/new.go": "", "main/kept/lib/new.log": "", "main/kept/lib/n.tmp": "", "main/kept/lib/n.mine": "",
		"main/inner/i.log": "", "main/inner/i.tmp": "", "main/inner/i.mine": "", "main/inner/i.out": "", "main/inner/.git/info/exclude": "*.out\n",
		"main/half/.git/info/exclude": "!*.log\n", "main/half/h.log": "", "main/half/h.go": "",
	})
	for folder, want := range map[string][]string{
		"tree": {".gitignore", "a.go", "x.go"},
		"main": {
			".gitignore", ".gitmodules", "a.go", "half/h.go", "inner/i.log", "inner/i.tmp",
			"kept/lib/l.go", "kept/lib/l.log", "kept/lib/n.tmp", "kept/lib/new.go", "kept/lib/new.log",
		},
		"main/kept/lib": {"l.go", "l.log", "n.tmp", "new.go", "new.log"},
	} {
		if diff := cmp.Diff(want, listOf(t, filepath.Join(dir, folder))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", folder, diff)
		}
	}
	level, err := New([]Folder{{Dir: filepath.Join(dir, "main")}}, Options{}).Level("kept")
	must(t, err)
	if diff := cmp.Diff(Level{Folders: []string{"lib"}}, level); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
}

// A search finds what git tracks, although a pattern matches it, and counts what it ignores.
func TestSearchesAndIgnoredFiles(t *testing.T) {
	dir := newTree(t, map[string]string{"ws/.gitignore": "*.log\nout/\n", "ws/a.log": "needle\n", "ws/b.log": "needle\n", "ws/out/c.go": "needle\n", "ws/out/d.go": "needle\n", "ws/sub/x.log": "", "ws/sub/y.log": "", "ws/sub/.env": ""})
	git := gitIn(t, dir)
	git("ws", "init", "-q")
	git("ws", "add", "-f", "a.log", "out/c.go")
	w := New([]Folder{{Dir: filepath.Join(dir, "ws")}}, Options{})
	found, err := w.Search(t.Context(), Query{Pattern: "needle", Limit: 10}, nil)
	must(t, err)
	var names []string
	for _, f := range found.Files {
		names = append(names, f.Path)
	}
	if diff := cmp.Diff([]string{"a.log", "out/c.go"}, names); diff != "" {
		t.Error(diff)
	}
	for folder, want := range map[string]int{"sub": 2, ".": 7} { // .gitignore is among these
		if n, more, err := w.Ignored(t.Context(), folder); err != nil || n != want || more {
			t.Errorf("%s has %d %v, %v", folder, n, more, err)
		}
	}
	for i := range maxIgnored + 1 {
		writeTree(t, dir, map[string]string{"ws/sub/" + strings.Repeat("n", i%50) + strings.Repeat("m", i/50) + ".log": ""})
	}
	if n, more, err := w.Ignored(t.Context(), "sub"); err != nil || n != maxIgnored || !more {
		t.Errorf("%d %v, %v", n, more, err)
	}
}
