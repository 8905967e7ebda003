package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/lsp/lsptest"
	"redline/workspace/leftover"
)

// crashWorld is a workspace with an editor that outlives its servers.
type crashWorld struct {
	t          *testing.T
	ctx        context.Context
	dir, state string
	env        []string
	rng        *rand.Rand
	editor     *lsptest.Editor
	server     *victim
	ledger     *ledger
	keeps      bool               // the editor keeps the buffers of files that are deleted or moved
	saves      bool               // unsaved text, or the buffer of a deleted file, would prevent the server's own file operations
	lot        int                // the last server
	kept       map[int]*plan.Plan // the content of the store at the last check
	lines      int                // text typed so far
	usual      map[string]*usual
	kills      map[string]int // by what was under way
}

// usual is how long a phase took when it was last completed.
type usual struct {
	messages int64
	time     time.Duration
}

// victim is a server process that may be killed at any moment.
type victim struct {
	cmd     *exec.Cmd
	in      *os.File
	out     *os.File
	err     strings.Builder
	traffic atomic.Int64 // number of messages so far, approximately
	at      atomic.Int64 // the number of messages at which it is killed; 0: not by that
	killed  atomic.Bool
}

func (v *victim) kill() {
	v.killed.Store(true)
	_ = v.cmd.Process.Kill() // it may have been killed
}

func (v *victim) count() {
	if v.traffic.Add(1) == v.at.Load() {
		v.kill()
	}
}

func (v *victim) Read(p []byte) (int, error) {
	n, err := v.out.Read(p)
	v.count()
	return n, err
}

func (v *victim) Write(p []byte) (int, error) {
	v.count()
	return v.in.Write(p)
}

func (v *victim) Close() error { return errors.Join(v.in.Close(), v.out.Close()) }

// startServer starts a server process on the world's workspace and state.
func (w *crashWorld) startServer() *victim {
	w.t.Helper()
	inRead, inWrite, err := os.Pipe()
	if err != nil {
		w.t.Fatal(err)
	}
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		w.t.Fatal(err)
	}
	v := &victim{cmd: exec.Command("redline", "serve"), in: inWrite, out: outRead}
	v.cmd.Env = append(v.cmd.Environ(), w.env...)
	v.cmd.Stdin, v.cmd.Stdout, v.cmd.Stderr = inRead, outWrite, &v.err
	if err := v.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	inRead.Close()
	outWrite.Close()
	return v
}

func newCrashWorld(t *testing.T, p lsptest.Profile, seed int64) *crashWorld {
	ctx, cancel := context.WithTimeout(context.Background(), crashTime())
	t.Cleanup(cancel)
	w := &crashWorld{
		t: t, ctx: ctx, keeps: p.KeepsDeleted || !p.FileOperations, saves: !p.FileOperations, dir: t.TempDir(), state: t.TempDir(), rng: rand.New(rand.NewPCG(uint64(seed), 0)),
		ledger: newLedger(), usual: map[string]*usual{}, kills: map[string]int{},
	}
	w.env = []string{
		"REDLINE_STATE_DIR=" + w.state, "REDLINE_CONFIG=", "XDG_CONFIG_HOME=" + filepath.Join(w.state, "none"), "REDLINE_LOG=",
		"OPENAI_BASE_URL=" + newModelOf(t, lotReply), "OPENAI_API_KEY=" + scriptKey, "REDLINE_MODEL=lots",
	}
	w.server = w.startServer()
	editor, err := lsptest.Start(ctx, w.server, p, w.dir, lsptest.WithEvents(), lsptest.OutlivesServer())
	if err != nil {
		t.Fatal(err)
	}
	w.editor = editor
	t.Cleanup(func() { w.server.cmd.Process.Kill(); w.editor.Kill(); w.server.cmd.Wait() })
	return w
}

// check ends the test if it failed, with the messages of the last two servers and the editor.
func (w *crashWorld) check(doing string, err error) {
	w.t.Helper()
	if err == nil {
		return
	}
	var said strings.Builder
	lines := strings.Split(w.editor.Transcript(), "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool {
		return strings.Contains(l, `"redline.state"`) || strings.Contains(l, `"result":{"plans"`)
	})
	for _, line := range lines[max(0, len(lines)-60):] {
		said.WriteString(line[:min(len(line), 400)] + "\n")
	}
	w.t.Fatalf("%s: %v\n%s\nstderr: %s", doing, err, said.String(), w.server.err.String())
}

// under runs a phase while the server may be killed at any moment, and kills the server at the end
// of the phase if that did not happen.
func (w *crashWorld) under(name string, phase func(context.Context) error) {
	w.t.Helper()
	before := w.usual[name]
	if before == nil {
		before = &usual{messages: 20, time: 50 * time.Millisecond}
	}
	v, began, traffic := w.server, time.Now(), w.server.traffic.Load()
	if w.rng.IntN(2) == 0 {
		v.at.Store(traffic + 1 + w.rng.Int64N(before.messages+before.messages/8+1))
	} else {
		timer := time.AfterFunc(time.Duration(w.rng.Int64N(int64(before.time+before.time/8))), v.kill)
		defer timer.Stop()
	}
	ctx, cancel := context.WithCancel(w.ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- phase(ctx) }()
	select {
	case err := <-ended:
		if !v.killed.Load() {
			w.check(name, err)
			w.usual[name] = &usual{messages: v.traffic.Load() - traffic, time: time.Since(began)}
			name = "after " + name
		}
	case <-w.editor.Lost():
		cancel()
		<-ended
	}
	w.kill()
	w.kills[name]++
}

// kill ends the server and returns when all that it has sent was received.
func (w *crashWorld) kill() {
	w.server.kill()
	_ = w.server.cmd.Wait() // it was killed
	<-w.editor.Lost()
}

// survive starts the next server, and checks what it reports of the state before.
func (w *crashWorld) survive() {
	w.t.Helper()
	w.check("what was shown", w.ledger.takeIn(w))
	if w.lot > 0 && w.rng.IntN(3) == 0 {
		w.typeLine()
	}
	texts, applied := w.texts(), w.editor.Applied()
	for w.rng.IntN(6) == 0 { // the next server is killed while it starts
		v := w.startServer()
		time.AfterFunc(time.Duration(w.rng.Int64N(int64(60*time.Millisecond))), v.kill)
		_ = w.editor.Reconnect(w.ctx, v) // it may get that far or not
		w.server = v
		<-w.editor.Lost()
		_ = v.cmd.Wait()
		w.kills["recovering"]++
	}
	for w.rng.IntN(4) == 0 {
		w.endsWhileItBegins()
	}
	w.server = w.startServer()
	w.check("connecting again", w.editor.Reconnect(w.ctx, w.server, w.takeTime))
	w.settled()
	if n := w.editor.Applied(); n != applied {
		w.t.Fatalf("recovery made %d edits", n-applied)
	}
	for path, text := range w.texts() {
		if texts[path] != text {
			w.t.Fatalf("recovery changed %s:\n%q\n%q", path, texts[path], text)
		}
		delete(texts, path)
	}
	if len(texts) != 0 {
		w.t.Fatalf("recovery removed %v", texts)
	}
}

// endsWhileItBegins makes the editor start the next server and end it soon, as when a user restarts
// the server: the one after that may start before it has ended.
func (w *crashWorld) endsWhileItBegins() {
	w.t.Helper()
	v := w.startServer()
	w.check("connecting", w.editor.Reconnect(w.ctx, v, w.takeTime))
	w.takeTime()
	_, err := w.editor.Call(w.ctx, "shutdown", nil)
	w.check("ending the server", errors.Join(err, w.editor.Notify("exit", nil)))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = v.cmd.Wait() // another test checks how it ends
	}()
	if w.rng.IntN(2) == 0 {
		<-ended
	}
	w.t.Cleanup(func() { <-ended })
}

// takeTime lets the server read the disk before the editor shows its documents, as some editors do.
func (w *crashWorld) takeTime() {
	if w.rng.IntN(3) == 0 {
		time.Sleep(time.Duration(w.rng.Int64N(int64(80 * time.Millisecond))))
	}
}

// texts returns the texts of all files of the lots: on the disk and, for open files, in the editor.
func (w *crashWorld) texts() map[string]string {
	texts := map[string]string{}
	err := filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".redline":
			return fs.SkipDir
		case d.IsDir(), strings.HasPrefix(d.Name(), leftover.File): // the next server removes it
			return nil
		}
		rel, err := filepath.Rel(w.dir, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		texts[rel], texts[rel+" in the editor"] = string(data), w.editor.Text(rel)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return texts
}

// plans returns all plans as the server reports them.
func (w *crashWorld) plans(ctx context.Context) (map[int]*state.Plan, error) {
	raw, err := w.editor.Execute(ctx, "redline.state", map[string]any{"all": true})
	if err != nil {
		return nil, err
	}
	var shown state.State
	if err := json.Unmarshal(raw, &shown); err != nil {
		return nil, err
	}
	plans := map[int]*state.Plan{}
	for i := range shown.Plans {
		plans[shown.Plans[i].Plan] = &shown.Plans[i]
	}
	return plans, nil
}

// settled waits until the server reports the truth, and checks that everything that was shown is
// kept and no file is torn.
func (w *crashWorld) settled() map[int]*state.Plan {
	w.t.Helper()
	deadline := time.Now().Add(3 * time.Minute)
	for {
		plans, err := w.plans(w.ctx)
		w.check("redline.state", err)
		for _, p := range plans {
			w.check("what the state shows", w.ledger.showPlan(p))
		}
		kept, err := w.ledger.keptIn(w.ctx, w.state, w.dir)
		w.check("what was shown", err)
		w.kept = kept
		var lies []string
		for number := range kept {
			if plans[number] == nil {
				w.check("what was shown", fmt.Errorf("the state has no plan %d any more", number))
			}
			lies = append(lies, w.lies(kept[number], plans[number])...)
		}
		if len(lies) == 0 {
			w.check("the files", w.torn())
			return plans
		}
		if time.Now().After(deadline) {
			w.check("what the server tells is not so", errors.New(strings.Join(lies, "\n")))
		}
	}
}

// has reports whether a file is on the disk, or only in the editor.
func (w *crashWorld) has(path string) bool {
	_, err := os.Stat(filepath.Join(w.dir, path))
	return err == nil || !w.keeps && w.editor.Text(path) != ""
}

// keptOnly reports whether a file is deleted and its buffer is still there: a server that has just
// started sees that as a new file of the user's.
func (w *crashWorld) keptOnly(path string) bool {
	return path != "" && w.keeps && !w.has(path) && w.editor.Text(path) != ""
}

// outdated reports whether the editor shows a file as it was before the server changed it on the
// disk.
func (w *crashWorld) outdated(path string) bool {
	if path == "" || !w.saves || w.editor.Dirty(path) {
		return false
	}
	onDisk, err := os.ReadFile(filepath.Join(w.dir, path))
	return err == nil && string(onDisk) != w.editor.Text(path)
}

// lies returns the statuses of a plan that do not match the texts.
func (w *crashWorld) lies(kept *plan.Plan, told *state.Plan) (lies []string) {
	statuses := map[string]string{}
	for _, f := range told.Files {
		switch both := f.NewPath != "" && w.has(f.Path) && w.has(f.NewPath); {
		case both && f.Reason == "":
			lies = append(lies, fmt.Sprintf("plan %d: %s and %s are both there, and nothing is said of it: %s", told.Plan, f.Path, f.NewPath, f.Status))
		case both, w.keptOnly(f.Path), w.keptOnly(f.NewPath):
		case f.Status == string(plan.FileStale) && !w.has(f.Path): // an undo of the earlier revision has moved it back
		case f.Status == string(plan.FileApplying), f.Status == string(plan.FileUnverified), f.Status == string(plan.FileStale):
			lies = append(lies, fmt.Sprintf("plan %d: %s is %s (%s)", told.Plan, f.Path, f.Status, f.Reason))
		}
		for _, h := range f.Hunks {
			statuses[h.ID] = h.Status
		}
	}
	for i := range kept.Revisions {
		r := &kept.Revisions[i]
		for j := range r.Changes {
			c := &r.Changes[j]
			if c.Action == plan.Rename && w.has(c.Path) && w.has(c.NewPath) || w.outdated(c.Path) || w.outdated(c.NewPath) {
				continue
			}
			for k := range c.Hunks {
				id := c.Hunks[k].ID
				status, current := statuses[id]
				if !current {
					status = string(kept.Progress.Hunk(id).Status)
				}
				made, applied := w.made(c, k), status == string(plan.HunkApplied)
				if made && !current {
					continue // a later revision may have it under another name
				}
				if made != applied && !(c.Action == plan.Create && w.keptOnly(c.Path)) {
					lies = append(lies, fmt.Sprintf("plan %d (%s), revision %d: %s of %s is %s, and in the text: %t; stored are %+v and %+v",
						told.Plan, told.State, r.Number, id, c.Path, status, made, kept.Progress.Hunk(id), kept.Progress.Files[c.Path]))
				}
			}
			if move := kept.Progress.File(r.Number, c.Path).Move; c.Action == plan.Rename && r.Number == kept.Current &&
				(move == plan.FileApplied) != w.has(c.NewPath) {
				lies = append(lies, fmt.Sprintf("plan %d: the move of %s is %s, and it is there: %t", told.Plan, c.Path, move, w.has(c.NewPath)))
			}
		}
	}
	return lies
}

// made reports whether hunk k of a change is in the text.
func (w *crashWorld) made(c *plan.Change, k int) bool {
	switch c.Action {
	case plan.Create:
		return w.has(c.Path)
	case plan.Delete:
		return !w.has(c.Path)
	}
	path := c.Path
	if c.Action == plan.Rename && w.has(c.NewPath) {
		path = c.NewPath
	}
	proposed, hunk := w.ledger.texts[c.Proposed], c.Hunks[k].New
	return strings.Contains(w.editor.Text(path), proposed[hunk.Start:hunk.End])
}

// torn names a file of the lots whose text is not made of whole hunks.
func (w *crashWorld) torn() error {
	for lot := 1; lot <= w.lot; lot++ {
		for _, file := range []string{"open", "shut", "old", "gone", "made"} {
			path := lotPath(lot, file)
			if moved := lotPath(lot, "moved"); file == "old" && w.has(moved) {
				if w.has(path) { // see lies
					if err := w.tornText(lot, file, path); err != nil {
						return err
					}
				}
				path = moved
			}
			if err := w.tornText(lot, file, path); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *crashWorld) tornText(lot int, file, path string) error {
	onDisk, err := os.ReadFile(filepath.Join(w.dir, path))
	if errors.Is(err, fs.ErrNotExist) && (file == "gone" || file == "made") {
		return nil
	}
	if err != nil {
		return err
	}
	for where, text := range map[string]string{"on the disk": string(onDisk), "in the editor": w.editor.Text(path)} {
		if text == "" && where == "on the disk" && w.editor.Dirty(path) {
			continue // it was created in the editor and not saved
		}
		if original, whole := restored(text, blocksOf(lot, file)); original != originalOf(lot, file) || !whole {
			return fmt.Errorf("%s is torn %s:\n%s", path, where, text)
		}
	}
	return nil
}

// typeLine types a line at the start of the open file.
func (w *crashWorld) typeLine() {
	w.lines++
	w.check("typing", w.editor.Insert(lotPath(w.lot, "open"), 0, 0, fmt.Sprintf("%s%d\n", typed, w.lines)))
}

var _ io.ReadWriteCloser = (*victim)(nil)
