package command

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"go.lsp.dev/protocol"

	"redline/agent"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/wire"
	"redline/lsp/apply"
	"redline/lsp/backend"
	"redline/lsp/pages"
	"redline/lsp/position"
)

// ShowArgs is the argument of redline.show. Prompt is for Redline's own actions: text that
// begins a request in the chat file. Revision and Hash name what an action was offered for; the
// newest revision is shown all the same.
type ShowArgs struct {
	Plan     int    `json:"plan,omitempty"`     // the number of the plan
	Revision int    `json:"revision,omitempty"` // taken, as a code action carries it; what is shown is the newest
	Hash     string `json:"hash,omitempty"`     // likewise
	View     string `json:"view,omitempty"`     // `"plan"`, the preview (the default with a plan), `"chat"` (the default without), `"trace"`, `"edit"`, `"compare"` or `"change"`
	From     int    `json:"from,omitempty"`     // of the view compare: the revision to compare, instead of the one before `to`
	To       int    `json:"to,omitempty"`       // of the view compare: the revision to compare it with, instead of the newest
	Turn     string `json:"turn,omitempty"`     // of a trace: which turn, instead of the plan's last one, or of the last turn of all
	Path     string `json:"path,omitempty"`     // of a change: its file
	Hunk     string `json:"hunk,omitempty"`     // of a change: which one of the file
	Prompt   string `json:"prompt,omitempty"`   // of the chat: a text to begin a request with
}

// ShowPlan returns the argument that shows the preview of a plan.
func ShowPlan(p *view.Plan) ShowArgs {
	return ShowArgs{Plan: p.Plan.Number, Revision: p.Revision.Number, Hash: p.Revision.Hash, View: "plan"}
}

// shownAt is the result of redline.show.
type shownAt struct {
	URI string `json:"uri"`
}

// Show opens the preview of a plan, the chat file or a trace if the client can show documents.
// The result has its URI.
func (r *Runner) Show(args ShowArgs) (wire.Run, error) {
	if args.View == "" {
		if args.View = "chat"; args.Plan != 0 {
			args.View = "plan"
		}
	}
	switch args.View {
	case "chat":
	case "change":
		if err := needsPlan(Show, args.Plan); err != nil {
			return nil, err
		}
		return r.showChange(args)
	case "plan", "edit", "compare":
		if err := needsPlan(Show, args.Plan); err != nil {
			return nil, err
		}
		if args.View == "compare" {
			return r.compare(args)
		}
		if args.View == "edit" {
			return r.Backend.Run(func(ctx context.Context, a *agent.Agent) (any, error) { return r.showEdit(ctx, a, args.Plan) }), nil
		}
	case "trace":
		if args.Turn == "" && args.Plan != 0 {
			args.Turn = strconv.Itoa(args.Plan)
		}
	default:
		return nil, backend.InvalidParams(fmt.Sprintf("%s: there is no view %.40q: use \"plan\", \"chat\", \"trace\", \"edit\", \"compare\" or \"change\".", Show, args.View))
	}
	return r.Backend.Run(func(ctx context.Context, a *agent.Agent) (any, error) {
		var path string
		var err error
		switch args.View {
		case "chat":
			path, err = a.Chat.Prepare(args.Prompt)
		case "trace":
			path, err = a.Traces.Open(ctx, args.Turn)
		default:
			path, err = r.openPlan(ctx, a, args.Plan)
		}
		if err != nil {
			return nil, err
		}
		uri := r.Pages.URI(path)
		r.Conn.Go("show", func(ctx context.Context) {
			if !r.Window.ShowDocument(ctx, uri, nil, true) {
				r.Window.Info("open " + r.Pages.Name(path) + ".")
			}
		})
		return shownAt{uri}, nil
	}), nil
}

// openPlan writes the preview of a plan and records that its revision was shown.
func (r *Runner) openPlan(ctx context.Context, a *agent.Agent, n int) (path string, err error) {
	if path, err = a.Previews.OpenPlan(ctx, n); err != nil {
		return "", err
	}
	p, err := a.Board.PlanState(ctx, n)
	if err == nil {
		r.Shown.Note(n, p.Revision, p.Hash)
	}
	return path, err
}

// shownEdit is the result of redline.show with the view "edit".
type shownEdit struct {
	Edit    json.RawMessage `json:"edit"`              // a WorkspaceEdit
	Stale   []string        `json:"stale,omitempty"`   // hunks that fit nowhere now
	Omitted []apply.Omitted `json:"omitted,omitempty"` // files that the edit leaves out, or does not change completely
}

// showEdit returns the undecided part of a plan as a WorkspaceEdit of the current texts (LSP
// 3.18, "WorkspaceEdit"), for a client that previews it itself. It changes nothing.
func (r *Runner) showEdit(ctx context.Context, a *agent.Agent, n int) (any, error) {
	changes, stale, err := a.Pending(ctx, n)
	if err != nil {
		return nil, err
	}
	shown := shownEdit{Stale: stale}
	edit, left := r.Preview(changes)
	shown.Omitted = left
	if shown.Edit, err = protocol.Marshal(edit); err != nil {
		return nil, err
	}
	if names := shown.left(); len(names) > 0 {
		r.Window.Info(fmt.Sprintf("plan %d: the edit leaves out %s.", n, strings.Join(names, ", ")))
	}
	return shown, nil
}

// left returns the names of the hunks and files that the edit leaves out, for a message.
func (e shownEdit) left() []string {
	var names []string
	for _, id := range e.Stale {
		names = append(names, id+" (stale)")
	}
	for _, o := range e.Omitted {
		names = append(names, o.Path+" ("+strings.TrimSuffix(o.Reason, ".")+")")
	}
	return names
}

// showChange puts the cursor where a proposed change is in its file now, if the client can show
// documents, and else says where that is. It refuses a change that is not there any more: a menu
// may be older than what it offers.
func (r *Runner) showChange(args ShowArgs) (wire.Run, error) {
	snapshot := r.Backend.Snapshot()
	return r.Backend.Run(func(context.Context, *agent.Agent) (any, error) {
		p := snapshot.Plan(args.Plan)
		if p == nil {
			return nil, plan.Refuse(plan.NoSuchPlan, "There is no plan %d.", args.Plan)
		}
		f := p.File(args.Path)
		if f == nil {
			return nil, plan.Refuse(plan.Invalid, "Plan %d does not change %s.", args.Plan, args.Path)
		}
		for _, h := range f.Undecided {
			if h.ID != args.Hunk {
				continue
			}
			uri, at := f.URI, r.Positions.Range(f.Live, edits.Span{Start: h.Span.Start, End: h.Span.Start})
			r.Conn.Go("show", func(ctx context.Context) {
				if !r.Window.ShowDocument(ctx, uri, &protocol.Range{Start: at.Start, End: at.Start}, true) {
					r.Window.Info(fmt.Sprintf("look at %s, line %d.", f.Path, at.Start.Line+1))
				}
			})
			return shownAt{uri}, nil
		}
		return nil, plan.Refuse(plan.Invalid, "Change %s of plan %d is already decided.", args.Hunk, args.Plan)
	}), nil
}

// shownComparison is the result of redline.show with the view "compare".
type shownComparison struct {
	Plan       int            `json:"plan"`       // the number of the plan
	From       int            `json:"from"`       // the one revision
	To         int            `json:"to"`         // the other one
	Operations []string       `json:"operations"` // a line for each operation that was removed, changed or added
	Files      []comparedFile `json:"files"`      // the files in which they differ
}

// comparedFile is a file in which two revisions differ.
type comparedFile struct {
	Path    string   `json:"path"`              // the file, from the workspace's root
	From    string   `json:"from"`              // the URI of its text in the one revision; empty text where there is no file
	To      string   `json:"to"`                // the URI of its text in the other one
	NoPlace []string `json:"noPlace,omitempty"` // hunks of `from` that have no place in the text that `to` is made from
}

// compare returns the files in which two revisions of a plan differ, and where their texts are, for
// a client that shows the difference itself. It opens nothing.
func (r *Runner) compare(args ShowArgs) (wire.Run, error) {
	if args.From < 0 || args.To < 0 {
		return nil, backend.InvalidParams(Show + `: "from" and "to" must be numbers of revisions, 1 or more.`)
	}
	return r.Backend.Run(func(ctx context.Context, a *agent.Agent) (any, error) {
		p, err := a.Board.PlanState(ctx, args.Plan)
		if err != nil {
			return nil, err
		}
		to := cmp.Or(args.To, p.Revision)
		from := cmp.Or(args.From, max(to-1, 1))
		c, err := a.Compare(ctx, args.Plan, from, to)
		if err != nil {
			return nil, err
		}
		result := shownComparison{Plan: args.Plan, From: from, To: to, Operations: append([]string{}, c.Operations...), Files: []comparedFile{}}
		for _, f := range c.Files {
			was, is := pages.ComparedNames(args.Plan, from, to, f.Path)
			result.Files = append(result.Files, comparedFile{Path: f.Path, From: was.String(), To: is.String(), NoPlace: f.NoPlace})
		}
		return result, nil
	}), nil
}

type stateArgs struct {
	All bool `json:"all,omitempty"` // all plans of the workspace; else the open ones and the last 20
}

// state returns the plans, the turns of this session and the model, and records that the client
// was shown the plans. If no folder is open, there are no plans.
func (r *Runner) state(args stateArgs) (wire.Run, error) {
	return func(ctx context.Context) (any, error) {
		if r.Backend.Agent() != nil && len(r.Workspace.Folders()) == 0 {
			return state.State{Plans: []state.Plan{}, Turns: []state.Turn{}, Model: r.Backend.Agent().ModelState(), Trials: state.TrialsNone}, nil
		}
		a, err := r.Backend.Ready(ctx)
		if err != nil {
			return nil, err
		}
		state, err := a.State(ctx, args.All)
		if err != nil {
			return nil, err
		}
		for _, p := range state.Plans {
			r.noteShown(p)
		}
		state.Plans = r.Positions.Plans(state.Plans)
		state.Trials, state.Checks = a.Trials.Standing().State(), a.Trials.ChecksKnown()
		return state, nil
	}, nil
}

// HunksArgs is the argument of redline.hunks.
type HunksArgs struct {
	TextDocument position.TextDocument `json:"textDocument"` // the document: `{uri}`
}

// DocumentHunks is the result of redline.hunks.
type DocumentHunks struct {
	Hunks []DocumentHunk `json:"hunks"`
}

// DocumentHunk is one undecided hunk of a document, with all that a client needs to show it in
// the text and to decide on it. The range is in the negotiated encoding. The texts are exact,
// unlike those of a diagnostic.
type DocumentHunk struct {
	Plan     int         `json:"plan"`             // the number of its plan
	Revision int         `json:"revision"`         // its revision
	Hash     string      `json:"hash"`             // the approval hash of that revision
	Path     string      `json:"path"`             // the file, from the workspace's root
	Hunk     string      `json:"hunk"`             // its name, `h1`
	Status   string      `json:"status"`           // pending or stale
	Reason   string      `json:"reason,omitempty"` // why it is stale, in a sentence
	Action   string      `json:"action"`           // the change of its file: create, update, rename or delete
	Range    state.Range `json:"range"`            // whole lines of the text that the client had when it asked; empty if it only inserts
	OldText  string      `json:"oldText"`          // the present text of the range, byte for byte
	NewText  string      `json:"newText"`          // the text that would replace it, byte for byte
	Rows     []state.Row `json:"rows,omitempty"`   // the lines of both texts, as they are drawn; absent if it is stale
	Match    string      `json:"match,omitempty"`  // how its place was found
}

// Hunks returns the undecided hunks of one document, by plan and position, as they are when the
// request arrives.
func (r *Runner) Hunks(args HunksArgs) (wire.Run, error) {
	if args.TextDocument.URI == "" {
		return nil, backend.InvalidParams(Hunks + `: say of which document: {"textDocument":{"uri":"file:///…"}}.`)
	}
	at := r.Locations.Find(args.TextDocument.URI, protocol.Range{})
	return func(context.Context) (any, error) {
		result := DocumentHunks{Hunks: []DocumentHunk{}}
		for p, f := range at.Files {
			for _, h := range f.Undecided {
				var rows []state.Row
				if h.Status != plan.HunkStale {
					rows = r.Positions.Rows(h.OldText, h.NewText)
				}
				result.Hunks = append(result.Hunks, DocumentHunk{
					Plan: p.Plan.Number, Revision: p.Revision.Number, Hash: p.Revision.Hash,
					Path: f.Change.Path, Hunk: h.ID, Status: string(h.Status), Reason: h.Reason, Action: string(f.Change.Action),
					Range:   r.Positions.HunkRange(f.Live, h.Span),
					OldText: h.OldText, NewText: h.NewText, Rows: rows, Match: h.Match,
				})
			}
		}
		return result, nil
	}, nil
}

type commentArgs struct {
	Plan int    `json:"plan"`           // the number of the plan
	Path string `json:"path"`           // the file
	Line int    `json:"line"`           // the line, from 1, of the file as the plan leaves it
	Side string `json:"side,omitempty"` // `old`: the line is one of the text before the change
	Text string `json:"text"`           // what to say about it
}

// comment stores what the user says about a line of a plan. The next rework sends it to the
// model. Its result is the plan.
func (r *Runner) comment(args commentArgs) (wire.Run, error) {
	if err := needsPlan(Comment, args.Plan); err != nil {
		return nil, err
	}
	return r.Backend.Run(func(ctx context.Context, a *agent.Agent) (any, error) {
		_, err := a.Comments.Add(ctx, args.Plan, plan.Comment{
			Path: args.Path, Line: args.Line, Side: plan.CommentSide(args.Side), Text: args.Text, Author: plan.AuthorUser,
		})
		if err != nil {
			return r.planResult(state.Plan{}, err)
		}
		return r.planResult(a.Board.PlanState(ctx, args.Plan))
	}), nil
}

type rateArgs struct {
	Plan   int `json:"plan"`   // the number of the plan
	Rating int `json:"rating"` // from 1 (bad) to 5 (good)
}

// rate stores the user's rating of a plan. Its result is the plan.
func (r *Runner) rate(args rateArgs) (wire.Run, error) {
	if err := needsPlan(Rate, args.Plan); err != nil {
		return nil, err
	}
	if args.Rating < plan.RatedBad || args.Rating > plan.RatedGood {
		return nil, backend.InvalidParams(fmt.Sprintf(`%s: "rating" must be a number from %d to %d.`, Rate, plan.RatedBad, plan.RatedGood))
	}
	return r.Backend.Run(func(ctx context.Context, a *agent.Agent) (any, error) {
		return r.planResult(a.Rate(ctx, args.Plan, args.Rating))
	}), nil
}
