package gitrepo_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redline/workspace/gitrepo"
)

// Git shows another text in the place of a replaced one, in each of its commands.
func TestReplaced(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		dir := t.TempDir()
		if _, err := exec.LookPath("git"); err != nil {
			t.Skip("there is no git here")
		}
		git(t, dir, "init", "-q", "--object-format="+format)
		write(t, filepath.Join(dir, ".env"), "KEY=old\n")
		write(t, filepath.Join(dir, "a.txt"), "a\n")
		write(t, filepath.Join(dir, "empty"), "")
		git(t, dir, "add", ".")
		git(t, dir, "commit", "-qm", "first")
		write(t, filepath.Join(dir, ".env"), "KEY=new\n")
		git(t, dir, "commit", "-qam", "second")
		git(t, dir, "gc", "-q") // into a pack
		run := func(args ...string) string {
			out, _ := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput()
			return string(out)
		}
		r, ok := gitrepo.Of(dir)
		if !ok {
			t.Fatal("it has no repository")
		}
		var objects []string
		for _, name := range []string{"HEAD:.env", "HEAD~1:.env", "HEAD:empty"} {
			objects = append(objects, strings.TrimSpace(run("rev-parse", name)))
		}
		for name, text := range r.Replaced(objects) {
			write(t, name, string(text))
		}
		for _, args := range [][]string{{"show", "HEAD~1:.env"}, {"show", "HEAD"}, {"log", "-p"}, {"grep", "KEY", "HEAD"}, {"cat-file", "-p", objects[0]}, {"diff", "HEAD~1"}, {"archive", "HEAD", ".env"}, {"blame", "HEAD", "--", ".env"}} {
			if got := run(args...); strings.Contains(got, "KEY=old") || strings.Contains(got, "KEY=new") && !slices.Contains(args, "diff") || got == "" && args[0] != "grep" {
				t.Errorf("%s: git %q: %s", format, args, got)
			}
		}
		if got := run("show", "HEAD:.env"); got != gitrepo.LeftOut {
			t.Errorf("%s: %q", format, got)
		}
		if got := run("show", "HEAD:a.txt") + run("show", "HEAD:empty") + run("status", "--short"); got != "a\n" {
			t.Errorf("%s: others are %q", format, got)
		}
		if err := os.Remove(filepath.Join(dir, ".env")); err != nil {
			t.Fatal(err)
		}
	}
}

// Reflogs lose the credentials of addresses that were pulled from, and other files with credentials
// are named.
func TestSettingsOfLogs(t *testing.T) {
	dir := t.TempDir()
	newRepository(t, dir)
	at := func(name string) string { return filepath.Join(dir, ".git", name) }
	const line = "0000 1111 A <a@example.com> 1 +0000\t"
	for _, name := range []string{"logs/HEAD", "logs/refs/heads/a"} {
		write(t, at(name), line+"pull https://me:"+token+"@example.com/x.git main: Fast-forward\n"+line+"commit: second\n"+line+token+"\n")
	}
	write(t, at("logs/refs/heads/b"), line+"pull https://example.com/x.git: Fast-forward\n")
	write(t, at("logs/refs/heads/huge"), strings.Repeat(line+"commit: x\n", 1<<16))
	write(t, at("config.bak"), "[remote \"o\"]\n\turl = https://me:secret@example.com/x\n")
	write(t, at("FETCH_HEAD"), "1111\tbranch 'main' of https://me:secret@example.com/x\n")
	write(t, at("hooks/post-commit"), "curl -H 'token: "+token+"' https://example.com\n")
	write(t, at("hooks/pre-commit"), "make check # see https://example.com/?x\n")
	r, _ := gitrepo.Of(dir)
	cleaned, secret := r.Settings()
	want := line + "pull https://example.com/x.git main: Fast-forward\n" + line + "commit: second\n" + line + "\n"
	if len(cleaned) != 2 || cleaned[at("logs/HEAD")] != want || cleaned[at("logs/refs/heads/a")] != want {
		t.Errorf("cleaned are %q, want %q", cleaned, want)
	}
	slices.Sort(secret)
	if want := []string{at("FETCH_HEAD"), at("config.bak"), at("hooks/post-commit"), at("logs/refs/heads/huge")}; !slices.Equal(secret, want) {
		t.Errorf("secret are %q, want %q", secret, want)
	}
}
