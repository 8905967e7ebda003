package trial_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/model"
)

// A trial in a worktree has the repository, which is in another folder, and the user's name for
// commits: Git works as usual, and its changes are gone afterwards. The trial has no credentials.
func TestTrialInAWorktreeOfGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git here")
	}
	s := tryingSession(t, map[string]string{"a.txt": "one\n"})
	secret := strings.Repeat("hush", 3)
	for _, name := range []string{"GIT_CONFIG_GLOBAL", "XDG_CONFIG_HOME"} {
		t.Setenv(name, "") // restores it at the end
		os.Unsetenv(name)
	}
	t.Setenv("HOME", s.Trials.Home)
	home, main := s.Trials.Home, filepath.Join(t.TempDir(), "main")
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte("[user]\n\tname = A Person\n\temail = person@example.com\n[credential]\n\thelper = !echo "+secret+"\n[safe]\n\tdirectory = *\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	git := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("git", args...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	git("init", "-q", main)
	git("-C", main, "commit", "-q", "--allow-empty", "-m", "first")
	git("-C", main, "remote", "add", "origin", "https://me:"+secret+"@example.com/x.git")
	git("-C", main, "worktree", "add", "-q", filepath.Join(main, "..", "other"))
	// The session's folder becomes that worktree.
	if err := os.Rename(filepath.Join(main, "..", "other", ".git"), filepath.Join(s.Dir, ".git")); err != nil {
		t.Fatal(err)
	}
	git("-C", s.Dir, "worktree", "repair")

	s.Model.Will(
		agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "two")}},
		agenttest.Reply{Calls: []model.Call{agenttest.Try("git add a.txt && git commit -qm second && git log --format='%s by %an' && git show --stat HEAD && git remote -v; git config --list; cat ~/.gitconfig " + main + "/.git/config")}},
		agenttest.Reply{Text: "Done."},
	)
	s.Plan("two")
	answer := s.LastMessage() + s.PlanNow(1).Trials[0].Output // the model gets only its last lines
	for _, want := range []string{"exit code 0", "second by A Person", "first by A Person", "1 file changed", "https://example.com/x.git", "user.email=person@example.com"} {
		if !strings.Contains(answer, want) {
			t.Errorf("it lacks %q", want)
		}
	}
	if strings.Contains(answer, secret) || t.Failed() {
		t.Errorf("the model was told\n%s", answer)
	}
	if log := git("-C", s.Dir, "log", "--format=%s"); log != "first\n" {
		t.Errorf("it left commits:\n%s", log)
	}
}
