//go:build unix

package runner

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Which files a command could not write is told by the error's own words and by facts: the file lies
// outside of what it can write, and the user could write it.
func TestRefusedIn(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"w", "home/.tool/with space", "cache"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "cache"), filepath.Join(dir, "home", "link")); err != nil {
		t.Fatal(err)
	}
	const mounts, landlock = true, false
	for name, c := range map[string]struct {
		by      bool
		output  string // @ is the folder
		want    string // names below it
		unnamed bool
	}{
		"dash":           {mounts, "sh: 1: cannot create @/home/.tool/a: Read-only file system", "home/.tool/a", false},
		"bash":           {mounts, "bash: line 1: @/home/.tool/a: Read-only file system", "home/.tool/a", false},
		"coreutils":      {mounts, "touch: cannot touch '@/home/.tool/with space/a': Read-only file system", "home/.tool/with space/a", false},
		"Go":             {mounts, "go: could not create module cache: mkdir @/home/go: read-only file system", "home/go", false},
		"Node":           {mounts, "[Error: EROFS: read-only file system, mkdir '@/home/.npm/_cacache'] {\n  errno: -30,\n  code: 'EROFS',\n", "home/.npm/_cacache", false},
		"npm":            {mounts, "npm error code EROFS\nnpm error syscall open\nnpm error path @/home/.npm/x\n", "home/.npm/x", false},
		"Python":         {mounts, "OSError: [Errno 30] Read-only file system: '@/home/.tool/a'", "home/.tool/a", false},
		"Rust":           {mounts, "error: failed to create directory `@/home/.tool/a`\n\nCaused by:\n  Read-only file system (os error 30)\n", "home/.tool/a", false},
		"Java":           {mounts, "java.io.FileNotFoundException: @/home/.tool/a (Read-only file system)", "home/.tool/a", false},
		"git":            {mounts, "fatal: Unable to create '@/main/.git/index.lock': Read-only file system", "main/.git/index.lock", false},
		"above":          {mounts, "touch: cannot touch '../home/a': Read-only file system", "home/a", false},
		"home":           {mounts, "mkdir: cannot create directory ‘~/.tool/b’: Read-only file system", "home/.tool/b", false},
		"many":           {mounts, "x: @/home/1: Read-only file system\nx: @/home/2: Read-only file system\nx: @/home/1: Read-only file system\nx: @/home/3: EROFS\nx: @/home/4: EROFS", "home/1 home/2 home/3", false},
		"no name":        {mounts, "Error: attempt to write: Read-only file system", "", true},
		"not a refusal":  {mounts, "open @/home/.tool/a: no such file or directory", "", false},
		"in a source":    {mounts, "E   Read-only file system\n  File \"@/home/lib.py\", line 3, in x\n@/home/lib.go:12: x", "", true},
		"writable":       {mounts, "touch: cannot touch '@/w/a': Read-only file system", "", false},
		"by a link":      {mounts, "touch: cannot touch '@/home/link/a': Read-only file system", "", false},
		"other errno":    {mounts, "touch: cannot touch '@/home/.tool/a': Permission denied", "", false},
		"by Landlock":    {landlock, "touch: cannot touch '@/home/.tool/a': Permission denied", "home/.tool/a", false},
		"Landlock, Node": {landlock, "Error: EACCES: permission denied, mkdir '@/home/.npm/_cacache'", "home/.npm/_cacache", false},
		"not Landlock":   {landlock, "touch: cannot touch '@/home/.tool/a': Read-only file system", "", false},
	} {
		output := strings.ReplaceAll(c.output, "@", dir)
		files, unnamed := refusedIn(output, filepath.Join(dir, "w"), filepath.Join(dir, "home"), c.by, []string{filepath.Join(dir, "w"), filepath.Join(dir, "cache")})
		var got []string
		for _, file := range files {
			got = append(got, strings.TrimPrefix(file, dir+"/"))
		}
		if strings.Join(got, " ") != c.want || unnamed != c.unnamed {
			t.Errorf("%s: %q, %v", name, got, unnamed)
		}
	}
}

// What the user could not write either was not refused by Redline.
func TestRefusedByPermissions(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root can write everything")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	if files, _ := refusedIn("touch: cannot touch '"+dir+"/a': Permission denied", "/", "", false, nil); files != nil {
		t.Error(files)
	}
}

// A command that fails for that reason has the names with its outcome, whichever way it was limited;
// one that succeeds all the same has none.
func TestRefused(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	work, other := filepath.Join(dir, "w"), filepath.Join(dir, "other")
	for _, name := range []string{work, other} {
		if err := os.Mkdir(name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, namespaces := range []string{NamespacesAuto, NamespacesOff} {
		for line, want := range map[string][]string{
			"mkdir " + other + "/a/b":                 {other + "/a"},
			"echo > ../other/a":                       {other + "/a"},
			"mkdir " + other + "/a/b; true":           nil,
			"mkdir " + other + "/a; touch a; mkdir a": {other + "/a"},
			"cat missing":                             nil,
		} {
			if strings.HasPrefix(line, "mkdir "+other+"/a/b") {
				line = strings.Replace(line, "mkdir", "mkdir -p", 1)
			}
			o, err := Run(context.Background(), Command{Line: line, Dir: work, Write: []string{work}, Namespaces: namespaces}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !o.Confined {
				t.Logf("nothing limits what a command writes here, namespaces %s", namespaces)
				continue
			}
			if !slices.Equal(o.Refused, want) || o.RefusedUnnamed {
				t.Errorf("namespaces %s, %s: %q, %v of %+v", namespaces, line, o.Refused, o.RefusedUnnamed, o)
			}
			_ = os.Remove(filepath.Join(work, "a"))
		}
	}
}
