package board

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"redline/agent/plan"
	"redline/agent/store"
	"redline/agent/view"
	"redline/workspace"
)

// An editor shows a file to the next server in the moment after that has looked for an editor's
// text and before it has recorded what the disk says. The record says then that it must look again,
// for the event finds a plan that still waits for the editor.
func TestAFileThatIsShownWhileTheDiskIsJudged(t *testing.T) {
	for verdict, disk := range map[plan.Verdict]string{plan.VerdictUndo: "new\n", plan.VerdictApprove: "old\n"} {
		t.Run(string(verdict), func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte(disk), 0o600); err != nil {
				t.Fatal(err)
			}
			ws := workspace.New([]workspace.Folder{{Name: "ws", Dir: dir}}, workspace.Options{StateDir: t.TempDir()})
			st := store.New(t.TempDir())
			defer st.Close()
			shown := make(chan struct{})
			ws.Observe(func(workspace.BufferEvent) { close(shown) })
			b := boardOn(ws, st)
			p, texts := newPlan(t)
			h, err := b.Create(t.Context(), NewRevision{Plan: p, Texts: texts})
			if err != nil {
				t.Fatal(err)
			}
			tx := b.Lock(h)
			defer tx.Unlock()
			sent := h.Plan().Clone()
			if verdict == plan.VerdictUndo {
				sent.Progress.MarkHunk("h1", plan.HunkApplied, "")
			}
			sent.Progress.MarkSent(1, "a.txt", plan.Sent{Verdict: verdict, Hunks: []string{"h1"}})
			tx.swap(sent)

			table, read := b.lockReadFile(&h.Revision().Changes[0])
			heard := make(chan struct{})
			defer func() {
				b.session.Stop() // so that nothing is compared in the background
				table.unlock()
				<-heard
			}()
			go func() {
				ws.Open(ws.URI("a.txt"), "", 1, "old\n") // the board waits for the table
				close(heard)
			}()
			<-shown
			next := sent.Clone()
			if !table.noteAsked(read, table.of(h), &Execution{}, next, table.of(h).files[0], editorRestarted) {
				t.Fatal("nothing was recorded")
			}
			if !next.Progress.File(1, "a.txt").Unsaved {
				t.Errorf("the record is %+v, and nobody looks again", next.Progress.File(1, "a.txt"))
			}
		})
	}
}

// An execution whose outcome could not be stored is dropped as soon as its decision ends, perhaps
// while the files that the editor has not answered for are being read.
func TestAnExecutionThatIsDroppedWhileItsFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("old\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	read := func() {}
	ws := workspace.New([]workspace.Folder{{Name: "ws", Dir: dir}}, workspace.Options{StateDir: t.TempDir(), Access: func() { read() }})
	st := store.New(t.TempDir())
	defer st.Close()
	b := boardOn(ws, st)

	ctx := t.Context()
	p, texts := newPlan(t)
	h, err := b.Create(ctx, NewRevision{Plan: p, Texts: texts})
	if err != nil {
		t.Fatal(err)
	}

	tx := b.Lock(h)
	v, _, err := tx.Look(plan.Execute, view.Request{})
	if err != nil {
		t.Fatal(err)
	}
	scope, err := view.ScopeOf(v, view.Request{Plan: 1}, plan.HunkPending)
	if err != nil {
		t.Fatal(err)
	}
	next := h.Plan().Clone()
	if err := next.Apply(plan.Execute); err != nil {
		t.Fatal(err)
	}
	approval := view.RecordDecision(h.Plan(), h.Revision(), view.Request{Plan: 1}, plan.VerdictApprove, scope.Parts, time.Now())
	x, err := tx.Begin(ctx, Intent{Verdict: plan.VerdictApprove, Parts: scope.Parts}, next, approval, plan.Execute)
	if err != nil {
		t.Fatal(err)
	}
	tx.Unlock()

	table := b.lock()
	x.waiting = true
	table.unlock()
	dropped := false
	read = func() {
		table := b.lock()
		defer table.unlock()
		dropped, table.of(h).execution = true, nil
	}
	if _, err := b.Reconciler.reconcile(ctx, h, evidence{asked: true}); err != nil {
		t.Error(err)
	}
	if !dropped {
		t.Error("no file was read")
	}
}
