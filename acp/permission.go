package acp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	acp "github.com/coder/acp-go-sdk"

	"redline/agent"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/acpwire"
	"redline/internal/phrase"
)

// The options of a permission request.
const (
	approveFile = "approve-file"
	approveRest = "approve-rest"
	rejectFile  = "reject-file"
	rejectPlan  = "reject-plan"
	runCommand  = "run-command"
	dropCommand = "reject-command"
)

var fileOptions = []acp.PermissionOption{
	{OptionId: approveFile, Name: "Approve this file", Kind: acp.PermissionOptionKindAllowOnce},
	{OptionId: approveRest, Name: "Approve the rest of the plan", Kind: acp.PermissionOptionKindAllowAlways},
	{OptionId: rejectFile, Name: "Reject this file", Kind: acp.PermissionOptionKindRejectOnce},
	{OptionId: rejectPlan, Name: "Reject the plan", Kind: acp.PermissionOptionKindRejectAlways},
}

var commandOptions = []acp.PermissionOption{
	{OptionId: runCommand, Name: "Run this command", Kind: acp.PermissionOptionKindAllowOnce},
	{OptionId: dropCommand, Name: "Do not run it", Kind: acp.PermissionOptionKindRejectOnce},
	{OptionId: rejectPlan, Name: "Reject the plan", Kind: acp.PermissionOptionKindRejectAlways},
}

// errElsewhere is why nobody is asked any more about a plan.
var errElsewhere = errors.New("the plan has changed since it was shown")

// asked is a plan that the user is being asked about.
type asked struct {
	plan     int
	standing string
	stop     context.CancelCauseFunc
}

// standing is what the questions about a plan rest on: it differs once anything of it was decided on, or
// the plan has another revision.
func standing(v *view.Plan) string {
	var b strings.Builder
	fmt.Fprint(&b, v.Revision.Hash, " ", v.Plan.State.Decidable())
	for _, f := range v.Files {
		fmt.Fprint(&b, "; ", v.Mark(f).Move)
		for _, m := range f.Marks {
			fmt.Fprint(&b, " ", m.Status)
		}
	}
	fmt.Fprint(&b, "; ", v.Plan.Undecided(v.Revision).Commands)
	return b.String()
}

// planChanged ends the questions about a plan that has changed.
func (n *chatSession) planChanged(number int) {
	n.mu.Lock()
	p := n.running
	n.mu.Unlock()
	if p == nil {
		return
	}
	p.mu.Lock()
	q := p.asked
	p.mu.Unlock()
	if q == nil || q.plan != number {
		return
	}
	if v := n.place.agent.Board.ViewOf(number); v == nil || standing(v) != q.standing {
		q.stop(errElsewhere)
	}
}

// question is one permission request: about a file, or a command.
type question struct {
	call    acp.ToolCallUpdate
	file    string // the path in the plan, "" for a command
	command string // the id of the command, "" for a file
}

// decide asks the user about a plan, part by part, and carries out what was decided, as one decision.
// Unless the user has answered every question, nothing is decided, and the plan waits.
func (p *prompt) decide(number int) {
	n := p.session
	a := n.place.agent
	h, err := a.Board.Find(p.ctx, number)
	if err != nil {
		n.say(phrase.SentenceOf(err))
		return
	}
	v := a.Board.Seen(h)
	if !v.Plan.State.Decidable() {
		return
	}
	n.place.last.Store(n.id)
	n.place.applier.Refresh(p.ctx, pathsOf(v))
	v = a.Board.Seen(h)
	client, _ := n.place.server.ready()
	n.shown.note(number, v.Revision.Number, v.Revision.Hash)
	a.Session.Shown(number, v.Revision.Number, v.Revision.Hash, client.recorded())
	if v.Revision.TextOnly {
		n.say(fmt.Sprintf("Plan %d is in words: approve it with /approve %d to have its edits worked out; you will see them before anything changes.", number, number))
		return
	}
	if err := n.place.server.o.Forbidden.Check(number, view.ByPanel); err != nil {
		n.say(err.Error())
		return
	}
	questions, stale := n.questions(v)
	for _, text := range slices.Concat(n.remarks(v), stale) {
		n.say(text)
	}
	if len(questions) == 0 {
		n.say(waits(number))
		return
	}
	c := agent.Choice{Plan: number, Revision: v.Revision.Number, Hash: v.Revision.Hash, Way: view.ByPanel, Client: client.recorded()}
	if err := p.ask(v, questions, len(stale) == 0, &c); err != nil {
		for _, q := range questions {
			n.update(q.call.ToolCallId, acp.ToolCallStatusFailed, "")
		}
		n.say(notDecided(a.Board.ViewOf(number), number, err))
		return
	}
	p.carryOut(&c, questions)
}

// pathsOf returns the files that a plan touches.
func pathsOf(v *view.Plan) []string {
	var paths []string
	for _, f := range v.Files {
		paths = append(paths, f.Path)
	}
	return paths
}

// waits says how to decide on a plan elsewhere.
func waits(number int) string {
	return fmt.Sprintf("Plan %d waits: decide on it in your editor, with redline review %d, or after redline plans show %d.", number, number, number)
}

// notDecided says why the user was not asked any more.
func notDecided(v *view.Plan, number int, err error) string {
	switch {
	case !errors.Is(err, errElsewhere):
		return waits(number)
	case v != nil && v.Plan.State.Decidable():
		return view.NotAsShown(number).Error()
	case v != nil:
		return fmt.Sprintf("Plan %d was decided on elsewhere: it %s.", number, v.Plan.State.Predicate())
	}
	return fmt.Sprintf("Plan %d was decided on elsewhere.", number)
}

// ask asks all questions, and collects the answers. all says that there is a question for each part that
// is not decided.
func (p *prompt) ask(v *view.Plan, questions []question, all bool, c *agent.Choice) error {
	ctx, stop := context.WithCancelCause(p.ctx)
	defer stop(nil)
	p.mu.Lock()
	p.asked = &asked{c.Plan, standing(v), stop}
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		p.asked = nil
		p.mu.Unlock()
	}()
	p.session.planChanged(c.Plan) // since it was looked at
	rest := false
	for _, q := range questions {
		if rest && q.file != "" {
			c.Approve.Files = append(c.Approve.Files, q.file)
			continue
		}
		options := fileOptions
		if q.command != "" {
			options = commandOptions
		}
		switch answer, err := p.session.permission(ctx, q.call, options); {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return err
		case answer == approveFile:
			c.Approve.Files = append(c.Approve.Files, q.file)
		case answer == approveRest:
			rest = true
			c.Approve.Files = append(c.Approve.Files, q.file)
		case answer == rejectFile:
			c.Reject.Files = append(c.Reject.Files, q.file)
		case answer == runCommand:
			c.Run = append(c.Run, q.command)
		case answer == dropCommand:
			c.Drop = append(c.Drop, q.command)
		case answer == rejectPlan:
			c.Approve, c.Reject, c.Run, c.Drop = agent.Parts{}, agent.Parts{Whole: true}, nil, nil
			return nil
		}
	}
	if all && len(c.Reject.Files) == 0 && len(c.Approve.Files) > 0 {
		c.Approve = agent.Parts{Whole: true}
	} else if all && len(c.Approve.Files)+len(c.Run) == 0 && len(c.Reject.Files) > 0 {
		c.Reject, c.Drop = agent.Parts{Whole: true}, nil
	}
	return nil
}

// errNoAnswer is why a request has no answer that counts.
var errNoAnswer = errors.New("the client has not answered")

// permission asks one question, and returns the option that the user chose. Anything but the id of one of
// the options is no answer.
func (n *chatSession) permission(ctx context.Context, call acp.ToolCallUpdate, options []acp.PermissionOption) (string, error) {
	s := n.place.server
	n.tell(acp.SessionUpdate{ToolCall: &acp.SessionUpdateToolCall{
		ToolCallId: call.ToolCallId, Title: *call.Title, Kind: *call.Kind, Status: *call.Status,
		Content: call.Content, Locations: call.Locations, RawInput: call.RawInput,
	}})
	if err := s.conn.Room(ctx); err != nil {
		return "", err
	}
	raw, err := s.conn.Ask(ctx, acp.ClientMethodSessionRequestPermission, acp.RequestPermissionRequest{
		SessionId: acp.SessionId(n.id), ToolCall: call, Options: options,
	})
	if err != nil {
		return "", err
	}
	got, err := acpwire.Decode[acp.RequestPermissionResponse](raw, "outcome")
	if err != nil || got.Outcome.Selected == nil {
		return "", errNoAnswer
	}
	chosen := got.Outcome.Selected.OptionId
	if !slices.ContainsFunc(options, func(o acp.PermissionOption) bool { return o.OptionId == chosen }) {
		return "", errNoAnswer
	}
	return string(chosen), nil
}

// questions returns the questions about what is not decided of a plan: its files in order, then its
// commands. stale says which parts cannot be approved.
func (n *chatSession) questions(v *view.Plan) (all []question, stale []string) {
	number := v.Plan.Number
	for _, f := range v.Files {
		switch f.Status {
		case plan.FilePending:
			all = append(all, question{call: n.fileCall(v, f), file: f.Change.Path})
		case plan.FileStale:
			stale = append(stale, fmt.Sprintf("%s cannot be approved as shown: %s.", edits.VisibleLine(f.Path), phrase.TrimStop(f.Reason)))
		}
	}
	for _, id := range v.Plan.Undecided(v.Revision).Commands {
		o, ok := v.Revision.Operation(id)
		if !ok {
			continue
		}
		title, kind, status := edits.VisibleCommand(plan.CommandIn(o.Command, o.Folder())), acp.ToolKindExecute, acp.ToolCallStatusPending
		input := map[string]any{"command": edits.VisibleCommand(o.Command)}
		if o.Folder() != "" {
			input["cwd"] = o.Folder()
		}
		all = append(all, question{command: id, call: acp.ToolCallUpdate{
			ToolCallId: n.nextCall("plan-%d-%s", number, id), Title: &title, Kind: &kind, Status: &status, RawInput: input,
			Content: []acp.ToolCallContent{acp.ToolContent(acp.TextBlock(title))},
		}})
	}
	return all, stale
}

// fileCall describes what a plan does to one file, with its diff.
func (n *chatSession) fileCall(v *view.Plan, f *view.File) acp.ToolCallUpdate {
	c := f.Change
	old, now := f.Live.Text(), ""
	kind, title, at := acp.ToolKindEdit, "Change "+f.Path, f.Path
	switch c.Action {
	case plan.Create:
		old, now, title = "", f.Proposed, "Create "+f.Path
	case plan.Delete:
		kind, title = acp.ToolKindDelete, "Delete "+f.Path
	case plan.Rename:
		kind, title = acp.ToolKindMove, fmt.Sprintf("Move %s to %s", c.Path, c.NewPath)
		now, _ = f.ProposedNow()
	default:
		now, _ = f.ProposedNow()
	}
	title = edits.VisibleLine(title)
	status := acp.ToolCallStatusPending
	location := acp.ToolCallLocation{Path: n.place.path(at)}
	for i := range f.Len() {
		if h := f.Hunk(i); h.Status == plan.HunkPending {
			line := f.Live.LineOf(h.Span.Start) + 1
			location.Line = &line
			break
		}
	}
	call := acp.ToolCallUpdate{
		ToolCallId: n.nextCall("plan-%d-r%d", v.Plan.Number, v.Revision.Number), Title: &title, Kind: &kind, Status: &status,
		Content:   []acp.ToolCallContent{acp.ToolDiffContent(n.place.path(at), edits.Visible(now), edits.Visible(old))},
		Locations: []acp.ToolCallLocation{location},
	}
	return call
}

// carryOut carries out what the user has decided, and says what was done.
func (p *prompt) carryOut(c *agent.Choice, questions []question) {
	n := p.session
	a := n.place.agent
	n.mu.Lock()
	for _, q := range questions {
		if q.command != "" && slices.Contains(c.Run, q.command) {
			p.commands[q.command] = &running{id: q.call.ToolCallId}
		}
	}
	n.mu.Unlock()
	approved := func(q question) bool {
		return c.Approve.Whole && q.file != "" || slices.Contains(c.Approve.Files, q.file)
	}
	for _, q := range questions {
		if approved(q) {
			n.update(q.call.ToolCallId, acp.ToolCallStatusInProgress, "")
		}
	}
	ran := make(chan error, 1)
	ctx := context.WithoutCancel(p.ctx) // what was approved is carried out
	if v := a.Board.ViewOf(c.Plan); v != nil {
		n.place.last.Store(n.id)
		n.place.applier.Refresh(ctx, pathsOf(v)) // somebody may have typed since they were asked
	}
	err := a.CarryOut(ctx, *c, func(err error) { ran <- err })
	if err == nil {
		select {
		case <-p.ctx.Done(): // commands are still running: they are cancelled
			p.await("")
			err = <-ran
		case err = <-ran:
		}
		p.await("") // a report
	}
	now, failed := a.Board.PlanState(ctx, c.Plan)
	if failed != nil {
		n.say(phrase.SentenceOf(failed))
		return
	}
	n.place.news.catchUp() // the client shows nothing after the prompt
	for _, q := range questions {
		status, why := outcome(&now, q)
		n.update(q.call.ToolCallId, status, why)
	}
	n.say(closing(&now, err))
}

// outcome returns how the part of a plan ended that a question is about.
func outcome(p *state.Plan, q question) (acp.ToolCallStatus, string) {
	if q.command != "" {
		for _, c := range p.Commands {
			switch {
			case c.ID != q.command:
			case c.Status == string(plan.CommandSucceeded):
				return acp.ToolCallStatusCompleted, edits.Visible(c.Output)
			default:
				return acp.ToolCallStatusFailed, edits.Visible(strings.TrimSpace(c.Output + "\n" + reason(c.Status, c.Reason)))
			}
		}
	}
	for _, f := range p.Files {
		switch {
		case f.Path != q.file && f.NewPath != q.file:
		case f.Status == string(plan.FileApplied):
			return acp.ToolCallStatusCompleted, ""
		default:
			return acp.ToolCallStatusFailed, edits.Visible(reason(f.Status, f.Reason))
		}
	}
	return acp.ToolCallStatusFailed, ""
}

// reason says in one sentence what the status of a part is, and why.
func reason(status, why string) string {
	if why != "" {
		status += ": " + why
	}
	return phrase.OneSentence(phrase.Sentence(status))
}

// closing says how a plan is after a decision, and what was not done.
func closing(p *state.Plan, err error) string {
	var lines []string
	if refused, ok := plan.RefusalOf(err); err != nil && ok {
		lines = append(lines, refused.Reason)
	} else if err != nil {
		lines = append(lines, phrase.SentenceOf(err))
	}
	for _, f := range p.Files {
		if f.Reason != "" && f.Status != string(plan.FileApplied) {
			lines = append(lines, fmt.Sprintf("%s: %s.", f.Path, phrase.TrimStop(f.Reason)))
		}
	}
	if plan.State(p.State).Decidable() && plan.State(p.State) != plan.Failed {
		lines = append(lines, waits(p.Plan))
	} else {
		lines = append(lines, fmt.Sprintf("Plan %d %s.", p.Plan, plan.State(p.State).Predicate()))
	}
	return strings.Join(lines, "\n\n")
}
