package agent_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent/conversation"
	"redline/agent/model"
	"redline/workspace"
)

// commitAll makes the workspace a repository with all its files in the first commit.
func (s *session) commitAll() {
	s.t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		s.t.Skip("git is not installed: install it to run this test")
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "-qm", "first"}} {
		c := exec.Command("git", args...)
		c.Dir = s.dir
		c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		if out, err := c.CombinedOutput(); err != nil {
			s.t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
}

// A question about changes is answered from the history and from the editor's buffers, whatever
// programs the repository's own settings name.
func TestAQuestionAboutChanges(t *testing.T) {
	s := newSession(t, numbers)
	s.commitAll()
	marker := filepath.Join(t.TempDir(), "marker")
	config := filepath.Join(s.dir, ".git", "config")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	hostile := string(text) + "[core]\n\tfsmonitor = touch " + marker + ";:\n[diff]\n\texternal = touch " + marker + ";:\n"
	if err := os.WriteFile(config, []byte(hostile), 0o600); err != nil {
		t.Fatal(err)
	}
	s.writeFile("b.txt", "2\n")
	s.ws.Open(s.ws.URI("a.txt"), "", 1, "1\n")
	s.model.will(reply{calls: []model.Call{call("git_diff", map[string]any{}), call("git_log", map[string]any{"path": "c.txt"})}}, reply{text: "You have changed a.txt and b.txt."})
	s.say(conversation.Message{Text: "what have I changed?", Client: "test", Mode: "ask"})
	if got := toolsOf(s.model.asked[0]); !strings.Contains(got, "git_blame git_diff git_log") {
		t.Errorf("the model has the tools %s", got)
	}
	var answers []string
	for _, m := range s.model.asked[1].Messages {
		if m.Role == model.RoleTool {
			answers = append(answers, m.Content)
		}
	}
	const diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-two\n+2"
	if len(answers) != 2 || answers[0] != diff || !strings.HasSuffix(answers[1], " Ada: first") {
		t.Errorf("the tools have answered %q", answers)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("a program of the repository was run")
	}
	out, err := exec.Command("git", "-C", s.dir, "status", "--porcelain").CombinedOutput()
	if _, missing := os.Stat(marker); missing != nil {
		t.Errorf("the attack does nothing: %s, %v", out, err)
	}
}

// A specialist that only reads gets the history too, including what earlier specialists have
// staged.
func TestASpecialistLooksAtChanges(t *testing.T) {
	s, c := specialistSession(t, numbers)
	s.commitAll()
	c.plans(`["code","review"]`, "Write one as 1.")
	c.stages("code", "I wrote 1.", edit("a.txt", "one", "1"))
	c.part("review").will(reply{calls: []model.Call{call("git_diff", map[string]any{})}}, reply{text: "It is right."})
	if turn := s.specialists("please put figures into a.txt"); turn.State != "done" {
		t.Fatalf("turn: %+v", turn)
	}
	messages := c.part("review").asked[1].Messages
	if got := messages[len(messages)-1].Content; got != "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1" {
		t.Errorf("the tool has answered %q", got)
	}
}

// Each of several folders has its own history, and paths are relative to the workspace.
func TestHistoriesOfSeveralFolders(t *testing.T) {
	s := newSession(t, numbers)
	s.ws.AddFolder(workspace.Folder{Name: "other", Dir: t.TempDir()})
	s.commitAll()
	s.writeFile("b.txt", "2\n")
	s.model.will(reply{calls: []model.Call{
		call("git_diff", map[string]any{}), call("git_diff", map[string]any{"path": "ws/b.txt"}), call("git_log", map[string]any{"path": "ws"}), call("git_log", map[string]any{"path": "other"}),
	}}, reply{text: "b.txt."})
	s.say(conversation.Message{Text: "what have I changed?", Client: "test", Mode: "ask"})
	var answers []string
	for _, m := range s.model.asked[1].Messages {
		if m.Role == model.RoleTool {
			answers = append(answers, m.Content)
		}
	}
	const diff = "--- a/ws/b.txt\n+++ b/ws/b.txt\n@@ -1 +1 @@\n-two\n+2"
	if len(answers) != 4 || answers[0] != diff || answers[1] != diff || !strings.HasSuffix(answers[2], " Ada: first") || answers[3] != "error: the workspace is in no Git repository" {
		t.Errorf("the tools have answered %q", answers)
	}
}

// Without a repository no request offers its tools.
func TestNoToolsForAHistoryThatIsNotThere(t *testing.T) {
	s := newSession(t, numbers)
	s.model.will(reply{text: "It says one."})
	s.say(conversation.Message{Text: "what does a.txt say?", Client: "test", Mode: "ask"})
	if got := toolsOf(s.model.asked[0]); strings.Contains(got, "git_") {
		t.Errorf("the model has the tools %s", got)
	}
}
