// Package ramtemp puts the temporary files of a package's tests into memory if the system
// has a file system for that. Many tests spent most of their time on commits of SQLite,
// each of which waits for the disk. The tests lose nothing, since none of them simulates a
// power failure: what a killed process has written is in the file system all the same.
package ramtemp

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Runner is a [testing.M], or a replacement for one.
type Runner interface{ Run() int }

// Around returns a runner that runs m with a folder in memory as the place for temporary
// files. It changes nothing if there is no such place, or if TMPDIR is set.
func Around(m Runner) Runner { return around{m, memory()} }

type around struct {
	tests Runner
	root  string // "" for none
}

func (a around) Run() int {
	if a.root == "" || os.Getenv("TMPDIR") != "" {
		return a.tests.Run()
	}
	sweep(a.root)
	dir, err := os.MkdirTemp(a.root, fmt.Sprintf("%s%d-", prefix, os.Getpid()))
	if err != nil {
		return a.tests.Run()
	}
	defer os.RemoveAll(dir)
	os.Setenv("TMPDIR", dir)
	defer os.Unsetenv("TMPDIR")
	return a.tests.Run()
}

// prefix begins the names of the folders; the id of a process follows it.
const prefix = "redline-test-"

// sweep removes the folders of killed processes, which would keep their memory.
func sweep(root string) {
	folders, _ := filepath.Glob(filepath.Join(root, prefix+"*"))
	for _, folder := range folders {
		id, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(folder), prefix), "-")
		if process, err := strconv.Atoi(id); err == nil && ended(process) {
			os.RemoveAll(folder)
		}
	}
}
