package turn_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/decide/decidetest"
	"redline/agent/plan"
	"redline/agent/view"
)

// A turn has no effect outside .redline/ before a decision: a whole turn runs where every write
// fails.
func TestATurnOnAReadOnlyWorkspace(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no folder that refuses all writes by its mode")
	}
	if os.Getenv("REDLINE_TEST_READ_ONLY") != "" {
		turnWithoutWriting(t)
		return
	}
	if os.Getuid() != 0 {
		turnWithoutWriting(t)
		return
	}
	// File modes do not bind root: the same test again as nobody.
	dir := t.TempDir()
	for d := dir; d != "/"; d = filepath.Dir(d) {
		if info, err := os.Stat(d); err == nil && info.Mode().Perm()&0o005 != 0o005 && d != "/tmp" {
			if err := os.Chmod(d, info.Mode().Perm()|0o755); err != nil {
				t.Skipf("the temporary folder cannot be opened for another user: %v", err)
			}
		}
	}
	binary := filepath.Join(dir, "agent.test")
	data, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(binary, data, 0o755); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(home, 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "-test.run", "^TestATurnOnAReadOnlyWorkspace$", "-test.v")
	cmd.Dir = dir
	cmd.Env = []string{"REDLINE_TEST_READ_ONLY=1", "HOME=" + home, "TMPDIR=" + home, "PATH=" + os.Getenv("PATH")}
	asNobody(cmd)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("as nobody: %v\n%s", err, out)
	}
}

// turnWithoutWriting plans edits of every kind in a workspace that cannot be
// written, and checks that nothing in it has changed.
func turnWithoutWriting(t *testing.T) {
	s := agenttest.New(t, map[string]string{"shop.go": decidetest.Shop, "old.txt": "old\n", "sub/gone.txt": "bye\n"})
	before := snapshotOf(t, s.Dir)
	setModes(t, s.Dir, 0o555, 0o444)
	t.Cleanup(func() { setModes(t, s.Dir, 0o755, 0o644) })
	if err := os.WriteFile(filepath.Join(s.Dir, "probe"), nil, 0o644); err == nil {
		t.Fatal("the workspace can be written: the test would show nothing")
	}

	s.Model.Stages(
		agenttest.Edit("shop.go", "a / 5", "a / 4"),
		agenttest.Call("write_file", map[string]any{"path": "new/deep/file.txt", "content": "new\n"}),
		agenttest.Call("rename_file", map[string]any{"path": "old.txt", "new_path": "moved.txt"}),
		agenttest.Call("delete_file", map[string]any{"path": "sub/gone.txt"}),
		agenttest.Call("run_command", map[string]any{"command": "touch ran"}))
	p := s.Plan("change everything")
	if len(p.Files) != 4 || len(p.Commands) != 1 {
		t.Errorf("the plan has %d files and %d commands, want 4 and 1", len(p.Files), len(p.Commands))
	}
	after := snapshotOf(t, s.Dir)
	for name, text := range before {
		if after[name] != text {
			t.Errorf("%s was changed before approval", name)
		}
	}
	if len(after) != len(before) {
		t.Errorf("files appeared before approval: %v", after)
	}

	// The user can read the refusal of the disk, and nothing is lost.
	_, err := s.Agent.Approve(s.Context(), view.Request{Plan: p.Plan, Hash: p.Hash})
	s.WantRefused(err, plan.ApplyFailed)
	if got := s.PlanNow(p.Plan).State; got != "awaiting_approval" {
		t.Errorf("state %s, want awaiting_approval", got)
	}
}

// snapshotOf returns every file under a folder with its text.
func snapshotOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func setModes(t *testing.T, dir string, folders, files fs.FileMode) {
	t.Helper()
	var paths []string
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		paths = append(paths, path)
		return err
	})
	for i := range paths {
		path := paths[i]
		if folders&0o200 == 0 { // closing: the deepest first
			path = paths[len(paths)-1-i]
		}
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		mode := files
		if info.IsDir() {
			mode = folders
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
}
