// Package ramtemp has the tests of a package put their temporary files into memory,
// where the system has a file system for that. Each commit of SQLite waits for the disk,
// and most of the time of many tests was that. No test here can end the power, so none
// shows less: what a process that is killed has written is in the file system all the same.
package ramtemp

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Runner is a [testing.M], or what stands for one.
type Runner interface{ Run() int }

// Around returns a runner that runs m with a folder in memory as the place for temporary
// files. It leaves everything as it is where there is no such place, or where TMPDIR says
// where temporary files go.
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

// prefix begins the names of the folders, and the id of a process follows it.
const prefix = "redline-test-"

// sweep removes the folders of processes that were killed: they would keep their memory.
func sweep(root string) {
	folders, _ := filepath.Glob(filepath.Join(root, prefix+"*"))
	for _, folder := range folders {
		id, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(folder), prefix), "-")
		if process, err := strconv.Atoi(id); err == nil && ended(process) {
			os.RemoveAll(folder)
		}
	}
}
