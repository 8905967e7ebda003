package tool

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"redline/agent/draft"
	"redline/agent/plan"
	"redline/internal/phrase"
	"redline/workspace"
)

// A model hears of the errors that its edits add from the language's own server: in the answer to the
// last edit of a reply, if they are known soon enough, and at the end of its work, once. Both report only what the
// server knows: no answer does not mean that there are no errors.

const (
	maxEditWait = time.Second     // how long the answer to a call waits for errors
	maxEndWait  = 5 * time.Second // how long the end of the work does
	maxLate     = 2               // after so many checks in a row that took longer, answers wait no more

	maxErrorRows = 10 // errors in an answer; the others are counted
)

// checking is what the model of some work has heard of errors.
type checking struct {
	mu    sync.Mutex
	stop  context.CancelFunc // ends the check that runs, nil for none
	late  int                // how many checks in a row took too long
	heard map[string]bool    // the errors that the model knows, see keyOf
	open  bool               // there may be errors that it does not know
	calls unchecked
}

// unchecked are calls that have staged something since the last check.
type unchecked struct {
	count  int
	before workspace.Overlay // the draft before them
	files  map[string]bool   // what they have changed
	other  bool              // one of them edits no files itself
}

// staged notes what a call has staged, for the next check. before is the draft before the call, and edits says whether
// the call edits files itself.
func (k *checking) staged(before workspace.Overlay, files []draft.Staged, edits bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	c := &k.calls
	if c.count++; c.count == 1 {
		c.before, c.files = before, map[string]bool{}
	}
	c.other = c.other || !edits
	for _, s := range files {
		c.files[s.Path] = true
		if s.NewPath != "" {
			delete(c.files, s.Path)
			c.files[s.NewPath] = true
		}
	}
}

// take returns the calls since the last check, and begins anew.
func (k *checking) take() unchecked {
	k.mu.Lock()
	defer k.mu.Unlock()
	c := k.calls
	k.calls = unchecked{}
	return c
}

// keyOf names an error. Its line is left out, since lines move.
func keyOf(p plan.Problem) string {
	return strings.Join([]string{p.Path, p.Source, p.Code, p.Message}, "\x00")
}

// begin returns the context of a check, which ends the one before, and how long to wait for it.
func (k *checking) begin(ctx context.Context) (context.Context, time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.stop != nil {
		k.stop()
	}
	if len(k.heard) > 0 {
		k.open = true // an edit since may have mended what it heard of
	}
	ctx, k.stop = context.WithCancel(ctx)
	if k.late >= maxLate {
		return ctx, 0
	}
	return ctx, maxEditWait
}

// answered notes that a check has an answer, and tooLate that an answer to a call has none.
func (k *checking) answered() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.late = 0
}

func (k *checking) tooLate() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.late++
}

// leaveOpen notes that there may be errors that the model does not know.
func (k *checking) leaveOpen() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.open = true
}

func (k *checking) isOpen() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.open
}

// tell notes the errors that the model hears of.
func (k *checking) tell(rows []plan.Problem) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.heard == nil {
		k.heard = map[string]bool{}
	}
	for _, p := range rows {
		k.heard[keyOf(p)] = true
	}
}

// knows reports whether the errors among problems are exactly those that the model has heard of. If an edit has
// mended some of them, it does not know which are left.
func (k *checking) knows(p *plan.Problems) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	left := map[string]bool{}
	for _, one := range errorsIn(p) {
		left[keyOf(one)] = true
	}
	return maps.Equal(left, k.heard)
}

// checks returns what the model of this work has heard. Each specialist has an environment of its own.
func (env *Env) checks() *checking {
	if env.checking == nil {
		env.checking = &checking{}
	}
	return env.checking
}

// watches reports whether a language server answers for some of the files.
func (env *Env) watches(staged []draft.Staged) bool {
	if env.Languages == nil || env.Again {
		return false
	}
	for _, s := range staged {
		if env.Languages.Answers(s.Path) || s.NewPath != "" && env.Languages.Answers(s.NewPath) {
			return true
		}
	}
	return false
}

// Verdict returns a note for the model on the errors that its calls since the last one have added, "" if there are none,
// or none are known in time. Where a file does not parse, the model knows that, and hears no more.
func (env *Env) Verdict(ctx context.Context) string {
	c := env.checks().take()
	unparsed := false
	for path := range c.files {
		unparsed = unparsed || env.unparsed[path]
	}
	switch {
	case c.count == 0:
		return ""
	case unparsed || c.other:
		env.checks().leaveOpen()
		return ""
	case c.count == 1:
		return env.addedBy(ctx, "It adds", c.before)
	}
	return env.addedBy(ctx, "The edits of this reply add", c.before)
}

// addedBy returns a note for the model on the errors that the draft has and without does not, "" if
// there are none, or none are known in time. what is the start of its sentence.
func (env *Env) addedBy(ctx context.Context, what string, without workspace.Overlay) string {
	check, wait := env.checks().begin(ctx)
	done := env.added(check, env.Draft.Overlay(), without)
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case p := <-done:
		all := errorsIn(p)
		if p == nil || p.NotChecked() != "" || len(all) > maxErrorRows || env.InAnswer {
			env.checks().leaveOpen()
		}
		if !env.InAnswer { // else the model may not see this answer
			env.checks().tell(all[:min(len(all), maxErrorRows)])
		}
		return env.errorNote(what, p)
	case <-timer.C:
		env.checks().tooLate()
	case <-ctx.Done():
	}
	env.checks().leaveOpen()
	return ""
}

// added asks for the problems that texts add. The channel gets the answer, nil if it is not known.
func (env *Env) added(ctx context.Context, texts, without workspace.Overlay) <-chan *plan.Problems {
	done := make(chan *plan.Problems, 1)
	languages, checking := env.Languages, env.checks()
	began := time.Now()
	go func() {
		p, err := languages.Added(ctx, texts, without)
		if err != nil {
			p = nil
		} else if ctx.Err() == nil && time.Since(began) <= maxEditWait {
			checking.answered()
		}
		done <- p
	}()
	return done
}

// Unheard returns a message to the model, which has finished, about the errors that the draft adds, ""
// if there are none, it knows all of them, or they are not known within five seconds. It waits
// for nothing if the answers to its calls have told all.
func (env *Env) Unheard(ctx context.Context) string {
	if env.Languages == nil || env.Again || !env.checks().isOpen() {
		return ""
	}
	var files []draft.Staged
	for _, path := range env.Draft.Paths() {
		files = append(files, draft.Staged{Path: path})
	}
	if !env.watches(files) {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, maxEndWait)
	defer cancel()
	ctx, _ = env.checks().begin(ctx)
	select {
	case p := <-env.added(ctx, env.Draft.Overlay(), nil):
		if p.Errors() == 0 || env.checks().knows(p) {
			return ""
		}
		return strings.TrimSpace(env.errorNote("What is staged adds", p)) + "\nFix them, or say why they stay."
	case <-ctx.Done():
		return ""
	}
}

// errorNote tells the model of the errors among problems, in lines of their own; "" for none. what is
// the start of the sentence.
func (env *Env) errorNote(what string, p *plan.Problems) string {
	n := len(errorsIn(p))
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("\n%s %s:\n%s", what, phrase.Count(n, "error"), strings.Join(env.errorRows(p), "\n"))
}

// errorsIn returns the errors among problems.
func errorsIn(p *plan.Problems) (all []plan.Problem) {
	if p == nil {
		return nil
	}
	for _, one := range p.Added {
		if one.Severity == plan.SeverityError {
			all = append(all, one)
		}
	}
	return all
}

// errorRows lists the errors among problems, and counts those beyond the first. Of a file that may
// not be shown it does not say what the server reports, which may quote the file.
func (env *Env) errorRows(p *plan.Problems) (rows []string) {
	all := errorsIn(p)
	for _, one := range all[:min(len(all), maxErrorRows)] {
		message := spaced(phrase.ClipBytes(one.Message, 300))
		if env.keeps(one.Path) != nil {
			message = "an error in a file that is not shown"
		}
		rows = append(rows, fmt.Sprintf("%s:%d: %s", shown(phrase.ClipBytes(one.Path, 300)), one.Range.Start.Line+1, message))
	}
	if more := len(all) - len(rows); more > 0 {
		rows = append(rows, "… "+phrase.Count(more, "more error"))
	}
	return rows
}
