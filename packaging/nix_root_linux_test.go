package packaging

import (
	"strings"
	"testing"
)

// On a system with Nix and no Go, a profile gets Redline, then a later version, and then has
// it no more. A stand-in takes the place of nixpkgs.
func TestNixProfile(t *testing.T) {
	r := newRoot(t, "nix", "nix-bin", "libdbi-perl") // debootstrap finds no package for perl-dbdabi-94
	repository, dir := host(t)
	version, archives := thisRelease(t)
	release := publish(t, "nix", repository, dir, version, archives)
	earlier := publish(t, "nix", repository, dir, "0.0.1", oldArchives(t))
	r.put("testdata/nixpkgs", "/home/me/nixpkgs")
	r.run("mkdir -p /etc/nix && printf 'experimental-features = nix-command flakes\nsandbox = false\nbuild-users-group =\nsubstituters =\nflake-registry =\n' > /etc/nix/nix.conf")
	r.run("mkdir -p /dev/pts && ln -sf pts/ptmx /dev/ptmx")
	nix := func(args string) { // Nix runs a build in a terminal
		t.Helper()
		r.run("mount -t devpts -o newinstance,ptmxmode=666 devpts /dev/pts && nix " + args)
	}
	const standIn = " --override-input nixpkgs path:/home/me/nixpkgs --no-write-lock-file"
	r.put(earlier.manifests, "/home/me/flake")
	nix("profile install path:/home/me/flake" + standIn)
	if out := r.run(".nix-profile/bin/redline version"); out != "redline version 0.0.1\n" {
		t.Errorf("the earlier package's program says %q", out)
	}
	r.run("rm -r flake")
	r.put(release.manifests, "/home/me/flake")
	nix("profile upgrade '.*'" + standIn)
	if out := r.run(".nix-profile/bin/redline demo"); !strings.Contains(out, "approved") {
		t.Errorf("the demo printed:\n%s", out)
	}
	if out := r.run(".nix-profile/bin/redline version --check"); !strings.Contains(out, "installed  by Nix") {
		t.Errorf("redline version --check printed:\n%s", out)
	}
	if _, err := r.try("test -e .nix-profile/share/man/man1/redline-old.1"); err == nil {
		t.Error("a page of the earlier version is still in the profile")
	}
	nix("profile remove '.*'")
	if out, err := r.try("ls .nix-profile/bin/redline"); err == nil {
		t.Errorf("after its removal there is still %s", out)
	}
	r.run("nix-collect-garbage -d")
	if out := r.run("ls /nix/store | grep -c redline || true"); out != "0\n" {
		t.Errorf("the store still has %s files of Redline", strings.TrimSpace(out))
	}
}
