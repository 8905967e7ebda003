//go:build !windows

package world

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// tree makes files in a new folder, by name: links to what comes after "->", a FIFO for "|", folders
// for names that end in a slash. DIR in a link or a text is the folder.
func tree(t testing.TB, files map[string]string) (dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		put(t, dir, name, text)
	}
	return dir
}

func put(t testing.TB, dir, name, text string) {
	t.Helper()
	at, text := filepath.Join(dir, name), strings.ReplaceAll(text, "DIR", dir)
	err := os.MkdirAll(filepath.Dir(at), 0o755)
	to, link := strings.CutPrefix(text, "->")
	switch {
	case err != nil:
	case link:
		err = os.Symlink(to, at)
	case text == "|":
		err = syscall.Mkfifo(at, 0o644)
	case strings.HasSuffix(name, "/"):
		err = os.MkdirAll(at, 0o755)
	default:
		err = os.WriteFile(at, []byte(text), 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// What links lead to is within the bounds of tools: never a home folder, one that holds it, or a
// secret, and from the workspace only what is a tool.
func TestProgramsKeepTheBounds(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		links string // of the workspace, ws
		want  string
	}{
		"the home":                                        {files: map[string]string{"home/u/bin/x": "->DIR/home/u/x", "home/u/x": ""}, want: "home/u/x home/u/bin"},
		"a package that is the home":                      {files: map[string]string{"home/u/bin/x": "->DIR/home/u/x.js", "home/u/x.js": "#!/usr/bin/env node\n", "home/u/package.json": ""}, want: "home/u/bin home/u/x.js"},
		"an environment in the home":                      {files: map[string]string{"home/u/bin/x": "", "home/u/pyvenv.cfg": "", "home/u/conda-meta/": ""}, want: "home/u/bin"},
		"one in what holds homes":                         {files: map[string]string{"home/u/bin/x": "->DIR/home/bin/x", "home/bin/x": "", "home/pyvenv.cfg": ""}, want: "home/bin/x home/u/bin"},
		"keys":                                            {files: map[string]string{"home/u/bin/x": "->DIR/home/u/.ssh/id_rsa", "home/u/.ssh/id_rsa": "", "home/u/bin/y": "->DIR/home/u/.aws/bin/y", "home/u/.aws/bin/y": "", "home/u/.aws/pyvenv.cfg": "", "home/u/bin/z": "->DIR/opt/id_ed25519", "opt/id_ed25519": ""}, want: "home/u/bin"},
		"a file that is no program":                       {files: map[string]string{"home/u/bin/x": "->DIR/doc/x/", "doc/x/y": "", "home/u/bin/y": "->DIR/none", "home/u/bin/z": "->z"}, want: "home/u/bin"},
		"data of the user":                                {files: map[string]string{"home/u/bin/x": "->DIR/home/u/.config/bin/x", "home/u/.config/bin/x": "", "home/u/.config/lib/y": "", "home/u/.config/share/y": ""}, want: "home/u/bin home/u/.config/bin/x"},
		"no workspace's word":                             {files: map[string]string{"ws/.venv/bin/python": "->DIR/home/u/doc/python", "home/u/doc/python": "", "home/u/doc/lib/x": "", "ws/b": "->DIR/home/u/doc", "ws/c": "->DIR/home/u", "ws/d": "->DIR", "ws/e": "->/"}, links: ".venv/bin/python b c d e"},
		"the user's link by way of the workspace":         {files: map[string]string{"home/u/bin/x": "->DIR/ws/x", "ws/x": "->DIR/home/u/doc/x", "home/u/doc/x": "", "home/u/bin/y": "->DIR/ws/v/bin/y", "ws/v/bin/y": "", "ws/v/pyvenv.cfg": "home = DIR/home/u/doc", "ws/v/bin/python": "->DIR/home/u/doc/python", "home/u/doc/python": ""}, want: "home/u/bin"},
		"a script of the user's by way of the workspace":  {files: map[string]string{"home/u/bin/x": "#!DIR/ws/v/bin/python\n", "ws/v/bin/python": "->DIR/home/u/doc/scripts/x.sh", "home/u/doc/scripts/x.sh": "", "home/u/doc/lib/y": "", "home/u/bin/z": "->DIR/by/v/bin/python", "by": "->ws"}, want: "home/u/bin"},
		"a folder on the way is in the workspace":         {files: map[string]string{"home/u/bin/x": "->DIR/by/x", "by": "->ws/out", "ws/out": "->../home/u/doc", "home/u/doc/x": "", "home/u/doc/y": ""}, want: "home/u/bin"},
		"a folder with a link to a program of the system": {files: map[string]string{"ws/x": "->DIR/home/u/doc/run", "home/u/doc/run": "->/usr/bin/env", "home/u/doc/y": "", "ws/y": "->DIR/by/run", "by": "->home/u/doc"}, links: "x y", want: "link:home/u/doc/run link:by"},
		"a name by way of a process":                      {files: map[string]string{"ws/x": "->/proc/self/rootDIR/home/u/doc/run", "home/u/doc/run": "->/usr/bin/env", "ws/v": "->/proc/self/rootDIR/v", "v/pyvenv.cfg": ""}, links: "x v"},
		"another project that is an environment":          {files: map[string]string{"ws/x": "->DIR/o", "o/pyvenv.cfg": "", "o/mine.py": "", "o/src/x": "", "o/bin/python": "", "o/lib/python3.12/x": "", "o/lib/mine.py": "", "o/lib64": "->lib", "o/share": "->src", "ws/y": "->DIR/c", "c/conda-meta/": "", "c/mine.py": "", "c/lib/x": ""}, links: "x y", want: "o/bin o/lib/python3.12 o/lib64/python3.12 o/pyvenv.cfg c/conda-meta c/lib"},
		"projects like an installation":                   {files: map[string]string{"ws/x": "->DIR/o", "o/VERSION": "", "o/src/runtime/mine": "", "ws/y": "->DIR/j", "j/release": "", "j/jre/mine": "", "ws/z": "->DIR/g", "g/VERSION": "", "g/src/runtime/x": "", "g/bin/go": ""}, links: "x y z", want: "g"},
		"scripts of an environment":                       {files: map[string]string{"home/u/bin/x": "#!DIR/v/bin/python -s\n", "v/bin/python": "", "v/pyvenv.cfg": "", "home/u/bin/y": "#!DIR/home/u/.ssh/x\n", "home/u/.ssh/x": "", "home/u/bin/z": "->DIR/a/z", "a/z": "#!DIR/b/bin/fish\n", "b/bin/fish": ""}, want: "home/u/bin v a/z b/bin"},
		"a tag that is none":                              {files: map[string]string{"ws/target": "->DIR/home/u/doc", "home/u/doc/CACHEDIR.TAG": "x"}, links: "target"},
		"pipes":                                           {files: map[string]string{"ws/target": "->DIR/t", "t/CACHEDIR.TAG": "|", "ws/v": "->DIR/v", "v/pyvenv.cfg": "|", "v/bin/python": "|"}, links: "target v", want: "v/bin v/pyvenv.cfg"},
		"circles":                                         {files: map[string]string{"ws/v": "->DIR/v", "v/pyvenv.cfg": "home = DIR/w/bin", "v/bin/python": "->DIR/w/bin/python", "w/pyvenv.cfg": "home = DIR/v/bin", "w/bin/python": ""}, links: "v", want: "v/bin v/pyvenv.cfg w/bin w/pyvenv.cfg"},
		"a cache":                                         {files: map[string]string{"ws/target": "->DIR/home/u/t", "home/u/t/CACHEDIR.TAG": signature + "\n"}, links: "target", want: "cache:home/u/t"},
		"a home that is a cache":                          {files: map[string]string{"ws/target": "->DIR/home/u", "home/u/CACHEDIR.TAG": signature}, links: "target"},
		"packages of the home":                            {files: map[string]string{"ws/node_modules": "->DIR/home/u/node_modules", "home/u/node_modules/x": ""}, links: "node_modules", want: "home/u/node_modules"},
		"a name below no tool":                            {files: map[string]string{"home/u/bin/x": "->DIR/home/u/go/bin/x", "home/u/go/bin/x": "", "home/u/go/src/y/.env": "", "home/u/go/pkg/y": ""}, want: "home/u/bin home/u/go/bin"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := tree(t, c.files)
			put(t, dir, "home/u/bin/", "")
			var links []string
			for _, link := range strings.Fields(c.links) {
				links = append(links, filepath.Join(dir, "ws", link))
			}
			needs := NewPrograms(filepath.Join(dir, "home/u")).Needed(Ways{Path: []string{filepath.Join(dir, "home/u/bin")}, Workspaces: []string{filepath.Join(dir, "ws")}, Links: links})
			var got []string
			for kind, names := range map[string][]string{"": needs.Programs, "link:": needs.Links, "cache:": needs.Caches} {
				for _, name := range names {
					got = append(got, kind+strings.TrimPrefix(name, dir+"/"))
				}
			}
			want := strings.Fields(c.want)
			if c.links != "" {
				want = append(want, "home/u/bin")
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// A folder of PATH in the workspace counts as the workspace, and those of tools are not shown twice.
func TestProgramsInTheWorkspaceAndInTools(t *testing.T) {
	dir := tree(t, map[string]string{
		"ws/bin/x": "->DIR/doc/x", "doc/x": "", "tools/v/pyvenv.cfg": "", "tools/v/bin/python": "", "bin/y": "->DIR/tools/v/bin/y", "tools/v/bin/y": "",
	})
	at := func(name string) string { return filepath.Join(dir, name) }
	needs := NewPrograms(at("home")).Needed(Ways{Path: []string{at("ws/bin"), at("bin"), "bin", ""}, Workspaces: []string{at("ws")}, Tools: []string{at("tools"), at("gone")}})
	if !slices.Equal(needs.Programs, []string{at("bin")}) || len(needs.Caches) > 0 {
		t.Errorf("%q", needs)
	}
}

// A folder of PATH is read again when it has changed, and each time it is what its links lead to.
func TestProgramsFollowChanges(t *testing.T) {
	dir := tree(t, map[string]string{"bin/x": "->DIR/a/x.sh", "a/x.sh": "", "b/y.sh": ""})
	p, old := NewPrograms(), time.Now().Add(-time.Hour)
	look := func(want ...string) {
		t.Helper()
		programs := p.Needed(Ways{Path: []string{filepath.Join(dir, "bin")}}).Programs
		for i, name := range programs {
			programs[i], _ = filepath.Rel(dir, name)
		}
		if slices.Sort(programs); !slices.Equal(programs, want) {
			t.Errorf("found %q, want %q", programs, want)
		}
	}
	look("a/x.sh", "bin")
	put(t, dir, "bin/y", "->DIR/b/y.sh")
	look("a/x.sh", "b/y.sh", "bin")
	if err := os.Chtimes(filepath.Join(dir, "bin"), old, old); err != nil {
		t.Fatal(err)
	}
	look("a/x.sh", "b/y.sh", "bin")
	look("a/x.sh", "b/y.sh", "bin") // what is known
	if err := os.Remove(filepath.Join(dir, "a/x.sh")); err != nil {
		t.Fatal(err)
	}
	look("b/y.sh", "bin")
	put(t, dir, "bin/z", "->DIR/z/z.sh")
	put(t, dir, "z/z.sh", "")
	look("b/y.sh", "bin", "z/z.sh")
}

// Many packages or environments are shown by the folder that has them.
func TestProgramsAreGathered(t *testing.T) {
	files := map[string]string{"n/lib/node_modules/unused/x": "", "venvs/unused/pyvenv.cfg": ""}
	for i := range many + 1 {
		files[fmt.Sprintf("bin/n%d", i)] = fmt.Sprintf("->DIR/n/lib/node_modules/@all/p%d/x.js", i)
		files[fmt.Sprintf("n/lib/node_modules/@all/p%d/x.js", i)] = ""
		files[fmt.Sprintf("bin/v%d", i)] = fmt.Sprintf("->DIR/venvs/v%d/bin/x", i)
		files[fmt.Sprintf("venvs/v%d/bin/x", i)] = ""
		files[fmt.Sprintf("venvs/v%d/pyvenv.cfg", i)] = ""
	}
	dir := tree(t, files)
	at := func(name string) string { return filepath.Join(dir, name) }
	if programs := NewPrograms().Needed(Ways{Path: []string{at("bin")}}).Programs; !slices.Equal(programs, []string{at("bin"), at("venvs"), at("n/lib/node_modules")}) {
		t.Errorf("found %q", programs)
	}
}

// Of an environment that a file of the workspace names, such as .pdm-python, a trial sees what
// belongs to it, and the python that it was made from only if that is one.
func TestEnvironmentsElsewhere(t *testing.T) {
	dir := tree(t, map[string]string{
		"ws/": "", "o/pyvenv.cfg": "home = DIR/py/bin", "o/mine.py": "", "o/bin/python": "->DIR/py/bin/python3.12", "py/bin/python3.12": "", "py/lib/python3.12/x": "",
		"w/pyvenv.cfg": "", "w/bin/python": "->DIR/doc/run.sh", "doc/run.sh": "", "doc/lib/x": "", "by": "->w", "home/pyvenv.cfg": "", "home/bin/x": "", "home/doc/x": "",
	})
	needs := NewPrograms(filepath.Join(dir, "home")).Needed(Ways{Workspaces: []string{filepath.Join(dir, "ws")}, Elsewhere: []string{filepath.Join(dir, "o"), filepath.Join(dir, "by"), filepath.Join(dir, "home")}})
	var got []string
	for _, name := range slices.Concat(needs.Programs, needs.Links) {
		got = append(got, strings.TrimPrefix(name, dir+"/"))
	}
	slices.Sort(got)
	if want := strings.Fields("by o/bin o/pyvenv.cfg py/bin py/lib w/bin w/pyvenv.cfg"); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
