package packaging

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

var (
	releaseDir = flag.String("release", "", "take the programs and packages that .ci/release wrote into this folder")
	nextDir    = flag.String("next", "", "with -release: the folder of a release of a higher version, to upgrade to")
)

// testVersion is the version of a program that the tests build.
const testVersion = "1.2.3"

var temporary string // a folder for the whole run

func TestMain(m *testing.M) {
	flag.Parse()
	var err error
	if temporary, err = os.MkdirTemp("", "redline-packaging-"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(temporary)
	os.Exit(code)
}

// build builds the program for this machine as a release does, once and only if a test needs
// it, into a folder of programs with a folder for each platform.
var build = sync.OnceValues(func() (string, error) {
	programs := filepath.Join(temporary, "programs")
	name := "redline"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	program := filepath.Join(programs, runtime.GOOS+"_"+runtime.GOARCH, name)
	return programs, goBuild(program, "-s -w -X main.version="+testVersion)
})

// goBuild builds the program as .goreleaser.yaml says, with other flags for the linker.
func goBuild(program, ldflags string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", ldflags, "-o", program, "./cmd/redline")
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("redline does not build: %w\n%s", err, out)
	}
	return nil
}

// programs returns a folder with the programs of a release, each as linux_amd64/redline or
// windows_amd64/redline.exe. Without -release there is only this machine's.
func programs(t *testing.T) string {
	t.Helper()
	if *releaseDir != "" {
		return filepath.Join(*releaseDir, "programs")
	}
	if testing.Short() {
		t.Skip("the program is not built in short mode: run without -short")
	}
	dir, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// need skips a test if a program is not installed.
func need(t *testing.T, program, how string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("needs %s: %s", program, how)
	}
	return path
}

// command runs a program of this machine that must succeed.
func command(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := exec.Command(program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
	return string(out)
}
