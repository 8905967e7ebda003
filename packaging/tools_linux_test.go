package packaging

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// npmTool returns a program from npm: the one on the PATH, or with -roots one that is
// installed into the cache.
func npmTool(t *testing.T, name string) string {
	t.Helper()
	return tool(t, name, "npm install -g "+name, func(dir string) string {
		command(t, need(t, "npm", howNode), "install", "--prefix", dir, name)
		return filepath.Join(dir, "node_modules/.bin", name)
	})
}

// tool returns a program from the PATH, or with -roots one that is installed into the cache.
func tool(t *testing.T, name, how string, install func(dir string) string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	if !*roots {
		t.Skipf("needs %s: %s, or run with -roots", name, how)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	makingRoot.Lock()
	defer makingRoot.Unlock()
	dir := filepath.Join(cache, "redline-roots", "tool-"+name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return install(dir)
}
