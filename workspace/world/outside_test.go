//go:build !windows

package world

import (
	"path/filepath"
	"slices"
	"testing"
)

// A name by way of the workspace is not outside, wherever its links lead.
func TestOutside(t *testing.T) {
	dir := tree(t, map[string]string{
		"ws/": "", "ws/out": "->DIR/doc", "ws/up": "->../doc", "doc/x/": "", "by": "->ws", "wslike/": "",
		"in": "->by/out", "deep": "->DIR/doc/../ws/./up/x", "back": "->DIR/doc", "a": "->b", "b": "->a", "far": "->ws/../doc",
	})
	for name, want := range map[string]bool{
		"ws": false, "ws/new/x": false, "ws/out": false, "ws/out/x": false, "ws/up/x": false, "by": false, "by/out": false, "by/new": false, "in": false, "in/x": false, "deep": false, "far": false, "a": false, "b/x": false,
		"doc": true, "doc/x": true, "back/x": true, "wslike": true, "none/x": true, "": true,
	} {
		for _, workspace := range []string{"ws", "by"} {
			name := filepath.Join(dir, name)
			if got := slices.Contains(Outside([]string{name}, []string{filepath.Join(dir, workspace), filepath.Join(dir, "gone")}), name); got != want {
				t.Errorf("%s is outside of %s: %v", name, workspace, got)
			}
		}
	}
}
