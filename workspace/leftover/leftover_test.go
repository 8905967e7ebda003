package leftover

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Variables with which a test has this program create temporary files until it is killed.
const (
	stateVariable  = "LEFTOVER_TEST_STATE"
	folderVariable = "LEFTOVER_TEST_FOLDER"
)

func TestMain(m *testing.M) {
	if state := os.Getenv(stateVariable); state != "" {
		beKilled(state, os.Getenv(folderVariable))
	}
	os.Exit(m.Run())
}

// beKilled creates a file, and a folder with content that is hard to remove, and records a
// file that it never creates.
func beKilled(state, dir string) {
	l := New(state)
	file, folder := filepath.Join(dir, Name(File)), filepath.Join(dir, Name(Folder))
	l.Note(file)
	_ = os.WriteFile(file, []byte("half"), 0o600)
	l.Note(folder)
	_ = os.MkdirAll(filepath.Join(folder, "cache", "module"), 0o755)
	_ = os.WriteFile(filepath.Join(folder, "cache", "module", "f"), nil, 0o400)
	_ = os.Chmod(filepath.Join(folder, "cache", "module"), 0o500)
	_ = os.Chmod(filepath.Join(folder, "cache"), 0)
	world := filepath.Join(dir, Name(World))
	l.Note(world)
	_ = os.MkdirAll(filepath.Join(world, "workspace"), 0o700)
	l.Note(filepath.Join(dir, Name(File)))
	os.Stdout.WriteString("made\n")
	select {}
}

// killed returns a state directory, and a folder with the leftovers of a killed process.
// before is called while that process lives.
func killed(t *testing.T, before func(state, dir string)) (state, dir string) {
	t.Helper()
	state, dir = t.TempDir(), t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), stateVariable+"="+state, folderVariable+"="+dir)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "made\n" {
		t.Errorf("%q, %v", line, err)
	}
	if before != nil {
		before(state, dir)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	return state, dir
}

func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestWhatAKilledProcessLeftIsRemoved(t *testing.T) {
	state, dir := killed(t, func(state, dir string) {
		Sweep(state)
		if got := names(t, dir); len(got) != 3 {
			t.Errorf("what a process uses is gone: %q", got)
		}
	})
	similar := []string{Name(File), ".redline-notes", Name(Folder), "redline-command-1234567890"} // the user's own
	for i, name := range similar {
		name = filepath.Join(dir, name)
		if i < 2 {
			_ = os.WriteFile(name, []byte("mine"), 0o600)
		} else {
			_ = os.Mkdir(name, 0o700)
		}
	}
	Sweep(state)
	got := names(t, dir)
	if slices.Sort(similar); !slices.Equal(got, similar) {
		t.Errorf("there are %q, want %q", got, similar)
	}
	if left := names(t, filepath.Join(state, listFolder)); len(left) > 0 {
		t.Errorf("lists: %q", left)
	}
	Sweep(state)
	Sweep(filepath.Join(state, "none"))
}

// A list removes only files with the name and the kind of a temporary one.
func TestAListIsNotTrusted(t *testing.T) {
	state, dir := t.TempDir(), t.TempDir()
	target := filepath.Join(dir, "target")
	file, folder, linked := Name(File), Name(Folder), Name(File)
	for _, made := range []error{
		os.WriteFile(target, nil, 0o600),
		os.WriteFile(filepath.Join(dir, folder), nil, 0o600), // a file in place of a folder
		os.Mkdir(filepath.Join(dir, file), 0o700),            // and the reverse
		os.MkdirAll(filepath.Join(state, listFolder), 0o700),
	} {
		if made != nil {
			t.Fatal(made)
		}
	}
	if err := os.Symlink(target, filepath.Join(dir, linked)); err != nil {
		t.Skip(err)
	}
	before := names(t, dir)
	var list strings.Builder
	for _, name := range []string{"target", file, folder, linked, ".redline-x", ".redline-" + strings.Repeat("a", 26)} {
		list.WriteString(`"` + filepath.ToSlash(filepath.Join(dir, name)) + "\"\n")
	}
	list.WriteString("\"target\"\n{}\n\"" + dir) // cut off
	if err := os.WriteFile(filepath.Join(state, listFolder, "x.list"), []byte(list.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	Sweep(state)
	if got := names(t, dir); !slices.Equal(got, before) {
		t.Errorf("there are %q, want %q", got, before)
	}
}

// Nothing stays in the state directory once there are no temporary files.
func TestForgetting(t *testing.T) {
	state := t.TempDir()
	l := New(state)
	one, two := l.Note("/"+Name(File)), l.Note("/"+Name(File))
	one()
	if got := names(t, filepath.Join(state, listFolder)); len(got) != 1 {
		t.Errorf("lists: %q", got)
	}
	two()
	two()
	if got := names(t, filepath.Join(state, listFolder)); len(got) != 0 {
		t.Errorf("lists: %q", got)
	}
	l.Note("/" + Name(File))() // again
	New("").Note("/x")()
	blocked := filepath.Join(state, "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	New(blocked).Note("/x")() // a folder that is not writable
}
