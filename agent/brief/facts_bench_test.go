package brief_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"redline/agent/brief"
	"redline/agent/session"
	"redline/agent/state"
	"redline/agent/store"
	"redline/workspace"
)

// large makes a repository of 100,000 files in 2,000 folders, with a few changes.
func large(b *testing.B) *session.Session {
	b.Helper()
	dir := b.TempDir()
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	must(os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module x\n"), 0o644))
	must(os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("*.log\nnode_modules/\n/build\n"), 0o644))
	for i := range 2000 {
		folder := filepath.Join(dir, fmt.Sprintf("pkg%d", i%50), fmt.Sprintf("sub%d", i))
		must(os.MkdirAll(folder, 0o755))
		for j := range 50 {
			must(os.WriteFile(filepath.Join(folder, fmt.Sprintf("f%d.go", j)), []byte("package p\n"), 0o644))
		}
	}
	runGit(b, dir, "init", "-q", "-b", "main")
	runGit(b, dir, "add", ".")
	runGit(b, dir, "commit", "-q", "-m", "all")
	for i := range 20 {
		must(os.WriteFile(filepath.Join(dir, "pkg0", "sub0", fmt.Sprintf("f%d.go", i)), []byte("package changed\n"), 0o644))
	}
	st := store.New(b.TempDir())
	s := session.New(workspace.New([]workspace.Folder{{Dir: dir}}, workspace.Options{}), st, nil, nil)
	b.Cleanup(func() {
		s.Stop()
		s.Wait(time.Minute)
		st.Close()
	})
	return s
}

// runGit runs git in a folder that a test has made, without the settings of whoever runs it. It
// skips the test where there is no git.
func runGit(t testing.TB, dir string, args ...string) {
	t.Helper()
	program, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed: install it to run this test")
	}
	c := exec.Command(program, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@a.test", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@a.test")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// BenchmarkRequest is what a request waits for at 100,000 files: at the worst, where something has
// changed before each one, so that all is gathered again beside them.
func BenchmarkRequest(b *testing.B) {
	s := large(b)
	p := brief.NewProject(s, brief.ProjectOptions{Within: brief.FactsTimeout})
	for b.Loop() {
		s.Notify(state.Event{Kind: state.PlanChanged})
		if lines := p.Known(b.Context()).Lines("pkg0/sub0/f0.go", brief.MaxFactTokens); len(lines) == 0 {
			b.Fatal("no facts")
		}
	}
}

// BenchmarkGather is all of it once, from nothing, at 100,000 files. No request waits for that.
func BenchmarkFactsGather(b *testing.B) {
	s := large(b)
	for b.Loop() {
		p := brief.NewProject(s, brief.ProjectOptions{Within: patient})
		if text := strings.Join(p.Known(b.Context()).Lines("", brief.MaxFactTokens), "\n"); !strings.Contains(text, "branch: main") || !strings.Contains(text, "Go 100000") {
			b.Fatal(text)
		}
	}
}
