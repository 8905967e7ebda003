package tool_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent/draft"
	"redline/agent/tool"
	"redline/agent/tool/tooltest"
	"redline/workspace"
	"redline/workspace/git"
)

// history gives a bench the repository of its folder.
type history struct {
	*bench
	repo    *git.Repo
	unsaved []string
}

func (h *history) Of(string) (tool.Repository, string, error) { return h.repo, "", nil }

func (h *history) Unsaved() []string { return h.unsaved }

// newHistory returns a workspace with a repository in which everything is committed.
func newHistory(t testing.TB, files map[string]string) *history {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed: install it to run this test")
	}
	h := &history{bench: newBench(t, files)}
	h.git(t, "init", "-q", "-b", "main")
	h.commit(t, "first")
	var err error
	if h.repo, err = git.At(h.dir, nil); err != nil {
		t.Fatal(err)
	}
	h.env.Git = h
	return h
}

func (h *history) git(t testing.TB, args ...string) string {
	t.Helper()
	c := exec.Command("git", append([]string{"-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "core.autocrlf=false"}, args...)...)
	c.Dir = h.dir
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_DATE=2024-05-06T07:08:09Z", "GIT_COMMITTER_DATE=2024-05-06T07:08:09Z")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (h *history) commit(t testing.TB, subject string) {
	t.Helper()
	h.git(t, "add", "-A")
	h.git(t, "commit", "-q", "--allow-empty", "-m", subject)
}

func (h *history) write(t testing.TB, name, text string) {
	t.Helper()
	at := filepath.Join(h.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// want calls a tool and compares the answer, in which HASH is any abbreviated hash.
func (h *history) want(t testing.TB, name, arguments, want string) {
	t.Helper()
	r := h.call(t, name, arguments)
	got := r.Text
	for _, commit := range strings.Fields(h.git(t, "log", "--all", "--format=%H")) {
		got = strings.ReplaceAll(strings.ReplaceAll(got, commit[:10], "HASH"), commit[:7], "HASH")
	}
	if got != want {
		t.Errorf("%s %s:\n%s\nwant\n%s", name, arguments, got, want)
	}
	if r.Summary == "" || strings.Contains(r.Summary, "\n") {
		t.Errorf("%s %s: the summary is %q", name, arguments, r.Summary)
	}
}

func TestGitLog(t *testing.T) {
	h := newHistory(t, map[string]string{"a.txt": "a\n", "b/c.txt": "c\n"})
	h.write(t, "b/c.txt", "cc\n")
	h.commit(t, "Change c")
	h.git(t, "mv", "b/c.txt", "d.txt")
	h.commit(t, "Move\tc\n\nwhy")
	h.want(t, "git_log", `{}`, "HASH 2024-05-06 Ada: Move c\nHASH 2024-05-06 Ada: Change c\nHASH 2024-05-06 Ada: first")
	h.want(t, "git_log", `{"limit":1}`, "HASH 2024-05-06 Ada: Move c\n… 2 more; name a path or a range, or raise the limit (at most 200), to see them")
	h.want(t, "git_log", `{"path":"d.txt","max_count":"2"}`, "HASH 2024-05-06 Ada: Move c\nHASH 2024-05-06 Ada: Change c\n… there are more; name a path or a range, or raise the limit (at most 200), to see them")
	h.want(t, "git_log", `{"path":"a.txt"}`, "HASH 2024-05-06 Ada: first")
	h.want(t, "git_log", `{"grep":"CHANGE"}`, "HASH 2024-05-06 Ada: Change c")
	h.want(t, "git_log", `{"range":"HEAD~2..HEAD~1"}`, "HASH 2024-05-06 Ada: Change c")
	h.want(t, "git_log", `{"grep":"nothing"}`, "no commits")
	h.want(t, "git_log", `{"revision":"--output=x"}`, `error: "--output=x" is no commit here; name a branch, a tag or a hash`)
	h.want(t, "git_log", `{"path":"../x"}`, "error: ../x is outside the workspace; name a file relative to its root")
}

func TestGitDiff(t *testing.T) {
	h := newHistory(t, map[string]string{"a.txt": "one\ntwo\n", "b/c.txt": "c\n", "gone.txt": "g\n", "crlf.txt": "x\ny\n"})
	h.want(t, "git_diff", `{}`, "no changes")
	h.write(t, "a.txt", "one\n2\n")
	h.write(t, "new.txt", "n\n")
	h.write(t, "crlf.txt", "x\r\ny\r\n")
	if err := os.Remove(filepath.Join(h.dir, "gone.txt")); err != nil {
		t.Fatal(err)
	}
	const changed = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
	h.want(t, "git_diff", `{}`, changed+"--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-g\nNot shown; name a path to see it:\ncrlf.txt: only its line ends differ\nIn no commit:\nnew.txt")
	h.want(t, "git_diff", `{"path":"a.txt"}`, strings.TrimSpace(changed))
	h.want(t, "git_diff", `{"path":"b"}`, "no changes")

	h.commit(t, "second")
	h.git(t, "mv", "b/c.txt", "b/d.txt")
	h.commit(t, "third")
	h.want(t, "git_diff", `{}`, "no changes")
	h.want(t, "git_diff", `{"from":"HEAD~2","path":"a.txt"}`, strings.TrimSpace(changed))
	h.want(t, "git_diff", `{"commit":"HEAD~1","path":"a.txt"}`, strings.TrimSpace(changed))
	h.want(t, "git_diff", `{"from":"HEAD~2","to":"HEAD~1","path":"new.txt"}`, "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+n")
	h.want(t, "git_diff", `{"from":"HEAD~2..HEAD~1","path":"new.txt"}`, "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+n")
	h.want(t, "git_diff", `{"commit":"HEAD"}`, "Not shown; name a path to see it:\nb/c.txt → b/d.txt: its text is the same")
	h.want(t, "git_diff", `{"from":"HEAD~1"}`, "--- a/b/c.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-c\n--- /dev/null\n+++ b/b/d.txt\n@@ -0,0 +1 @@\n+c")
	h.want(t, "git_diff", `{"commit":"HEAD","to":"HEAD"}`, "error: give either commit, or from and to")
	h.want(t, "git_diff", `{"commit":"nobody"}`, `error: "nobody" is no commit here; name a branch, a tag or a hash`)
}

// The current texts are those that read_file shows.
func TestGitDiffOfUnsavedAndStaged(t *testing.T) {
	h := newHistory(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"})
	uri := h.ws.URI("a.txt")
	h.ws.Open(uri, "", 1, "ONE\n")
	h.unsaved = []string{"a.txt"}
	if r := h.call(t, "edit_file", `{"path":"b.txt","old_string":"two","new_string":"TWO"}`); r.IsError {
		t.Fatal(r.Text)
	}
	if r := h.call(t, "write_file", `{"path":"c.txt","content":"new\n"}`); r.IsError {
		t.Fatal(r.Text)
	}
	h.want(t, "git_diff", `{}`, "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+ONE\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-two\n+TWO\n--- /dev/null\n+++ b/c.txt\n@@ -0,0 +1 @@\n+new")
	h.want(t, "git_blame", `{"path":"b.txt"}`, "in no commit yet\n1: TWO")
}

func TestGitBlame(t *testing.T) {
	h := newHistory(t, map[string]string{"a.txt": "one\ntwo\nthree\n"})
	h.write(t, "a.txt", "one\n2\nthree\n")
	h.commit(t, "second")
	h.write(t, "a.txt", "one\n2\nthree\nfour\n")
	h.write(t, "new.txt", "n\n")
	h.want(t, "git_blame", `{"path":"a.txt"}`, "HASH 2024-05-06 Ada: first\n1: one\nHASH 2024-05-06 Ada: second\n2: 2\nHASH\n3: three\nin no commit yet\n4: four")
	h.want(t, "git_blame", `{"path":"a.txt","start_line":2,"end_line":2}`, "HASH 2024-05-06 Ada: second\n2: 2")
	h.want(t, "git_blame", `{"path":"a.txt","start_line":9}`, "error: a.txt has 4 lines")
	h.want(t, "git_blame", `{"path":"new.txt"}`, "error: new.txt is not in the last commit, so it has no history under this name")
}

// An answer has at most about 4,000 tokens, ends with a whole line and says what is left out.
func TestGitAnswersAreBounded(t *testing.T) {
	files := map[string]string{"long.txt": strings.Repeat("line\n", 9000)}
	for i := range 400 {
		files[fmt.Sprintf("many/file%03d.txt", i)] = "x\n"
	}
	h := newHistory(t, files)
	for name := range files {
		h.write(t, name, strings.Repeat("changed to another text\n", 20))
	}
	for range 30 {
		h.commit(t, strings.Repeat("a long subject ", 60))
	}
	for call, end := range map[[2]string]string{
		{"git_diff", `{"from":"HEAD~30"}`}:                     "\n… 3",
		{"git_diff", `{"from":"HEAD~30","to":"HEAD~29"}`}:      " files more",
		{"git_diff", `{"commit":"HEAD~29","path":"long.txt"}`}: "more of its diff (+20 −9000 in all)",
		{"git_log", `{"limit":500}`}:                           "first",
		{"git_blame", `{"path":"long.txt"}`}:                   "20: changed to another text",
	} {
		r := h.call(t, call[0], call[1])
		if len(r.Text) > 16_000 || r.IsError || !strings.Contains(r.Text, end) {
			t.Errorf("%s: %d bytes, error %t, without %q:\n…%s", call, len(r.Text), r.IsError, end, r.Text[max(0, len(r.Text)-300):])
		}
	}
}

const accessToken = "ghp_0123456789abcdefghijABCDEFGHIJ012345"

// Neither a diff nor a history shows what read_file does not.
func TestGitHidesSecrets(t *testing.T) {
	h := newHistory(t, map[string]string{".env": "PASSWORD=first-hunter\n", "a.txt": "a\n", "moved.txt": "carried\n", ".redline/x": "own\n"})
	h.write(t, ".env", "PASSWORD=second-hunter\n")
	h.write(t, "config.py", "github = '"+accessToken+"'\n")
	h.git(t, "mv", "-f", "moved.txt", "id_rsa")
	h.write(t, ".redline/x", "changed-own\n")
	h.commit(t, "Rotate "+accessToken)
	h.write(t, "config.py", "github = None\n")
	h.commit(t, "third")
	h.git(t, "mv", "id_rsa", "plain.txt")
	h.commit(t, "fourth")
	h.write(t, ".env", "PASSWORD=third-hunter\n")
	h.write(t, "config.py", "github = '"+accessToken+"'\n")
	for _, c := range []struct{ name, arguments, want string }{
		{"git_diff", `{}`, ".env: it may hold secrets"},
		{"git_diff", `{"from":"HEAD~3"}`, ".env: it may hold secrets"},
		{"git_diff", `{"commit":"HEAD~2"}`, "config.py: it may hold secrets"},
		{"git_diff", `{"commit":"HEAD~2"}`, ".redline/x: it may hold secrets, or is off limits"},
		{"git_diff", `{"commit":"HEAD~1"}`, "config.py: it may hold secrets"},
		{"git_diff", `{"commit":"HEAD"}`, "id_rsa → plain.txt: it may hold secrets"},
		{"git_diff", `{"path":".env"}`, "error: .env may hold secrets"},
		{"git_blame", `{"path":".env"}`, "error: .env may hold secrets"},
		{"git_blame", `{"path":"config.py"}`, "error: config.py may hold secrets"},
		{"git_log", `{"path":".env"}`, "error: .env may hold secrets"},
		{"git_log", `{"path":".redline"}`, "error: .redline"},
		{"git_log", `{}`, "(a message that may hold a secret)"},
	} {
		r := h.call(t, c.name, c.arguments)
		if !strings.Contains(r.Text, c.want) {
			t.Errorf("%s %s:\n%s\nwant %s", c.name, c.arguments, r.Text, c.want)
		}
		for _, hidden := range []string{"hunter", accessToken, "changed-own"} {
			if strings.Contains(r.Text+r.Summary, hidden) {
				t.Errorf("%s %s shows %s:\n%s", c.name, c.arguments, hidden, r.Text)
			}
		}
	}
	h.env.Named = func(path string) bool { return path == ".env" }
	h.want(t, "git_diff", `{"path":".env"}`, "--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-PASSWORD=second-hunter\n+PASSWORD=third-hunter")
}

// The user's settings may lie in the workspace, and be committed.
func TestGitHidesWhatIsOffLimits(t *testing.T) {
	h := newHistory(t, map[string]string{"a.txt": "a\n", "own/config.toml": "mine\n"})
	h.ws = workspace.New([]workspace.Folder{{Dir: h.dir}}, workspace.Options{OffLimits: []string{filepath.Join(h.dir, "own")}})
	h.env.Workspace, h.env.Draft = h.ws, draft.New(h.ws)
	h.write(t, "own/config.toml", "changed\n")
	const hidden = "Not shown; name a path to see it:\nown/config.toml: it may hold secrets, or is off limits"
	h.want(t, "git_diff", `{}`, hidden)
	h.commit(t, "second")
	h.want(t, "git_diff", `{"commit":"HEAD"}`, hidden)
	if r := h.call(t, "git_diff", `{"commit":"HEAD","path":"own/config.toml"}`); !r.IsError {
		t.Error(r.Text)
	}
}

func TestGitToolsWithoutRepository(t *testing.T) {
	b := newBench(t, map[string]string{"a.txt": "a\n"})
	for _, name := range []string{"git_log", "git_diff", "git_blame"} {
		if _, ok := tool.Find(tool.Possible(tool.All(), b.env), name); ok {
			t.Errorf("%s is offered", name)
		}
		if r := b.call(t, name, `{"path":"a.txt"}`); r.Text != "error: the workspace is in no Git repository; continue without its history" {
			t.Errorf("%s: %s", name, r.Text)
		}
	}
	h := newHistory(t, map[string]string{"a.txt": "a\n"})
	h.env.Languages = &tooltest.Languages{}
	if got := len(tool.Possible(tool.All(), h.env)); got != len(tool.All()) {
		t.Errorf("%d tools are offered of %d", got, len(tool.All()))
	}
}
