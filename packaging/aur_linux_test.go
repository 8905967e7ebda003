package packaging

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// .SRCINFO says what makepkg reads in the PKGBUILD, also for a pre-release, which pacman
// takes to be older than the release.
func TestSRCINFO(t *testing.T) {
	t.Parallel()
	need(t, "makepkg", "install Debian's packages makepkg and pacman-package-manager, or take Arch Linux")
	release := publishThis(t, "aur")
	version := release.version + "-rc.1"
	archives, err := makeArchives(version, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	repository, dir := host(t)
	candidate := publish(t, "aur", repository, dir, version, archives)
	pkgver := regexp.MustCompile(`(?m)^\tpkgver = (.*)$`)
	var versions []string
	for _, p := range []published{candidate, release} {
		got, want := p.manifest(t, ".SRCINFO"), printSRCINFO(t, p.manifests)
		if got != want {
			t.Fatalf(".SRCINFO has\n%s\nand makepkg prints\n%s", got, want)
		}
		versions = append(versions, pkgver.FindStringSubmatch(got)[1])
	}
	if out := command(t, "vercmp", versions...); out != "-1\n" {
		t.Errorf("pacman compares the versions %q to %s", versions, out)
	}
}

// printSRCINFO returns what makepkg reads in the PKGBUILD of a folder.
func printSRCINFO(t *testing.T, dir string) string {
	t.Helper()
	cmd := exec.Command("makepkg", "--printsrcinfo")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir)
	if os.Getuid() == 0 { // makepkg refuses root
		const nobody = 65534
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		command(t, "chmod", "755", filepath.Dir(filepath.Dir(dir)))
		command(t, "chown", "-R", "nobody", dir)
	}
	var problems strings.Builder
	cmd.Stderr = &problems
	printed, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, problems.String())
	}
	return string(printed)
}

func TestPKGBUILDShellcheck(t *testing.T) {
	t.Parallel()
	need(t, "shellcheck", "install Debian's package shellcheck")
	p := publishThis(t, "aur")
	// makepkg reads the variables that seem unused, and sets pkgdir.
	command(t, "shellcheck", "--shell=bash", "--exclude=SC2034,SC2154", filepath.Join(p.manifests, "PKGBUILD"))
}

// arch is a root with pacman, in which a user builds packages.
type arch struct{ root }

func newArch(t *testing.T) arch {
	a := arch{newRoot(t, "pacman", "makepkg", "pacman-package-manager", "curl", "libarchive-tools")}
	a.run("useradd --create-home builder")
	a.run("ln -s /proc/self/mounts /etc/mtab") // as in Arch Linux; pacman looks there for free space
	return a
}

// build makes a package as somebody does who has cloned it from the AUR: makepkg downloads the
// archive, checks it and packs it. It returns the package's file.
func (a arch) build(p published, options string) string {
	a.t.Helper()
	a.put(p.manifests, "/home/builder/"+p.version)
	a.run("chown -R builder /home/builder")
	a.run("su builder -s /bin/sh -c 'cd /home/builder/" + p.version + " && makepkg " + options + "'")
	return strings.TrimSpace(a.run("ls -t /home/builder/" + p.version + "/*.pkg.tar.* | head -n 1"))
}

// content returns the names of the files that a package installs.
func (a arch) content(file string) []string {
	var names []string
	for name := range strings.Lines(a.run("bsdtar -tf " + file)) {
		if name = strings.TrimSpace(name); strings.HasPrefix(name, "usr/") && !strings.HasSuffix(name, "/") {
			names = append(names, "/"+name)
		}
	}
	slices.Sort(names)
	return names
}

// everything returns the names of all files and folders, in order, but for those of the user
// who builds and of pacman itself.
func (a arch) everything() []string {
	names := strings.Fields(a.run("find / -xdev -path /home/builder -prune -o -path '/var/*/pacman*' -prune -o -print"))
	slices.Sort(names)
	return names
}

// The package is built by makepkg, installed, upgraded and removed by pacman. It leaves
// nothing but what the user made.
func TestAURInstalls(t *testing.T) {
	a := newArch(t)
	repository, dir := host(t)
	version, archives := thisRelease(t)
	release := publish(t, "aur", repository, dir, version, archives)
	earlier := publish(t, "aur", repository, dir, "0.0.1", oldArchives(t))

	first := a.build(earlier, "")
	before := a.everything()
	a.run("pacman --noconfirm -U " + first)
	if out := a.run("redline version"); out != "redline version 0.0.1\n" {
		t.Errorf("the earlier package's program says %q", out)
	}
	second := a.build(release, "")
	installs := a.content(second)
	for _, want := range []string{
		"/usr/bin/redline", "/usr/share/man/man1/redline.1.gz", "/usr/share/bash-completion/completions/redline",
		"/usr/share/zsh/site-functions/_redline", "/usr/share/fish/vendor_completions.d/redline.fish",
		"/usr/share/licenses/redline-lsp-bin/LICENSE", "/usr/share/licenses/redline-lsp-bin/THIRD-PARTY-LICENCES.txt",
	} {
		if !slices.Contains(installs, want) {
			t.Errorf("the package has no %s, only %q", want, installs)
		}
	}
	a.run("pacman --noconfirm -U " + second)
	if out := a.run("pacman -Q"); out != "redline-lsp-bin "+strings.ReplaceAll(version, "-", "")+"-1\n" {
		t.Errorf("after the upgrade there is %s", out)
	}
	a.run("pacman -Qkk redline-lsp-bin")
	if out := a.run("redline demo"); !strings.Contains(out, "approved") {
		t.Errorf("the demo printed:\n%s", out)
	}
	if out := a.run("redline version --check"); !strings.Contains(out, "installed  by pacman") {
		t.Errorf("redline version --check printed:\n%s", out)
	}
	if _, err := a.try("test -e /usr/share/man/man1/redline-old.1.gz"); err == nil {
		t.Error("the upgrade left a page that only the earlier version had")
	}

	a.run("mkdir -p .config/redline && echo '# mine' > .config/redline/config.toml")
	a.run("pacman --noconfirm -R redline-lsp-bin")
	var left []string
	for _, name := range a.everything() {
		if _, found := slices.BinarySearch(before, name); !found {
			left = append(left, name)
		}
	}
	if want := []string{"/home/me/.config", "/home/me/.config/redline", "/home/me/.config/redline/config.toml"}; !slices.Equal(left, want) {
		t.Errorf("after its removal there are %q, want only what the user made: %q", left, want)
	}
	if out := a.run("cat .config/redline/config.toml"); out != "# mine\n" {
		t.Errorf("the user's settings are %q", out)
	}
}

// The package for 64-bit ARM has the same files as that for x86-64.
func TestAURForARM(t *testing.T) {
	a := newArch(t)
	p := publishThis(t, "aur")
	want := a.content(a.build(p, ""))
	a.run("sed s/x86_64/aarch64/ /etc/makepkg.conf > /etc/makepkg-arm.conf")
	file := a.build(p, "--force --config /etc/makepkg-arm.conf")
	if got := a.content(file); !strings.Contains(file, "-aarch64.pkg") || !slices.Equal(got, want) {
		t.Errorf("%s has\n%q, want\n%q", file, got, want)
	}
}

// oldArchives makes the archives of an earlier version with a program that can only say its
// version, and a manual page that is gone now.
func oldArchives(t *testing.T) string {
	t.Helper()
	programs := t.TempDir()
	program := filepath.Join(programs, here.system+"_"+here.processor, "redline")
	if err := os.MkdirAll(filepath.Dir(program), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho redline version 0.0.1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	archives, err := makeArchives("0.0.1", programs, "man/redline-old.1")
	if err != nil {
		t.Fatal(err)
	}
	return archives
}
