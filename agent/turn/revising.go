package turn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"redline/agent/board"
	"redline/agent/decide"
	"redline/agent/draft"
	"redline/agent/plan"
	"redline/agent/tool"
	"redline/agent/toolset"
	"redline/internal/phrase"
	"redline/workspace/secrets"
)

// revising is the revision that a turn makes: the plan that it revises, and what it has changed of
// it. Only the turn's goroutine uses it.
type revising struct {
	revisions *revisions
	turn      *turn
	plan      *board.Held // the plan that is revised; nil if the turn begins one
	before    int         // how many operations the draft had at first
	labels    labels      // names of the operations that the turn has staged
	taken     []string    // ids of the plan's operations that the turn has taken out
}

// open returns the draft of a turn, and opens the conversation's undecided plan for a new revision
// if there is one. Call end when the turn is over.
func (r *revising) open(ctx context.Context) (d *draft.Draft, err error) {
	if r.plan, err = r.revisions.begin(r.turn, false); err != nil {
		return nil, err
	}
	if r.turn.continued != nil {
		d, err = r.resume(ctx)
	} else if d, err = r.revisions.draftFor(ctx, r.revisions.ws, r.plan); err == nil {
		r.before = len(d.Operations())
	}
	if err != nil {
		r.end()
	}
	return d, err
}

// end gives the plan that was opened its state back, unless it has a new revision.
func (r *revising) end() { r.revisions.end(r.plan) }

// staged reports whether the turn has changed what the draft d had at first.
func (r *revising) staged(d *draft.Draft) bool {
	return len(d.Operations()) > r.before || len(r.taken) > 0
}

// hasEdits reports whether the plan that is revised has edits; a plan in words has none.
func (r *revising) hasEdits() bool { return r.plan != nil && !r.plan.Revision().TextOnly }

// resume restores the draft of a turn that continues, on the current files and plan. It
// reports operations that can no longer be staged to the model and the user.
func (r *revising) resume(ctx context.Context) (*draft.Draft, error) {
	c, h := r.turn.continued, r.plan
	r.labels, r.taken = labels{}, nil
	same := c.parked.Plan == 0
	if h != nil {
		same = c.parked.Plan == h.Plan().Number && c.parked.Revision == h.Plan().Current
	}
	if !same { // the plan has changed since the question
		d, err := r.revisions.draftFor(ctx, r.revisions.ws, h)
		if err == nil {
			upon := "the files as they are now"
			if h != nil {
				upon = uponRevision(h.Plan())
			}
			r.before = len(d.Operations())
			c.lost = r.revisions.stageAgain(ctx, r.turn, d, c.parked.Plan, upon, c.parked.Draft.Operations)
			d.Refuse(c.parked.Draft.Refused...)
		}
		return d, err
	}
	r.taken = c.parked.Taken
	begun, err := r.without(ctx, nil)
	if err != nil {
		return nil, err
	}
	d, lost, err := draft.Unpark(r.revisions.ws, c.parked.Draft, begun, toolset.Replay(ctx, r.revisions.ws))
	if err != nil {
		return nil, err
	}
	for _, l := range lost {
		text := fmt.Sprintf("%s could not be staged again: %s.", strings.TrimSpace(l.Operation.Tool+" "+l.Path), phrase.TrimStop(strings.TrimPrefix(l.Why, "error: ")))
		c.lost = append(c.lost, text)
		r.turn.Warn(text)
	}
	r.before = len(d.Operations()) - len(d.News())
	return d, nil
}

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

// unstaging returns the tool that takes operations out of the draft of env again.
func (r *revising) unstaging(ctx context.Context, env *tool.Env) tool.Tool {
	return tool.Unstage(func(names []string) (string, error) {
		d, err := r.takeOut(ctx, env.Draft, names)
		if err != nil {
			return "", err
		}
		env.Draft = d
		return "taken out; staged are now:\n" + r.list(d), nil
	})
}

// list lists the operations in a draft: those of the plan that is revised, without their arguments,
// and those of the turn.
func (r *revising) list(d *draft.Draft) string {
	text := ""
	if r.plan != nil {
		p, current := r.plan.Now()
		text = operationsInWords(p, current, r.taken)
	}
	return cmp.Or(text+r.labels.list(d.News(), r.revisions.ws.Secret), "(nothing)")
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

// takeOut makes the draft again without the named operations: of the turn, or of the plan that
// is revised if none of its operations was carried out. The model reads its error.
func (r *revising) takeOut(ctx context.Context, from *draft.Draft, names []string) (*draft.Draft, error) {
	listed := r.list(from) // it labels operations that were staged since the last call
	var earlier []string   // of the plan
	for _, name := range names {
		switch {
		case slices.Contains(r.labels.of, name) || slices.Contains(earlier, name):
		case r.has(name):
			earlier = append(earlier, name)
		default:
			return nil, fmt.Errorf("nothing is staged as %q; staged are:\n%s", name, listed)
		}
	}
	next := from.Park()
	var stays []plan.Operation
	var left []string
	for i, o := range next.Operations {
		if !slices.Contains(names, r.labels.of[i]) {
			stays, left = append(stays, o), append(left, r.labels.of[i])
		}
	}
	if name := dependsOn(next.Operations, r.labels.of, names); name != "" {
		return nil, fmt.Errorf("%s was staged after it in the same file and may rest on it; take %s out too, then stage again what is wanted of it", name, name)
	}
	next.Operations = stays
	begun, err := r.without(ctx, earlier)
	if err != nil {
		return nil, err
	}
	d, lost, err := draft.Unpark(r.revisions.ws, next, begun, toolset.Replay(ctx, r.revisions.ws))
	if err != nil {
		return nil, err
	}
	if len(lost) > 0 {
		return nil, fmt.Errorf("%s cannot stay without it: %s", strings.TrimSpace(lost[0].Operation.Tool+" "+lost[0].Path), lost[0].Why)
	}
	d.ContinueFrom(from)
	r.labels.of, r.taken = left, append(r.taken, earlier...)
	r.before = len(d.Operations()) - len(d.News())
	return d, nil
}

// has reports whether the plan that is revised has an operation that was not taken out.
func (r *revising) has(id string) bool {
	if r.plan == nil || slices.Contains(r.taken, id) {
		return false
	}
	_, ok := r.plan.Revision().Operation(id)
	return ok
}

// without returns a function that resumes the draft from the plan that is revised, without
// the operations taken out so far and those in more. The model reads its error.
func (r *revising) without(ctx context.Context, ids []string) (func(draft.Reader) (*draft.Draft, error), error) {
	ids = slices.Concat(r.taken, ids)
	if len(ids) == 0 {
		return func(files draft.Reader) (*draft.Draft, error) { return r.revisions.draftFor(ctx, files, r.plan) }, nil
	}
	p, revision := r.plan.Now()
	texts := r.revisions.store.Texts(ctx)
	rest, err := decide.Without(p, revision, ids, texts, toolset.Replay(ctx, r.revisions.ws))
	if refused, ok := errors.AsType[*draft.Refusal](err); ok {
		return nil, fmt.Errorf("they stay: %w", refused)
	} else if err != nil {
		return nil, err
	}
	less := p.Clone()
	current, _ := less.Revision(revision.Number)
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
