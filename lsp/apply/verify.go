package apply

import (
	"context"
	"fmt"

	"redline/edits"
	"redline/internal/phrase"
)

// verifyAll finds out from the texts what became of what the client has accepted.
// A file that is not open after a moment will not be opened any more; the text of
// one that is may be longer on its way.
func (a *Applier) verifyAll(caller context.Context, batch []*attempt) {
	ctx, cancel := context.WithTimeout(caller, a.timeouts.Verify)
	defer cancel()
	moment, cancel := context.WithTimeout(ctx, a.timeouts.Hidden)
	defer cancel()
	for _, t := range batch {
		if !a.files.await(moment, t) && a.files.changed(t).Buffer != nil {
			a.files.await(ctx, t)
		}
		a.restoreBOM(caller, t)
		a.verify(caller, t)
	}
}

// await waits for a change for as long as a text may take to be seen.
func (a *Applier) await(ctx context.Context, t *attempt) {
	ctx, cancel := context.WithTimeout(ctx, a.timeouts.Verify)
	defer cancel()
	a.files.await(ctx, t)
}

// verify finds out what became of a change that the client has accepted. What it
// put into the wrong lines is reverted; that, and what it skipped for a newer
// text, is sent again, at most maxResends times. Nothing is ever sent on top of
// what cannot be explained.
func (a *Applier) verify(ctx context.Context, t *attempt) {
	for !t.finished {
		file := a.files.changed(t)
		wrong := t.misplaced()
		switch {
		case wrong != nil:
			if !a.revertMisplaced(ctx, t, wrong) {
				return
			}
		case !skipped(t, file) || t.explained(file.Text) && t.resent == maxResends:
			a.finishAccepted(ctx, t)
			return
		case !t.explained(file.Text):
			t.finishHalf("The editor says that it changed " + t.change.Path + ", but the new lines are not where they belong, and it cannot be told where it put them: look at the file, and undo that in the editor.")
			return
		}
		if t.resent == maxResends {
			t.refuse("The editor put the change into the wrong lines each time, because the text was changed under it, so that it was taken back: approve it again")
			return
		}
		if a.retry(t); t.finished {
			return
		}
		if err := a.send(ctx, []*attempt{t}); err != nil || t.finished {
			return
		}
		a.await(ctx, t)
	}
}

// finishAccepted records what the text shows of a change that the client accepted.
func (a *Applier) finishAccepted(ctx context.Context, t *attempt) {
	file := a.files.changed(t)
	switch landed := t.landing(file); {
	case landed == edits.Unclear && t.madeInPart(file.Text):
		a.finishFailed(ctx, t, fmt.Sprintf("The editor says that it changed %s, but it made only a part of that: %d of %s.", t.path(), len(t.made(file.Text)), phrase.Count(len(t.edits), "edit")))
	case landed != edits.Absent:
		t.finishLanded(file)
	case file.Buffer == nil && t.change.Kind != edits.Delete && (t.change.Kind != edits.Rename || a.files.partial(t) == ""):
		// A client may hold the text where it shows it to nobody (a hidden
		// buffer that no server is attached to, in Neovim).
		t.finish(edits.Applied{Status: edits.Unverified, Text: file.Text,
			Reason: "The editor says that it changed " + t.path() + ", but neither it nor the disk shows that: look at the file, and save it."})
	default:
		a.finishFailed(ctx, t, "The editor says that it changed "+t.path()+", but its text is as it was.")
	}
}
