//go:build linux && (amd64 || arm64)

package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"redline/agent/state"
	"redline/lsp/lsptest"
	"redline/workspace/runner"
)

// trialHouse is everything that a user has, in one folder: a home, a workspace, a folder for
// temporary files, one for sockets, and Redline's state. The servers of a house run in it, so the
// test can compare what they leave there.
type trialHouse struct {
	*place
	root, home, temp, runtime string
	env                       []string
	server                    *victim
	editor                    *lsptest.Editor
}

// newTrialHouse builds a house in which commands may be tried.
func newTrialHouse(t *testing.T, most time.Duration) *trialHouse {
	t.Helper()
	if err := runner.Worlds(); err != nil {
		t.Skip("there are no worlds here: " + err.Error())
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), most)
	t.Cleanup(cancel)
	h := &trialHouse{root: root, place: &place{t: t, ctx: ctx}}
	for name, dir := range map[string]*string{"workspace": &h.dir, "state": &h.state, "home": &h.home, "temp": &h.temp, "runtime": &h.runtime} {
		*dir = filepath.Join(root, name)
		if err := os.Mkdir(*dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{".bashrc": "# mine\n", ".gitconfig": "[user]\n\tname = me\n", ".config/tool/settings": "on\n"} {
		h.write(filepath.Join(h.home, name), text)
	}
	h.settings("[trials]\nmode = \"on\"\n")
	h.env = []string{
		"HOME=" + h.home, "TMPDIR=" + h.temp, "XDG_RUNTIME_DIR=" + h.runtime, "XDG_CONFIG_HOME=", "XDG_STATE_HOME=", "XDG_CACHE_HOME=", "XDG_DATA_HOME=",
		"REDLINE_STATE_DIR=" + h.state, "REDLINE_CONFIG=" + filepath.Join(h.state, "config.toml"), "REDLINE_LOG=",
		"OPENAI_API_KEY=" + scriptKey, "REDLINE_MODEL=trials",
	}
	return h
}

func (h *trialHouse) write(name, text string) {
	h.t.Helper()
	for _, err := range []error{os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)} {
		if err != nil {
			h.t.Fatal(err)
		}
	}
}

// open starts a server, and an editor on it.
func (h *trialHouse) open() {
	h.t.Helper()
	h.server = (&crashWorld{t: h.t, env: h.env}).startServer()
	var err error
	h.editor, err = lsptest.Start(h.ctx, h.server, lsptest.Honest(), h.dir, lsptest.WithEvents())
	h.t.Cleanup(h.close)
	h.must("connecting", err)
}

// close kills the server, and returns when it has ended.
func (h *trialHouse) close() {
	h.server.kill()
	_ = h.server.cmd.Wait() // it was killed
	if h.editor != nil {
		h.editor.Kill()
	}
}

// must ends the test if there is an error.
func (h *trialHouse) must(doing string, err error) {
	h.t.Helper()
	if err == nil {
		return
	}
	said := ""
	if h.editor != nil {
		said = h.editor.Transcript()
	}
	h.t.Fatalf("%s: %v\n%s\nstderr: %s", doing, err, said[max(0, len(said)-6000):], h.server.err.String())
}

// events returns the server's events of one kind.
func (h *trialHouse) events(kind state.EventKind) (all []state.Event) {
	for _, raw := range h.editor.Events() {
		var e state.Event
		if json.Unmarshal(raw, &e) == nil && e.Kind == kind {
			all = append(all, e)
		}
	}
	return all
}

// turnEnds waits until this number of turns have ended since the editor was connected.
func (h *trialHouse) turnEnds(n int) lsptest.Expectation {
	return lsptest.Expect("the turn has ended", func(*lsptest.Editor) bool { return len(h.events(state.TurnFinished)) >= n })
}

// plans returns the plans that the server reports: those that are open, or all.
func (h *trialHouse) plans(all bool) []state.Plan {
	h.t.Helper()
	raw, err := h.editor.Execute(h.ctx, "redline.state", map[string]any{"all": all})
	var now state.State
	if err == nil {
		err = json.Unmarshal(raw, &now)
	}
	h.must("redline.state", err)
	return now.Plans
}

// until waits until a condition holds; a failure names the condition and the state.
func (h *trialHouse) until(what string, left func() []string) {
	h.t.Helper()
	for end := time.Now().Add(3 * time.Minute); ; time.Sleep(time.Millisecond) {
		found := left()
		if len(found) == 0 {
			return
		}
		if time.Now().After(end) {
			h.t.Fatalf("waited for %s; there is\n%s", what, strings.Join(found, "\n"))
		}
	}
}

// files describes everything in a folder of the house except the content of Redline's folders:
// names, kinds, permissions, owners, times, links and content.
func (h *trialHouse) files(dir string) string {
	h.t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (name == h.state || name == filepath.Join(h.dir, ".redline")) {
			return fs.SkipDir
		}
		var stat syscall.Stat_t
		if err := syscall.Lstat(name, &stat); err != nil {
			return err
		}
		changed := fmt.Sprint(stat.Mtim.Nano(), " ", stat.Ctim.Nano())
		if name == h.dir || name == h.temp { // .redline was created in it; Redline tests isolation there
			stat.Nlink, changed = 0, ""
		}
		sum, to := [sha256.Size]byte{}, ""
		switch {
		case e.Type().IsRegular():
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			sum = sha256.Sum256(data)
		case e.Type()&fs.ModeSymlink != 0:
			to, _ = os.Readlink(name)
		}
		fmt.Fprintf(&b, "%s %o %d %d:%d %s %x %s\n", name, stat.Mode, stat.Nlink, stat.Uid, stat.Gid, changed, sum[:4], to)
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return b.String()
}

// differences returns the lines of one text that are not in the other, marked with - and +.
func differences(before, after string) (lines []string) {
	for mark, two := range map[string][2]string{"-": {before, after}, "+": {after, before}} {
		for line := range strings.Lines(two[0]) {
			if !strings.Contains("\n"+two[1], "\n"+line) {
				lines = append(lines, mark+strings.TrimSuffix(line, "\n"))
			}
		}
	}
	return lines
}

// processes returns all other processes that come from the house: their environment, folder,
// arguments or mounts name it.
func (h *trialHouse) processes(but ...int) (found []string) {
	h.t.Helper()
	names, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		h.t.Fatal(err)
	}
	for _, name := range names {
		pid, _ := strconv.Atoi(filepath.Base(name)) // digits
		if pid == os.Getpid() || slices.Contains(but, pid) {
			continue
		}
		told, _ := os.Readlink(filepath.Join(name, "cwd"))
		for _, file := range []string{"environ", "cmdline", "mountinfo"} {
			text, _ := os.ReadFile(filepath.Join(name, file)) // it may have ended
			told += "\n" + string(text)
		}
		if strings.Contains(told, h.root) {
			line, _ := os.ReadFile(filepath.Join(name, "cmdline"))
			status, _ := os.ReadFile(filepath.Join(name, "stat"))
			found = append(found, fmt.Sprintf("%s %q %s", name, line, status))
		}
	}
	return found
}

// mounts returns the mounts of this system that are in the house.
func (h *trialHouse) mounts() (found []string) {
	h.t.Helper()
	list, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		h.t.Fatal(err)
	}
	for line := range strings.Lines(string(list)) {
		if strings.Contains(line, h.root) {
			found = append(found, line)
		}
	}
	return found
}

// descendants returns the processes below one, as far as they can be seen.
func descendants(pid int) (found []int) {
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return nil
	}
	for _, name := range lists {
		list, _ := os.ReadFile(name) // it may have ended
		for field := range strings.FieldsSeq(string(list)) {
			if child, err := strconv.Atoi(field); err == nil {
				found = append(append(found, child), descendants(child)...)
			}
		}
	}
	return found
}

// runHere runs a command without isolation, in the workspace.
func (h *trialHouse) runHere(line string) (string, error) {
	cmd := exec.CommandContext(h.ctx, "sh", "-c", line)
	cmd.Dir, cmd.Env = h.dir, append(os.Environ(), h.env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}
