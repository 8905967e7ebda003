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

// git runs Git in a folder, without anybody's settings.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git here")
	}
	c := exec.Command("git", append([]string{"-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always", "-C", dir}, args...)...)
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

// newRepository makes a repository with a commit.
func newRepository(t *testing.T, dir string) {
	t.Helper()
	write(t, filepath.Join(dir, "a.txt"), "a\n")
	git(t, dir, "init", "-q")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "first")
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The repository of a worktree or of a submodule is found where it is, and only if it knows of
// the folder that names it.
func TestOf(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	newRepository(t, at("main"))
	newRepository(t, at("private"))
	git(t, at("main"), "worktree", "add", "-q", at("worktree"))
	git(t, at("main"), "submodule", "--quiet", "add", at("private"), "sub")
	write(t, at("plain/a.txt"), "")
	write(t, at("lies/.git"), "gitdir: "+at("private/.git")+"\n")
	write(t, at("forged/.git"), "gitdir: fake\n")
	write(t, at("forged/fake/gitdir"), at("forged/.git")+"\n")
	write(t, at("forged/fake/commondir"), at("private/.git")+"\n")
	write(t, at("forged/fake/HEAD"), "ref: refs/heads/master\n")
	write(t, at("nowhere/.git"), "gitdir: ../gone\n")
	write(t, at("empty/.git"), "")
	if err := os.MkdirAll(at("linked"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(at("private/.git"), at("linked/.git")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"main": {at("main/.git")}, "worktree": {at("main/.git")}, "main/sub": {at("main/.git/modules/sub")},
		"plain": nil, "lies": nil, "forged": nil, "nowhere": nil, "empty": nil, "linked": nil,
	} {
		r, ok := gitrepo.Of(at(name))
		if ok != (want != nil) || ok && !slices.Equal(r.Folders(), want) {
			t.Errorf("%s: %v %v, want %v", name, r.Folders(), ok, want)
		}
	}
}

// A token, assembled here so that no scanner takes it for a real one.
var token = "gh" + "p_" + strings.Join([]string{"pQ7x", "Lm2V", "k9Zt", "R4yB", "n8Cw", "J3sD", "f6Hg", "T5uE", "a1Xv"}, "")

// Settings lose what may be a credential, and nothing else, also in worktrees and submodules.
func TestSettings(t *testing.T) {
	dir := t.TempDir()
	newRepository(t, dir)
	git(t, dir, "config", "remote.origin.url", "https://someone:"+token+"@example.com/x.git")
	git(t, dir, "config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
	git(t, dir, "config", "remote.other.url", "https://"+token+"@example.com/x.git?private_token="+token)
	git(t, dir, "config", "remote.third.url", "ssh://git@example.com/x.git")
	git(t, dir, "config", "url.https://"+token+"@example.com/.insteadOf", "https://example.com/")
	git(t, dir, "config", "http.extraheader", "AUTHORIZATION: basic "+token)
	git(t, dir, "config", "http.https://example.com/.extraheader", "AUTHORIZATION: basic "+token)
	git(t, dir, "config", "credential.helper", "!echo password="+token)
	git(t, dir, "config", "user.token", token)
	git(t, dir, "config", "user.name", ` A "B" \C; # D `)
	write(t, filepath.Join(dir, ".git/modules/a/b/config"), "[remote \"o\"]\n\turl = https://u:"+token+"@example.com\n")
	write(t, filepath.Join(dir, ".git/worktrees/w/config.worktree"), "# "+token+"\n[core]\n\tsparsecheckout\n")
	write(t, filepath.Join(dir, ".git/worktrees/broken/config.worktree"), "[core]\n\tbare = false\n[remote\n\turl = https://u:"+token+"@example.com\n")
	write(t, filepath.Join(dir, ".git/modules/fine/config"), "[core]\n\tbare = false ; no\n")
	write(t, filepath.Join(dir, ".git/.git-credentials"), "https://u:"+token+"@example.com\n")

	r, ok := gitrepo.Of(dir)
	if !ok {
		t.Fatal("it has no repository")
	}
	cleaned, secret := r.Settings()
	if want := []string{filepath.Join(dir, ".git/.git-credentials")}; !slices.Equal(secret, want) {
		t.Errorf("secret are %q, want %q", secret, want)
	}
	var names []string
	for name, text := range cleaned {
		rel, _ := filepath.Rel(dir, name)
		names = append(names, rel)
		if strings.Contains(text, token) {
			t.Errorf("%s has a credential:\n%s", rel, text)
		}
		write(t, name, text) // for Git to read
	}
	slices.Sort(names)
	if want := []string{".git/config", ".git/modules/a/b/config", ".git/worktrees/broken/config.worktree", ".git/worktrees/w/config.worktree"}; !slices.Equal(names, want) {
		t.Errorf("cleaned are %q, want %q", names, want)
	}
	for key, want := range map[string]string{
		"remote.origin.url": "https://example.com/x.git", "remote.origin.fetch": "+refs/heads/*:refs/remotes/origin/*",
		"remote.other.url": "https://example.com/x.git", "remote.third.url": "ssh://git@example.com/x.git",
		"user.name": ` A "B" \C; # D `, "user.token": "", "credential.helper": "", "core.repositoryformatversion": "0",
	} {
		out, _ := exec.Command("git", "-C", dir, "config", "--local", key).Output() // missing: nothing
		if got := strings.TrimSuffix(string(out), "\n"); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
}

// Of the user's own settings, commands get the name for commits and little else.
func TestPersonal(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("GIT_CONFIG_GLOBAL", "")
	if got := gitrepo.Personal(home, nil); got != "" {
		t.Errorf("of nobody: %q", got)
	}
	write(t, filepath.Join(home, ".config/git/config"), "[user]\n\tname = Old\n[init]\n\tdefaultBranch = main\n")
	write(t, filepath.Join(home, ".gitconfig"), `[user] # mine
	name = "A \"B\"" C ; and more
	email = a@\
example.com
	signingkey = ABC
[commit]
	gpgsign
[credential]
	helper = store
[github]
	token = `+token+`
[url "https://`+token+`@example.com/"]
	insteadOf = https://example.com/
[safe]
	directory = *
[include]
	path = more.inc
[includeIf "gitdir:~/projects/"]
	path = ~/work.inc
[includeIf "gitdir:~/other/"]
	path = ~/other.inc
[include]
	path = .gitconfig
`)
	write(t, filepath.Join(home, "more.inc"), "[user]\n\temail = more@example.com\n[http]\n\textraheader = x\n")
	write(t, filepath.Join(home, "work.inc"), "[user]\n\temail = work@example.com\n")
	write(t, filepath.Join(home, "other.inc"), "[user]\n\temail = other@example.com\n")
	made := filepath.Join(home, "made")
	for folder, email := range map[string]string{"projects/x": "work@example.com", "elsewhere": "more@example.com"} {
		text := gitrepo.Personal(home, []string{filepath.Join(home, folder)})
		write(t, made, text)
		if strings.Contains(text, token) || strings.Contains(text, "signingkey") || strings.Contains(text, "gpgsign") || strings.Contains(text, "helper") || strings.Contains(text, "extraheader") {
			t.Errorf("it has too much:\n%s", text)
		}
		for key, want := range map[string]string{"user.name": `A "B" C`, "user.email": email, "init.defaultBranch": "main", "safe.directory": "*"} {
			out, err := exec.Command("git", "config", "--file", made, key).Output()
			if got := strings.TrimSuffix(string(out), "\n"); got != want {
				t.Errorf("%s: %s is %q (%v), want %q", folder, key, got, err, want)
			}
		}
	}
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(home, "work.inc"))
	if got, want := gitrepo.Personal(home, nil), "[user]\n\temail = \"work@example.com\"\n"; got != want {
		t.Errorf("of another file: %q, want %q", got, want)
	}
}
