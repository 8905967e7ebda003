//go:build linux

package packaging

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// released returns the one file of a release whose name fits a pattern.
func released(t *testing.T, dir, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s in %s: found %q, want one file (%v)", pattern, dir, found, err)
	}
	return found[0]
}

// files returns all files, links and folders of a root but those in which package managers
// keep books, and those of the kernel.
func (r root) files() []string {
	r.t.Helper()
	out := r.run(`find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /var/lib/dpkg -o -path /var/lib/rpm -o -path /var/log -o -path /var/cache \) -prune -o -print`)
	all := strings.Split(strings.TrimSpace(out), "\n")
	slices.Sort(all)
	return all
}

// A package of a Linux distribution is installed, used, upgraded and removed. Nothing is left
// but what the user made.
func TestLinuxPackages(t *testing.T) {
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	for _, c := range []struct {
		name, pattern            string
		debian                   []string // packages of the root
		install, upgrade, remove string   // shell commands; the package is in /tmp/package
	}{
		{"deb", "redline_*_" + runtime.GOARCH + ".deb", nil,
			"dpkg --install /tmp/package", "dpkg --install /tmp/package", "dpkg --purge redline"},
		// Debian's rpm keeps a database in the user's home, which does not know who provides
		// /bin/sh. Other systems have it here.
		{"rpm", "redline-*." + arch + ".rpm", []string{"rpm"},
			"rpm --dbpath /var/lib/rpm --install --nodeps /tmp/package", "rpm --dbpath /var/lib/rpm --upgrade --nodeps /tmp/package",
			"rpm --dbpath /var/lib/rpm --erase redline"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRoot(t, c.name, c.debian...)
			if *releaseDir == "" || *nextDir == "" {
				t.Skip("needs two releases: run .ci/release --check")
			}
			before := r.files()

			put := func(dir string) {
				os.RemoveAll(filepath.Join(r.dir, "tmp/package"))
				r.put(released(t, dir, c.pattern), "/tmp/package")
			}
			put(*releaseDir)
			r.run(c.install)
			if out := r.run("redline demo"); !strings.Contains(out, "approved") {
				t.Errorf("the demo printed:\n%s", out)
			}
			for _, file := range []string{
				"/usr/share/man/man1/redline-plans-approve.1", "/usr/share/bash-completion/completions/redline",
				"/usr/share/fish/vendor_completions.d/redline.fish", "/usr/share/redline/apparmor",
				"/usr/share/doc/redline/THIRD-PARTY-LICENCES.txt", "/usr/share/doc/redline/copyright",
			} {
				r.run("test -s " + file)
			}
			r.run("! test -e /etc/apparmor.d/redline") // this system does not know the profile's syntax
			r.run("mkdir -p ~/.config/redline && echo '# mine' > ~/.config/redline/config.toml")

			put(*nextDir)
			r.run(c.upgrade)
			if out := r.run("redline version"); !strings.Contains(out, "redline version 1.2.1 (release of commit ") {
				t.Errorf("after the upgrade: %s", out)
			}
			r.run(c.remove)
			mine := []string{"/home/me/.config", "/home/me/.config/redline", "/home/me/.config/redline/config.toml"}
			want := slices.Sorted(slices.Values(append(slices.Clone(before), mine...)))
			if diff := cmp.Diff(want, r.files()); diff != "" {
				t.Errorf("the files after the removal (-want +got):\n%s", diff)
			}
		})
	}
}

// The AppArmor profile is there where AppArmor knows its syntax, follows upgrades, and goes
// with the package. One that the user has changed stays.
func TestAppArmorProfile(t *testing.T) {
	r := newRoot(t, "deb")
	if *releaseDir == "" || *nextDir == "" {
		t.Skip("needs two releases: run .ci/release --check")
	}
	r.put(released(t, *releaseDir, "redline_*_"+runtime.GOARCH+".deb"), "/tmp/1.deb")
	r.put(released(t, *nextDir, "redline_*_"+runtime.GOARCH+".deb"), "/tmp/2.deb")
	r.run("mkdir -p /etc/apparmor.d/abi && touch /etc/apparmor.d/abi/4.0")
	const profile = "/etc/apparmor.d/redline"

	r.run("dpkg --install /tmp/1.deb && grep -q userns, " + profile)
	r.run("dpkg --install /tmp/2.deb && cmp /usr/share/redline/apparmor " + profile)
	r.run("dpkg --remove redline && ! test -e " + profile + " && ! test -e /var/lib/redline")

	r.run("dpkg --install /tmp/1.deb && echo '# mine' >> " + profile)
	r.run("dpkg --install /tmp/2.deb && grep -q '# mine' " + profile)
	r.run("dpkg --remove redline && grep -q '# mine' " + profile)
	r.run("dpkg --purge redline && ! test -e " + profile + " && ! test -e /var/lib/redline")

	r.run("echo '# a profile of my own' > " + profile)
	r.run("dpkg --install /tmp/1.deb && dpkg --purge redline")
	r.run("grep -q '^# a profile of my own$' " + profile + " && ! grep -q userns " + profile)
}
