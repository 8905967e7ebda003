package turn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"redline/agent/decide"
	"redline/agent/draft"
	"redline/agent/plan"
	"redline/agent/tool"
	"redline/agent/toolset"
	"redline/agent/view"
	"redline/internal/phrase"
	"redline/workspace/secrets"
)

// labels are the names n1, n2 … by which the model knows the operations that the turn has
// staged. It knows those of the plan that is revised by their ids.
type labels struct {
	of   []string // the turn's operations, in order
	last int      // the number in the last label
}

// Limits of the listed operations, in bytes.
const (
	maxShownArgs = 2 << 10
	maxShownAll  = 24 << 10
)

// list returns a line for each operation of the turn, with its arguments; "" for none. It leaves
// out the arguments for secret files, which may have been written by someone other than the
// model.
func (l *labels) list(staged []plan.Operation, secret func(path string) bool) string {
	for len(l.of) < len(staged) {
		l.last++
		l.of = append(l.of, "n"+strconv.Itoa(l.last))
	}
	var b strings.Builder
	for i, o := range staged {
		arguments := phrase.StartBytes(string(o.Args), maxShownArgs)
		switch {
		case o.Path != "" && secret(o.Path) || secrets.Text(o.Path, strings.ReplaceAll(string(o.Args), `\n`, "\n")):
			arguments = fmt.Sprintf("%q", o.Path)
		case b.Len() > maxShownAll:
			arguments = "…"
		}
		fmt.Fprintf(&b, "- %s: %s %s\n", l.of[i], o.Tool, arguments)
	}
	return b.String()
}

// unstaging returns the tool that takes operations out again. It returns none if the turn has no
// operations to take out from the start.
func (w *work) unstaging(ctx context.Context) tool.Tool {
	return tool.Unstage(func(names []string) (string, error) {
		d, err := w.TakeOut(ctx, w.env.Draft, names)
		if err != nil {
			return "", err
		}
		w.env.Draft = d
		return "taken out; staged are now:\n" + w.Staged(d), nil
	})
}

// Staged lists the operations in a draft: those of the plan that is revised, without their
// arguments, and those of the turn.
func (w *work) Staged(d *draft.Draft) string {
	text := ""
	if w.revised != nil {
		p, r := w.revised.Now()
		text = operationsInWords(p, r, w.taken)
	}
	return cmp.Or(text+w.labels.list(d.News(), w.ws.Secret), "(nothing)")
}

// operationsInWords lists for a model the operations of a revision and what has happened to
// them, without those that were taken out; "" for none.
func operationsInWords(p *plan.Plan, r *plan.Revision, taken []string) string {
	var b strings.Builder
	for i, status := range p.Operations(r) {
		o := &r.Operations[i]
		if slices.Contains(taken, o.ID) || status == string(plan.FileRejected) { // neither kind is staged any more
			continue
		}
		if b.Len() > maxShownAll {
			fmt.Fprintf(&b, "- and %s more\n", phrase.Count(len(r.Operations)-i, "operation"))
			break
		}
		what := strings.Join(append(r.PathsOf(o), o.Path), ", ")
		if o.IsCommand() {
			what = fmt.Sprintf("%q%s", o.Command, plan.InFolder(o.Folder()))
			if code := p.Progress.Command(o.ID).ExitCode; code != nil {
				status += fmt.Sprintf(", exit code %d", *code)
			}
		}
		fmt.Fprintf(&b, "- %s: %s %s (%s)\n", o.ID, o.Tool, strings.Trim(what, ", "), strings.ReplaceAll(status, "_", " "))
	}
	return b.String()
}

// TakeOut makes the draft again without the named operations: of the turn, or of the plan that
// is revised if none of its operations was carried out. The model reads its error.
func (w *work) TakeOut(ctx context.Context, from *draft.Draft, names []string) (*draft.Draft, error) {
	listed := w.Staged(from) // it labels operations that were staged since the last call
	var earlier []string     // of the plan
	for _, name := range names {
		switch {
		case slices.Contains(w.labels.of, name) || slices.Contains(earlier, name):
		case w.isOfPlan(name):
			earlier = append(earlier, name)
		default:
			return nil, fmt.Errorf("nothing is staged as %q; staged are:\n%s", name, listed)
		}
	}
	next := from.Park()
	var stays []plan.Operation
	var left []string
	for i, o := range next.Operations {
		if !slices.Contains(names, w.labels.of[i]) {
			stays, left = append(stays, o), append(left, w.labels.of[i])
		}
	}
	if name := dependsOn(next.Operations, w.labels.of, names); name != "" {
		return nil, fmt.Errorf("%s was staged after it in the same file and may rest on it; take %s out too, then stage again what is wanted of it", name, name)
	}
	next.Operations = stays
	begun, err := w.planWithout(ctx, earlier)
	if err != nil {
		return nil, err
	}
	d, lost, err := draft.Unpark(w.ws, next, begun, toolset.Replay(ctx, w.ws))
	if err != nil {
		return nil, err
	}
	if len(lost) > 0 {
		return nil, fmt.Errorf("%s cannot stay without it: %s", strings.TrimSpace(lost[0].Operation.Tool+" "+lost[0].Path), lost[0].Why)
	}
	d.ContinueFrom(from)
	w.labels.of, w.taken = left, append(w.taken, earlier...)
	w.before = len(d.Operations()) - len(d.News())
	return d, nil
}

// isOfPlan reports whether the plan that is revised has an operation that was not taken out.
func (w *work) isOfPlan(id string) bool {
	if w.revised == nil || slices.Contains(w.taken, id) {
		return false
	}
	_, ok := w.revised.Revision().Operation(id)
	return ok
}

// planWithout returns a function that resumes the draft from the plan that is revised, without
// the operations taken out so far and those in more. The model reads its error.
func (w *work) planWithout(ctx context.Context, ids []string) (func(draft.Reader) (*draft.Draft, error), error) {
	ids = slices.Concat(w.taken, ids)
	if len(ids) == 0 {
		return func(files draft.Reader) (*draft.Draft, error) { return w.revisions.draftFor(ctx, files, w.revised) }, nil
	}
	p, r := w.revised.Now()
	texts := w.store.Texts(ctx)
	rest, err := decide.Without(p, r, ids, texts, toolset.Replay(ctx, w.ws))
	if refused, ok := errors.AsType[*draft.Refusal](err); ok {
		return nil, fmt.Errorf("they stay: %w", refused)
	} else if err != nil {
		return nil, err
	}
	less := p.Clone()
	current, _ := less.Revision(r.Number)
	current.Operations, current.Changes = rest.Operations, rest.Changes
	return func(files draft.Reader) (*draft.Draft, error) {
		return draft.Resume(files, less, func(b plan.Blob) (string, error) {
			if text, ok := rest.Texts[b]; ok {
				return text, nil
			}
			return texts(b)
		})
	}, nil
}

// dependsOn returns the name of an operation that may depend on one in gone, "" for none. Such
// an operation is not itself in gone, and was staged later in the same file, so its place was
// found in a text with the other's change.
func dependsOn(operations []plan.Operation, names, gone []string) string {
	touched, all := map[string]bool{}, false
	for i, o := range operations {
		goes := slices.Contains(gone, names[i])
		switch {
		case o.IsCommand():
		case goes && (o.Path == "" || o.Tool == "rename_file"):
			all = true // it is about several files
		case goes:
			touched[o.Path] = true
		case all || touched[o.Path] || o.Path == "" && len(touched) > 0:
			return names[i]
		}
	}
	return ""
}

// reverting returns the tool that stages the undoing of applied changes of a plan. It returns no
// tool unless the conversation, or the session, has a plan with applied changes.
func (w *work) reverting() tool.Tool {
	t := tool.Revert(w.reversals)
	t.Unoffered = !w.Board.AnyApplied() && !w.appliedBefore()
	return t
}

// reversals implements [tool.Reversing].
func (w *work) reversals(ctx context.Context, n int, path, hunk string) (back []tool.Reversal, stays []string, err error) {
	d := view.Request{Plan: n}
	switch {
	case hunk != "":
		d.Hunks = []string{hunk}
	case path != "":
		d.Paths = []string{path}
	}
	found, stays, err := w.Decisions.Reversals(ctx, d)
	if err != nil {
		return nil, nil, w.notReversed(ctx, n, err)
	}
	for _, r := range found {
		if hunk != "" && path != "" && !concerns(r, path) {
			return nil, nil, fmt.Errorf("hunk %s of plan %d is in %s, not in %s; leave the path out", hunk, n, r.Change.Path, path)
		}
		back = append(back, tool.Reversal(r))
	}
	return back, stays, nil
}

// concerns reports whether a reversal changes the file at path.
func concerns(r decide.Reversal, path string) bool {
	return r.Change.Path == path || r.Change.NewPath == path
}

// notReversed explains to a model why nothing of a plan can be undone, and what to do.
func (w *work) notReversed(ctx context.Context, n int, err error) error {
	refused, ok := errors.AsType[*plan.Refusal](err)
	if !ok {
		return err
	}
	if refused.Kind == plan.NoSuchPlan {
		return fmt.Errorf("there is no plan %d in this workspace; ask the user which one is meant", n)
	}
	p, perr := w.Board.Find(ctx, n)
	if refused.Kind == plan.WrongState && perr == nil && !p.Plan().Applied() {
		what := "it was not approved, so there is nothing to take back"
		if p.Plan().State.Open() {
			what = "it waits for the user, who can reject it; unstage takes operations out of a plan that is reworked"
		}
		return fmt.Errorf("nothing of plan %d is applied: %s", n, what)
	}
	return errors.New(phrase.TrimStop(refused.Reason))
}

// appliedBefore reports whether a plan of the conversation has applied changes, including plans
// that the session does not hold but the request's report mentions.
func (w *work) appliedBefore() bool {
	kept, ok := w.reports.Load(w.turn.Conversation.ID)
	return ok && slices.ContainsFunc(kept.(madeReport).plans, (*plan.Plan).Applied)
}
