package turn

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"redline/agent/chat"
	"redline/agent/conversation"
	"redline/agent/draft"
	"redline/agent/outside"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/store"
	"redline/agent/trace"
	"redline/agent/trial"
	"redline/agent/view"
	"redline/internal/phrase"
	"redline/workspace"
)

// with returns the name of the outside agent that does the work of a turn, "" for Redline's own model. A
// plan in words is the model's, and so is what follows from one.
func (w *work) with() string {
	m := &w.turn.request
	name := cmp.Or(w.choices.With, w.settings.OutsideDefault)
	switch {
	case name == conversation.Own, m.Report != 0, m.Revise != 0 && w.revisions.inWords(w.turn):
		return ""
	case m.Mode == "text" || m.Mode == "heap", m.Mode == "" && (w.mode() == "text" || w.mode() == "heap"):
		return ""
	}
	return name
}

// Outsiders are the outside agents of a session, and where they may work. Its methods may be called from
// any goroutine.
type Outsiders struct {
	ws       *workspace.Workspace
	store    *store.Store
	settings OutsideOptions
}

// Agents returns the outside agents that can be used here, for clients.
func (o *Outsiders) Agents(ctx context.Context) []state.Outside {
	var all []state.Outside
	for _, a := range o.settings.OutsideAgents {
		p, err := a.Find(os.Getenv("PATH"), o.folders())
		if err != nil {
			continue
		}
		allowed, err := o.allowed(ctx, a.Name, a.Reach(p), placesOf(o.folders()))
		all = append(all, state.Outside{Name: a.Name, Program: p.Real, Allowed: allowed && err == nil, Default: a.Name == o.settings.OutsideDefault})
	}
	return all
}

// folders returns the folders of the workspace.
func (o *Outsiders) folders() (dirs []string) {
	for _, f := range o.ws.Folders() {
		dirs = append(dirs, f.Dir)
	}
	return dirs
}

// find returns an agent and its program.
func (o *Outsiders) find(name string) (a outside.Agent, p outside.Program, err error) {
	if o.settings.OutsideAgent == nil {
		return a, p, plan.Refuse(plan.Invalid, "There is no outside agent %s.", name)
	}
	if a, err = o.settings.OutsideAgent(name); err == nil {
		p, err = a.Find(os.Getenv("PATH"), o.folders())
	}
	if err != nil {
		err = plan.Refuse(plan.Invalid, "%s", phrase.SentenceOf(err))
	}
	return a, p, err
}

// knows refuses a name of who is to work in a conversation that means nobody.
func (o *Outsiders) knows(name string) error {
	if name == "" || name == conversation.Own {
		return nil
	}
	_, _, err := o.find(name)
	return err
}

// Names returns what /with can name.
func (o *Outsiders) Names() []string {
	var names []string
	for _, a := range o.settings.OutsideAgents {
		if _, err := a.Find(os.Getenv("PATH"), o.folders()); err == nil {
			names = append(names, a.Name)
		}
	}
	return append(names, conversation.Own)
}

// with changes who works in a conversation if the command names somebody, and answers who does.
func (cs slashCommands) with(ctx context.Context, t *conversation.Turn, s chat.Slash) (string, error) {
	chosen, err := cs.choose(ctx, t, s, func(name string) error {
		err := cs.Outsiders.knows(name)
		if err == nil {
			cs.Conversations.ChooseWith(t.Conversation, name)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	name, others := cmp.Or(chosen.With, cs.settings.OutsideDefault, conversation.Own), "There are "+phrase.And(cs.Outsiders.Names())+"."
	when := ""
	if len(s.Args) > 0 {
		when, others = ", from the next message on", ""
	}
	if name == conversation.Own {
		return strings.TrimSpace(fmt.Sprintf("Redline's own model works in this conversation%s. %s", when, others)), nil
	}
	answer := fmt.Sprintf("%s works in this conversation%s, in a copy of the workspace; /with model goes back.", name, when)
	if a, p, err := cs.Outsiders.find(name); err == nil {
		places := placesOf(cs.Outsiders.folders())
		if allowed, err := cs.Outsiders.allowed(ctx, a.Name, a.Reach(p), places); err == nil && !allowed {
			answer += fmt.Sprintf("\n\n%s You are asked before it works here; `redline outside allow %s` allows it too.", a.Words(a.Reach(p), inWords(places)), name)
		}
	}
	return strings.TrimSpace(answer + "\n\n" + others), nil
}

// handleOutside has an outside agent work on a copy of the workspace. What it has changed there becomes
// a revision.
func handleOutside(ctx context.Context, w *work) error {
	a, program, err := w.Outsiders.find(w.with())
	if err != nil {
		return err
	}
	if w.Trials == nil {
		return plan.Refuse(plan.NotAllowed, "There are no copies of the workspace here, so %s cannot work.", a.Name)
	}
	if err := w.Trials.Shows(program.Argv[0]); err != nil {
		return plan.Refuse(plan.NotAllowed, "%s cannot work here: %s.", a.Name, err)
	}
	if err := w.mayWork(ctx, a, a.Reach(program)); err != nil {
		return err
	}
	allowed := a.Reach(program).Key() // a link may lead elsewhere than before the user was asked
	now, program, err := w.Outsiders.find(a.Name)
	if err != nil || now.Reach(program).Key() != allowed {
		return plan.Refuse(plan.NotAllowed, "%s is another program than when it was allowed: ask again.", a.Name)
	}
	w.turn.Update(func(r *conversation.Result) { r.With = a.Name })
	o := &outsideTurn{work: w, agent: a, program: program, talk: &outside.Talk{}, from: asFound{w.ws, map[string]workspace.File{}}, answers: w.turn.request.Mode == "ask" || w.turn.request.Mode == "" && w.mode() == "ask"}
	return o.run(ctx)
}

// outsideTurn is a turn whose work an outside agent does.
type outsideTurn struct {
	*work
	agent   outside.Agent
	program outside.Program
	talk    *outside.Talk
	heard   *heard
	from    asFound
	answers bool // it only answers: what it changes is thrown away

	mu      sync.Mutex
	printed []byte // the end of what its command has printed on stdout; on stderr, if it speaks ACP
}

func (o *outsideTurn) run(ctx context.Context) (err error) {
	w, t := o.work, o.turn
	if !o.answers {
		if w.revising.plan, err = w.revisions.begin(t, false); err != nil {
			return err
		}
		defer w.revising.end()
	}
	d, err := w.revisions.draftFor(ctx, o.from, w.revising.plan)
	if err != nil {
		return err
	}
	texts := view.UnsavedTexts(w.ws).WithDraft(d)
	o.begin(ctx, d)
	o.step(o.agent.Name + " works in a copy")
	found, err := w.Trials.Capture(ctx, o.copy(ctx, texts), trial.TellBy(o.hear))
	o.heard.end()
	if err != nil {
		o.leave(ctx, "it is not known")
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return plan.Refuse(plan.NotAllowed, "%s", strings.TrimSpace(phrase.Sentence(phrase.TrimStop(err.Error()))+" "+o.lastWords()))
	}
	o.note(found)
	undone := plan.Unfinished{Refused: plan.FirstNotCarried(found.NotCarried), Stopped: o.stopped(found)}
	t.Update(func(r *conversation.Result) { r.Unfinished = undone })
	message := o.message()
	if changed := len(found.Files) + len(found.NotCarried); changed == 0 && undone.Stopped != "" {
		o.leave(ctx, "")
		return plan.Refuse(plan.ApplyFailed, "%s", o.failed(undone.Stopped, found))
	}
	said := []string{message, o.heard.ranInWords(), strings.Join(o.talk.End.Refused, " "), found.Sentence(), found.OfState()}
	if o.answers && len(found.Files)+len(found.NotCarried) > 0 {
		undone.Refused = nil // thrown away with the rest
		t.Update(func(r *conversation.Result) { r.Unfinished = undone })
		o.leave(ctx, "it was a question")
		said = []string{message, fmt.Sprintf("What %s has changed in its copy (%s) was thrown away, since this was a question.", o.agent.Name, phrase.Count(len(found.Files)+len(found.NotCarried), "file")), found.Network.Sentence(), found.OfState()}
	} else if err := many(ctx, w, len(found.Files)); err != nil {
		o.leave(ctx, "the user did not want as much")
		return err
	}
	if !o.answers && len(found.Files) > 0 {
		err := o.keep(ctx, d, found, said, undone)
		lost := ""
		if err != nil {
			lost = "no plan could be made of it"
		}
		o.leave(ctx, lost)
		return err
	}
	if !o.answers || len(found.Files)+len(found.NotCarried) == 0 {
		o.leave(ctx, "")
	}
	w.remember(cmp.Or(withUndone(joined(said), undone), o.agent.Name+" changed nothing."))
	return nil
}

// keep makes a revision of what the agent has changed.
func (o *outsideTurn) keep(ctx context.Context, d *draft.Draft, found *trial.Captured, said []string, undone plan.Unfinished) error {
	has := d.Files()
	for _, f := range found.Files {
		if _, staged := has[f.Path]; !staged { // the draft knows what it has staged itself
			o.from.files[f.Path] = f.Base
		}
	}
	if err := stageCaptured(d, found.Files); err != nil {
		return err
	}
	if o.turn.request.Comment != nil {
		if err := removeComment(d, o.turn.request); err != nil {
			said = append(said, commentStays(o.turn.request, err))
		}
	}
	sealed, err := d.Seal(o.revisions.liveText)
	if err != nil {
		return err
	}
	made := fmt.Sprintf("Made by %s %s.", o.agent.Name, found.MadeIn())
	said = append([]string{made}, append(said, sealed.Notes...)...)
	description := withUndone(joined(said), undone)
	if o.revising.plan == nil && sealed.Empty() {
		o.remember(description)
		return nil
	}
	o.check(ctx, d)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	n := newRevision{turn: o.turn, draft: d, Revision: plan.Revision{
		Author: authorOf(o.agent.Name, found), Created: o.Session.Now().UTC(), Description: description, Tokens: plan.Tokens(o.turn.Result().Usage),
		Steps: stepsOf(o.turn, d), Unfinished: undone,
	}}.with(sealed)
	if err := o.revisions.keep(ctx, o.revising.plan, n); err != nil {
		return err
	}
	o.remember(description)
	return nil
}

// check tries the project's checks on what the agent has changed, in a fresh copy, where the user wants
// that.
func (o *outsideTurn) check(ctx context.Context, d *draft.Draft) {
	if !o.settings.OutsideCheck {
		return
	}
	o.stageIn(d)
	tries := trying{o.work}
	if err := o.Trials.Allowed(ctx); err != nil {
		o.turn.tried.found(len(tries.checks()) > 0)
		o.turn.tried.nothing(phrase.TrimStop(err.Error()))
		return
	}
	o.turn.tried.offer(true, o.agent.Name)
	o.turn.tried.found(len(tries.checks()) > 0)
	_ = tries.check(ctx, d, nil) // the plan has the results
}

// copy describes the copy that the agent works in.
func (o *outsideTurn) copy(ctx context.Context, texts view.TriedTexts) trial.Copy {
	a, p := &o.agent, o.program
	set := append(slices.Clone(a.Set), "PATH="+outside.Path(os.Getenv("PATH"), o.Outsiders.folders()))
	return trial.Copy{
		Command: trial.Command{Line: p.Line(set, o.talk.Request)}, Texts: texts, Program: a.Name, MayBePlain: true, Needs: p.Argv[:1],
		With: trial.With(a.Equip(p, o.talk)).Where(o.mayWorkIn(ctx)), Reached: o.reached,
	}
}

// brief returns the agent's prompt.
func (o *outsideTurn) brief() outside.Brief {
	m := &o.turn.request
	b := outside.Brief{Request: m.Text, Chosen: m.Selection, Output: m.Output, Answers: o.answers}
	if m.Path != "" {
		b.Place = m.Path
		if m.Lines != nil {
			b.Place = fmt.Sprintf("%s, lines %d to %d", m.Path, m.Lines[0]+1, m.Lines[1]+1)
		}
	}
	if h := o.revising.plan; h != nil {
		b.Plan = h.Plan().Goal
	}
	return b
}

// maxMessage is the size of an agent's message in a plan's description, in bytes. maxPrinted is how much
// is kept of what its command prints.
const (
	maxMessage = 8 << 10
	maxPrinted = 64 << 10
)

// hear takes what the agent's program prints.
func (o *outsideTurn) hear(stream, text string) {
	if (stream == trial.Stdout) != o.program.ACP {
		o.mu.Lock()
		if o.printed = append(o.printed, text...); len(o.printed) > maxPrinted {
			o.printed = slices.Clone(o.printed[len(o.printed)-maxPrinted:])
		}
		o.mu.Unlock()
	}
	o.turn.Notify(state.Event{Kind: state.OutsideWorks, Name: o.agent.Name, Stream: stream, Text: text})
}

// step tells what the agent does now.
func (o *outsideTurn) step(summary string) { o.detailed(summary, "") }

// reached tells what the agent has reached, below all of its answer: it has ended by then.
func (o *outsideTurn) reached(summary string) {
	o.heard.flush()
	o.step(summary)
}

func (o *outsideTurn) detailed(summary, detail string) {
	o.turn.Notify(outsideStep(o.work, o.agent.Name, summary, detail))
}

func outsideStep(w *work, agent, summary, detail string) state.Event {
	return state.Event{Kind: state.OutsideWorks, Name: agent, Step: &trace.Step{
		Kind: trace.Outside, At: w.Session.Now().UTC(), Name: agent, Summary: phrase.Clip(summary, trace.MaxSummary), Detail: phrase.ClipBytes(detail, trace.MaxDetail),
	}}
}

// many asks whether the user wants a plan of as many files.
func many(ctx context.Context, w *work, files int) error {
	a := Adoption{}
	if ed := w.Session.Editor(); ed != nil {
		a.Many = func(ctx context.Context, files int) (bool, error) {
			answer, err := ed.Ask(ctx, state.Question{
				Conversation: w.turn.Conversation.ID, Text: fmt.Sprintf("The agent changed %s. Make a plan of them?", phrase.Count(files, "file")), Options: []string{"yes", "no"},
			})
			return answer.Choice == "yes", err
		}
	}
	return a.many(ctx, files)
}

func joined(paragraphs []string) string { return joinedBy("\n\n", paragraphs...) }

// joinedBy joins the texts that are not empty.
func joinedBy(by string, texts ...string) string {
	return strings.TrimSpace(strings.Join(slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return text == "" }), by))
}
