package packaging

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

const howNode = "install Node.js 18 or newer with npm"

// npmMain matches the file of the package that users install, and of no platform's package.
const npmMain = "redline-lsp-[0-9]*.tgz"

// npmPlatform is what npm calls this machine.
func npmPlatform() string {
	system, cpu := runtime.GOOS, runtime.GOARCH
	if system == "windows" {
		system = "win32"
	}
	if cpu == "amd64" {
		cpu = "x64"
	}
	return system + "-" + cpu
}

// npm runs npm or npx as a new user would: with an empty HOME and no cache.
func npm(t *testing.T, r *registry, home, program string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(need(t, program, howNode), args...)
	cmd.Dir = home
	cmd.Env = []string{
		"HOME=" + home, "USERPROFILE=" + home, "PATH=" + os.Getenv("PATH"), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"),
		"npm_config_registry=" + r.URL, "npm_config_cache=" + filepath.Join(home, "cache"), "npm_config_update_notifier=false",
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// npx downloads two packages, this platform's and the one that depends on it, and runs the
// program.
func TestNPX(t *testing.T) {
	need(t, "npx", howNode)
	r := newRegistry(t, packages(t, "npm"))
	out, err := npm(t, r, t.TempDir(), "npx", "--yes", "redline-lsp", "demo")
	if err != nil || !strings.Contains(out, "approved") {
		t.Errorf("npx redline-lsp demo: %v\n%s", err, out)
	}
	version := r.latest["redline-lsp"]
	want := []string{"redline-lsp-" + version + ".tgz", "redline-lsp-" + npmPlatform() + "-" + version + ".tgz"}
	if got := r.downloaded(); !slices.Equal(got, want) {
		t.Errorf("npm downloaded %v, want %v", got, want)
	}
}
