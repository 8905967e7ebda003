package toolset_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/workspace"
)

// A question about changes is answered from the history and from the editor's buffers, whatever
// programs the repository's own settings name.
func TestAQuestionAboutChanges(t *testing.T) {
	s := agenttest.New(t, agenttest.Numbers)
	s.CommitAll()
	marker := filepath.Join(t.TempDir(), "marker")
	config := filepath.Join(s.Dir, ".git", "config")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	hostile := string(text) + "[core]\n\tfsmonitor = touch " + marker + ";:\n[diff]\n\texternal = touch " + marker + ";:\n"
	if err := os.WriteFile(config, []byte(hostile), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Write("b.txt", "2\n")
	s.Workspace.Open(s.Workspace.URI("a.txt"), "", 1, "1\n")
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Call("git_diff", map[string]any{}), agenttest.Call("git_log", map[string]any{"path": "c.txt"})}}, agenttest.Reply{Text: "You have changed a.txt and b.txt."})
	s.Say(conversation.Message{Text: "what have I changed?", Client: "test", Mode: "ask"})
	if got := agenttest.Tools(s.Model.Asked()[0]); !strings.Contains(got, "git_blame git_diff git_log") {
		t.Errorf("the model has the tools %s", got)
	}
	var answers []string
	for _, m := range s.Model.Asked()[1].Messages {
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
	out, err := exec.Command("git", "-C", s.Dir, "status", "--porcelain").CombinedOutput()
	if _, missing := os.Stat(marker); missing != nil {
		t.Errorf("the attack does nothing: %s, %v", out, err)
	}
}

// A specialist that only reads gets the history too, including what earlier specialists have
// staged.
func TestASpecialistLooksAtChanges(t *testing.T) {
	s, c := agenttest.Specialists(t, agenttest.Numbers)
	s.CommitAll()
	c.Plans(`["code","review"]`, "Write one as 1.")
	c.Stages("code", "I wrote 1.", agenttest.Edit("a.txt", "one", "1"))
	c.Part("review").Will(agenttest.Reply{Calls: []model.Call{agenttest.Call("git_diff", map[string]any{})}}, agenttest.Reply{Text: "It is right."})
	if turn := s.AskSpecialists("please put figures into a.txt"); turn.State != "done" {
		t.Fatalf("turn: %+v", turn)
	}
	messages := c.Part("review").Asked()[1].Messages
	if got := messages[len(messages)-1].Content; got != "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1" {
		t.Errorf("the tool has answered %q", got)
	}
}

// Each of several folders has its own history, and paths are relative to the workspace.
func TestHistoriesOfSeveralFolders(t *testing.T) {
	s := agenttest.New(t, agenttest.Numbers)
	s.Workspace.AddFolder(workspace.Folder{Name: "other", Dir: t.TempDir()})
	s.CommitAll()
	s.Write("b.txt", "2\n")
	s.Model.Will(agenttest.Reply{Calls: []model.Call{
		agenttest.Call("git_diff", map[string]any{}), agenttest.Call("git_diff", map[string]any{"path": "ws/b.txt"}), agenttest.Call("git_log", map[string]any{"path": "ws"}), agenttest.Call("git_log", map[string]any{"path": "other"}),
	}}, agenttest.Reply{Text: "b.txt."})
	s.Say(conversation.Message{Text: "what have I changed?", Client: "test", Mode: "ask"})
	var answers []string
	for _, m := range s.Model.Asked()[1].Messages {
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
	s := agenttest.New(t, agenttest.Numbers)
	s.Model.Will(agenttest.Reply{Text: "It says one."})
	s.Say(conversation.Message{Text: "what does a.txt say?", Client: "test", Mode: "ask"})
	if got := agenttest.Tools(s.Model.Asked()[0]); strings.Contains(got, "git_") {
		t.Errorf("the model has the tools %s", got)
	}
}
