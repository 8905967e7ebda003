package packaging

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// newerVersion is the version of packages to upgrade to. Their program is a script that
// prints it.
const newerVersion = "99.0.0"

// made has the folders of packages that were made for testVersion, by kind.
var made = map[string]string{}

// packages returns a folder with the packages that a command of internal/release makes: npm
// or pypi. They are made once, and only if a test needs them.
func packages(t *testing.T, kind string) string {
	t.Helper()
	if *releaseDir != "" {
		return filepath.Join(*releaseDir, kind)
	}
	if made[kind] == "" {
		made[kind] = makePackages(t, filepath.Join(temporary, "made-"+kind), kind, testVersion, thisProgram(t))
	}
	return made[kind]
}

// newerPackages is packages for newerVersion.
func newerPackages(t *testing.T, kind string) string {
	t.Helper()
	return makePackages(t, t.TempDir(), kind, newerVersion, script(t, "echo redline "+newerVersion))
}

// makePackages makes packages below dir, whose program for this machine is a given file.
// Those for other platforms have a stand-in.
func makePackages(t *testing.T, dir, kind, version, program string) string {
	t.Helper()
	all := filepath.Join(dir, "programs")
	for _, platform := range []string{"linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64", "windows_amd64", "windows_arm64"} {
		name := "redline"
		if strings.HasPrefix(platform, "windows") {
			name += ".exe"
		}
		text := []byte("this is a program for " + platform)
		if platform == runtime.GOOS+"_"+runtime.GOARCH {
			var err error
			if text, err = os.ReadFile(program); err != nil {
				t.Fatal(err)
			}
		}
		writeFile(t, filepath.Join(all, platform, name), string(text), 0o755)
	}
	writeFile(t, filepath.Join(all, "THIRD-PARTY-LICENCES.txt"), "the licences of the libraries", 0o644)
	cmd := exec.Command("go", "run", "./internal/release", kind, "packaging/project.json", version, all, filepath.Join(dir, kind))
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("release %s: %v\n%s", kind, err, out)
	}
	return filepath.Join(dir, kind)
}

// thisProgram returns the program for this machine.
func thisProgram(t *testing.T) string {
	t.Helper()
	name := "redline"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(programs(t), runtime.GOOS+"_"+runtime.GOARCH, name)
}

// script writes a shell script that takes the place of the program.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "redline")
	writeFile(t, path, "#!/bin/sh\n"+text+"\n", 0o755)
	return path
}

// isolated returns a command that runs with an empty HOME.
func isolated(t *testing.T, program string, args ...string) *exec.Cmd {
	t.Helper()
	home := t.TempDir()
	cmd := exec.Command(program, args...)
	cmd.Dir = home
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + home, "TMP=" + home, "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
	return cmd
}

func writeFile(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// only returns the one file that a pattern matches.
func only(t *testing.T, pattern ...string) string {
	t.Helper()
	found := glob(t, pattern...)
	if len(found) != 1 {
		t.Fatalf("%s matches %v, want one file", filepath.Join(pattern...), found)
	}
	return found[0]
}
