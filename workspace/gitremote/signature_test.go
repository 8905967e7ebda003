package gitremote_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"redline/workspace/gitremote"
)

// A signature by ssh is verified with the keys that the user's own settings trust. The repository
// cannot name others.
func TestSignedBySSH(t *testing.T) {
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("ssh-keygen is not installed: install openssh-client to run this test")
	}
	tm := newTeam(t, "")
	key := filepath.Join(tm.dir, "key")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	public, err := os.ReadFile(key + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	allowed := filepath.Join(tm.dir, "allowed")
	tm.write("allowed", "ada@example.org "+string(public))
	dir := tm.clone("ada", tm.remote)
	for _, pair := range [][2]string{{"gpg.format", "ssh"}, {"user.signingKey", key + ".pub"}, {"commit.gpgSign", "true"}, {"gpg.ssh.allowedSignersFile", allowed}} {
		tm.git(dir, "config", pair[0], pair[1])
	}
	r := tm.open(dir)
	tm.push(r, "Ada's\n")
	if c := tm.pull(r).Commit; c.Signature != gitremote.Unverified || c.Signer != "" {
		t.Errorf("without trusted keys of the user's: %+v", c)
	}
	tm.write("home/.gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.org\n[gpg \"ssh\"]\n\tallowedSignersFile = "+allowed+"\n")
	if c := tm.pull(tm.open(dir)).Commit; c.Signature != gitremote.Verified || c.Signer != "ada@example.org" {
		t.Errorf("with them: %+v", c)
	}
	tm.write("allowed", "bob@example.org "+strings.Replace(string(public), "AAAAC3NzaC1lZDI1NTE5AAAAI", "AAAAC3NzaC1lZDI1NTE5AAAAJ", 1))
	if c := tm.pull(tm.open(dir)).Commit; c.Signature != gitremote.Unverified {
		t.Errorf("with another: %+v", c)
	}
	tm.git(dir, "config", "user.signingKey", filepath.Join(tm.dir, "none"))
	if _, err := tm.open(dir).Push(t.Context(), planID, lines("More\n")); err == nil || !strings.Contains(err.Error(), "git cannot sign (") {
		t.Error(err)
	}
}

func TestSignedByOpenPGP(t *testing.T) {
	if _, err := exec.LookPath("gpg"); err != nil {
		t.Skip("gpg is not installed: install gnupg to run this test")
	}
	tm := newTeam(t, "")
	home, err := os.MkdirTemp("/tmp", "gpg") // gpg-agent listens there, and a long name has no place
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	t.Setenv("GNUPGHOME", home)
	t.Cleanup(func() { _ = exec.Command("gpgconf", "--kill", "all").Run() })
	if out, err := exec.Command("gpg", "--batch", "--quiet", "--passphrase", "", "--quick-generate-key", "Ada <ada@example.org>", "ed25519", "sign").CombinedOutput(); err != nil {
		t.Skipf("gpg makes no key here; install GnuPG 2.1 or newer with gpg-agent to run this test: %v\n%s", err, out)
	}
	dir := tm.clone("ada", tm.remote)
	tm.git(dir, "config", "commit.gpgSign", "true")
	r := tm.open(dir)
	tm.push(r, "Ada's\n")
	if c := tm.pull(r).Commit; c.Signature != gitremote.Verified || c.Signer != "Ada <ada@example.org>" {
		t.Errorf("%+v", c)
	}
	t.Setenv("GNUPGHOME", filepath.Join(tm.dir, "other"))
	if c := tm.pull(tm.open(dir)).Commit; c.Signature != gitremote.Unverified {
		t.Errorf("without the key: %+v", c)
	}
}
