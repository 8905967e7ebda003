package main

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// Only a server below a Redline counts, once, with the memory of what it has started.
func TestRunningServers(t *testing.T) {
	proc := fstest.MapFS{"uptime": {Data: []byte("1000.50 3000.00\n")}, "self/stat": {Data: []byte("x")}}
	add := func(id, parent int, began, kib int, args ...string) {
		stat := fmt.Sprintf("%d (a) b) S %d%s %d 0 0\n", id, parent, strings.Repeat(" 0", 17), began*100)
		proc[fmt.Sprint(id, "/stat")] = &fstest.MapFile{Data: []byte(stat)}
		proc[fmt.Sprint(id, "/cmdline")] = &fstest.MapFile{Data: []byte(strings.Join(args, "\x00") + "\x00")}
		proc[fmt.Sprint(id, "/status")] = &fstest.MapFile{Data: fmt.Appendf(nil, "Name:\ta\nVmRSS:\t%8d kB\n", kib)}
	}
	add(1, 0, 0, 100, "init")
	add(2, 1, 1, 100, "nvim")
	add(3, 2, 2, 100, "gopls") // the editor's own
	add(4, 2, 3, 100, "/usr/bin/redline", "serve")
	add(5, 4, 4, 100, "redline", "world")
	add(6, 5, 700, 2048, "/usr/bin/gopls", "serve")
	add(7, 6, 800, 1024, "go", "list")
	add(8, 5, 900, 3072, "node", "/x/pyright-langserver", "--stdio")
	add(9, 8, 950, 1024, "node", "/x/pyright-langserver", "--worker")
	add(10, 4, 5, 100)
	add(11, 12, 6, 100, "gopls") // parents in a circle
	add(12, 11, 6, 100, "gopls")

	for program, want := range map[string]string{
		"gopls":              fmt.Sprint([]runningServer{{6, 300*time.Second + time.Second/2, 3 << 20}}),
		"pyright-langserver": fmt.Sprint([]runningServer{{8, 100*time.Second + time.Second/2, 4 << 20}}),
		"clangd":             "[]",
	} {
		if got := fmt.Sprint(runningServers(proc, program)); got != want {
			t.Errorf("%s: %s, want %s", program, got, want)
		}
	}
	if got := runningServers(fstest.MapFS{}, "gopls"); len(got) != 0 {
		t.Errorf("without /proc: %v", got)
	}
}
