//go:build amd64 || arm64

package runner

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"redline/workspace/world"
)

// A login shell keeps the PATH that the command has, although the system's profile sets another; a profile
// that the world shows stays as it is.
func TestWorldKeepsPathInLoginShells(t *testing.T) {
	h := newHouse(t)
	h.world.Captured = true
	own := h.in("it's mine")
	t.Setenv("PATH", own+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, shell := range []string{"sh", "bash", "zsh"} {
		o := h.run(t, `command -v `+shell+` >/dev/null || exit 0; `+shell+` -lc 'printf "%s\n" "$PATH"'; printf "%s\n" "$PATH"`, time.Minute)
		if o.Stdout != "" && o.Stdout != os.Getenv("PATH")+"\n"+os.Getenv("PATH")+"\n" || o.ExitCode != 0 {
			t.Errorf("%s has %q: %s", shell, o.Stdout, o.Stderr)
		}
	}
	h.write(t, "home/.profile", "PATH=$PATH:/theirs; export PATH\n", 0o644)
	h.world.State = world.State{Paths: []string{h.in("home/.profile")}}
	if o := h.run(t, `cat ~/.profile`, time.Minute); o.Stdout != "PATH=$PATH:/theirs; export PATH\n" {
		t.Errorf("the profile is %q: %s", o.Stdout, o.Stderr)
	}
	if got := entriesOf(t, filepath.Join(h.dir, "home")); got != ".netrc .profile cache" {
		t.Errorf("the home folder has %s", got)
	}
}
