package apply

import (
	"context"
	"slices"
	"time"

	"redline/edits"
	"redline/workspace"
)

// maxResends is how often a change is rebased and sent again after the client
// refused it for a newer text.
const maxResends = 3

// send has the client make the batch, again after each newer text, until it
// has answered or its texts show what it did. The error says that the client
// is gone.
func (a *Applier) send(ctx context.Context, batch []*attempt) error {
	for len(batch) > 0 {
		for _, t := range batch {
			a.watcher.watch(t, a.encoder.textEdits)
		}
		answer, err := a.request(ctx, batch, a.encoder.workspaceEdit(batch), a.timeouts.ApplyEdit)
		if err != nil {
			return err
		}
		if answer.verdict == accepted {
			for _, t := range batch {
				t.answered = a.files.changed(t).Buffer
			}
			return nil
		}
		newer := a.finishRefused(ctx, batch, answer)
		// What is in the wrong lines is reverted when all has been sent.
		batch = slices.DeleteFunc(unfinished(batch), func(t *attempt) bool { return t.misplaced() != nil })
		if answer.verdict == silent {
			finishAll(batch, edits.Unknown, answer.reason)
			return nil
		}
		if !newer {
			newer = a.encoder.needsExactVersions(batch)
		}
		if !newer || slices.ContainsFunc(batch, func(t *attempt) bool { return t.resent == maxResends }) {
			finishAll(batch, edits.Refused, answer.reason)
			return nil
		}
		for _, t := range batch {
			if a.retry(t); t.finished || t.onDisk {
				finishAll(unfinished(batch), edits.Refused, "The file was changed in the meantime: look at the plan again.")
				return nil
			}
		}
	}
	return nil
}

// retry makes a change ready for the text of now, to be sent once more.
func (a *Applier) retry(t *attempt) {
	a.watcher.unwatch(t)
	next := a.prepare(t.change)
	next.unmake, next.resent, next.depth = t.unmake, t.resent+1, t.depth
	*t = *next
}

// finishRefused reads the texts of a batch that the client did not accept. What
// is there all the same is done, and what is there in part has failed; of a
// client that has not answered it may still become whole. It reports whether a
// text is newer than what the batch was made for, so that sending it again makes
// sense.
func (a *Applier) finishRefused(caller context.Context, batch []*attempt, answer answer) (newer bool) {
	wait := a.timeouts.Refusal
	if answer.verdict == silent {
		wait = 0
	}
	ctx, cancel := context.WithTimeout(caller, wait)
	defer cancel()
	partial := false
	for _, t := range batch {
		source, _ := a.workspace.AwaitText(ctx, t.change.Path, func(f workspace.File) bool {
			return f.Exists != t.existed || f.Text != t.before
		})
		file := a.files.changed(t)
		switch {
		case t.landing(file) == edits.Landed:
			t.finishLanded(file)
		case t.misplaced() != nil:
			if answer.verdict == silent {
				t.finishMisplaced("and has not answered, so that nothing more was sent")
			}
		case answer.verdict == silent:
		case a.files.partial(t) != "":
			a.finishFailed(caller, t, answer.reason)
			partial = true
		case source.Exists == t.existed && source.Text != t.before:
			newer = true
		}
	}
	return newer && !partial
}

// answeredLate handles an answer that came after the wait for it was over. Once
// the texts have had the time to show what was made, nothing more is coming.
func (a *Applier) answeredLate(ctx context.Context, batch []*attempt, answer answer) {
	a.awaitAnswered(ctx, batch, answer, a.timeouts.Verify)
	for _, t := range batch {
		a.late(t.change.Path)
	}
}

// awaitAnswered waits until the texts show all of a batch, for as long as given, or
// for a moment if the client has refused it.
func (a *Applier) awaitAnswered(ctx context.Context, batch []*attempt, answer answer, wait time.Duration) {
	if answer.verdict == refused {
		wait = a.timeouts.Refusal
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	a.files.awaitAll(ctx, batch)
}
