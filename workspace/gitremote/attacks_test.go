package gitremote_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redline/workspace/gitremote"
)

// attack is a way in which a repository, or a remote that is a folder, makes Git run a program: the
// marker script MARK.
type attack struct {
	settings []string // keys and values of the repository
	remote   []string // keys and values of the remote
	address  string   // of the remote, "" for the folder; LOCKED is a web server that asks who you are
	setup    func(tm *team, dir, mark string)
	plain    []string // the arguments with which plain git runs it; nil: it does so only on other occasions
}

// list are the arguments with which plain git asks the remote.
var list = []string{"ls-remote", "origin"}

func hooks(tm *team, dir, mark string) {
	for _, name := range strings.Fields("pre-push reference-transaction pre-receive update post-receive post-update proc-receive post-checkout pre-auto-gc fsmonitor-watchman push-to-checkout") {
		tm.script(dir+"/"+name, "cat >/dev/null; exec "+mark)
	}
}

var attacks = map[string]attack{
	"a program for ssh":          {settings: []string{"core.sshCommand", "MARK"}, address: "ssh://host.invalid/x", plain: list},
	"a program for git":          {settings: []string{"core.gitProxy", "MARK"}, address: "git://host.invalid/x", plain: list},
	"a program for credentials":  {settings: []string{"credential.helper", "!MARK"}, address: "LOCKED", plain: list},
	"a program that asks":        {settings: []string{"core.askPass", "MARK"}, address: "LOCKED", plain: list},
	"a program that serves":      {settings: []string{"remote.origin.uploadpack", "MARK"}, plain: list},
	"a program that receives":    {settings: []string{"remote.origin.receivepack", "MARK"}, plain: []string{"push", "origin", "main"}},
	"a helper":                   {settings: []string{"protocol.ext.allow", "always"}, address: "ext::MARK", plain: list},
	"another helper":             {settings: []string{"remote.origin.vcs", "mark"}, setup: func(tm *team, _, mark string) { tm.script("bin/git-remote-mark", "exec "+mark) }, plain: list},
	"a replaced address":         {settings: []string{"protocol.allow", "always", "url.ext::MARK .insteadOf", "https://host.invalid/"}, address: "https://host.invalid/x", plain: list},
	"a replaced address to push": {settings: []string{"protocol.allow", "always", "url.ext::MARK .pushInsteadOf", "https://host.invalid/"}, address: "https://host.invalid/x", plain: []string{"push", "origin", "main"}},
	"an address to push":         {settings: []string{"protocol.allow", "always", "remote.origin.pushurl", "ext::MARK"}, plain: []string{"push", "origin", "main"}},
	"a program that signs":       {settings: []string{"gpg.program", "MARK", "commit.gpgSign", "true"}, plain: []string{"commit", "--allow-empty", "-m", "x"}},
	"a program that signs by ssh": {settings: []string{"gpg.format", "ssh", "gpg.ssh.program", "MARK", "commit.gpgSign", "true", "user.signingKey", "key"},
		plain: []string{"commit", "--allow-empty", "-m", "x"}},
	"a program that names keys": {settings: []string{"gpg.format", "ssh", "gpg.ssh.defaultKeyCommand", "MARK", "commit.gpgSign", "true"}, plain: []string{"commit", "--allow-empty", "-m", "x"}},
	"a file system monitor":     {settings: []string{"core.fsmonitor", "MARK"}, plain: []string{"status"}},
	"an alias":                  {settings: []string{"alias.push", "!MARK", "alias.mine", "!MARK"}, plain: []string{"mine"}},
	"an included file": {setup: func(tm *team, dir, mark string) {
		tm.write("more", "[core]\n\tsshCommand = "+mark+"\n")
		tm.git(dir, "config", "include.path", filepath.Join(tm.dir, "more"))
	}, address: "ssh://host.invalid/x", plain: list},
	"hooks": {setup: func(tm *team, dir, mark string) { hooks(tm, "ada/.git/hooks", mark) }, plain: []string{"push", "origin", "main"}},
	"a folder of hooks": {setup: func(tm *team, dir, mark string) {
		hooks(tm, "ada/hooks", mark)
		tm.git(dir, "config", "core.hooksPath", "hooks")
	}, plain: []string{"push", "origin", "main"}},
	"hooks of the remote": {setup: func(tm *team, _, mark string) { hooks(tm, "remote.git/hooks", mark) }, plain: []string{"push", "origin", "main"}},
	"a folder of the remote's hooks": {setup: func(tm *team, _, mark string) {
		hooks(tm, "other", mark)
		tm.git(tm.remote, "config", "core.hooksPath", filepath.Join(tm.dir, "other"))
	}, plain: []string{"push", "origin", "main"}},
	"settings of the remote": {remote: []string{"uploadpack.packObjectsHook", "MARK", "core.fsmonitor", "MARK", "core.alternateRefsCommand", "MARK", "credential.helper", "!MARK", "core.sshCommand", "MARK"},
		setup: func(tm *team, _, _ string) {
			tm.git(tm.dir, "init", "-q", "--bare", "alternate")
			tm.write("remote.git/objects/info/alternates", tm.dir+"/alternate/objects\n")
		}, plain: []string{"push", "origin", "main"}},
	"a promise of the remote": {remote: []string{"extensions.partialClone", "far", "core.repositoryFormatVersion", "1", "remote.far.promisor", "true", "remote.far.url", "/", "remote.far.uploadpack", "MARK", "protocol.allow", "always"},
		setup: func(tm *team, _, _ string) {
			blob := tm.git(tm.remote, "rev-parse", "refs/redline/plans/"+planID+":plan.json")
			if err := os.Remove(filepath.Join(tm.remote, "objects", blob[:2], blob[2:])); err != nil {
				tm.t.Fatal(err)
			}
		}},
	"a git in the workspace": {setup: func(tm *team, dir, mark string) {
		tm.script("ada/git", "exec "+mark)
		tm.script("ada/ssh", "exec "+mark)
		tm.t.Setenv("PATH", strings.Join([]string{"", ".", dir, os.Getenv("PATH")}, ":"))
		tm.t.Chdir(dir)
	}},
}

// everything does all that can be done with the remote. What it returns does not matter.
func everything(t *testing.T, dir string) {
	t.Helper()
	r, err := gitremote.Open(t.Context(), dir, "origin", gitremote.Options{})
	if err != nil {
		return
	}
	defer r.Close()
	_, _, _ = r.List(t.Context())
	_, _ = r.Pull(t.Context(), planID)
	_, _ = r.Push(t.Context(), planID, lines("Ada's\n"))
	_ = r.Remove(t.Context(), planID)
}

func TestAttacks(t *testing.T) {
	for name, a := range attacks {
		t.Run(name, func(t *testing.T) {
			tm := newTeam(t, "")
			dir := tm.clone("ada", tm.remote)
			tm.push(tm.open(dir), "Bob's\n")
			marker := filepath.Join(tm.dir, "marker")
			mark := tm.script("mark", "touch '"+marker+"'; echo marked; exit 1")
			t.Setenv("PATH", filepath.Join(tm.dir, "bin")+":"+os.Getenv("PATH"))
			address := strings.ReplaceAll(a.address, "MARK", mark)
			if address == "LOCKED" {
				address = tm.web(locked) + "/remote.git"
			}
			if address != "" {
				tm.git(dir, "remote", "set-url", "origin", address)
			}
			if a.setup != nil {
				a.setup(tm, dir, mark)
			}
			for at, pairs := range map[string][]string{dir: a.settings, tm.remote: a.remote} {
				for pair := range slices.Chunk(pairs, 2) {
					tm.git(at, "config", strings.ReplaceAll(pair[0], "MARK", mark), strings.ReplaceAll(pair[1], "MARK", mark))
				}
			}
			before := tm.snapshot(dir)
			_ = os.Remove(marker) // setting it up may have run it
			everything(t, dir)
			if _, err := os.Stat(marker); err == nil {
				t.Error("the program was run")
			}
			if tm.snapshot(dir) != before {
				t.Error("the repository was changed")
			}
			if a.plain == nil {
				return
			}
			out, _ := tm.try(dir, a.plain...)
			if _, err := os.Stat(marker); err != nil {
				t.Errorf("the attack does nothing: plain git does not run the program either\n%s", out)
			}
		})
	}
}

// locked lets nobody in who does not say the password.
func locked(w http.ResponseWriter, req *http.Request) bool {
	if name, password, ok := req.BasicAuth(); ok && name == "ada" && password == "sesame" {
		return false
	}
	w.Header().Set("WWW-Authenticate", `Basic realm="team"`)
	w.WriteHeader(http.StatusUnauthorized)
	return true
}

// The user's own settings of Git are used, also those for certain repositories.
func TestOwnSettings(t *testing.T) {
	tm := newTeam(t, "")
	dir := tm.clone("ada", "team:remote.git")
	mark := tm.script("helper", `cat >/dev/null; echo username=ada; echo password=sesame`)
	tm.write("home/.gitconfig", "[user]\n\tname = Ada\n[url \""+tm.web(locked)+"/\"]\n\tinsteadOf = team:\n[credential]\n\thelper = \"!"+mark+
		"\"\n[includeIf \"gitdir:"+tm.dir+"/\"]\n\tpath = work\n")
	tm.write("home/work", "[user]\n\temail = ada@work.example\n")
	r := tm.open(dir)
	tm.push(r, "Ada's\n")
	if d := tm.pull(r); d.Email != "ada@work.example" {
		t.Errorf("%+v", d.Commit)
	}
	if !strings.HasPrefix(r.Address(), "http://127.0.0.1:") {
		t.Error(r.Address())
	}
	tm.git(dir, "config", "user.email", "ada@project.example")
	r = tm.open(dir)
	tm.push(r, "More\n")
	if d := tm.pull(r); d.Email != "ada@project.example" {
		t.Errorf("%+v", d.Commit)
	}
}
