package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"redline/agent"
	"redline/agent/chat"
	"redline/agent/config"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/state"
)

// runFlags are the flags of `redline run`.
type runFlags struct {
	dir, mode, agent, with, conversation, decide string
	approve, planOnly, allowOutside, latest      bool
	commands                                     allowance
	json, verbose, reflect                       bool
	maxSteps                                     int
	sampling                                     sampling
	once                                         forOnce
	files                                        runFiles
	adopts                                       *adoption // what redline adopt does instead of asking the model; nil for redline run
}

func newRun(s streams) *cobra.Command {
	f := &runFlags{}
	cmd := &cobra.Command{
		Use:   "run [flags] REQUEST",
		Short: "Ask for a change without an editor",
		Long: `Runs one turn on the files of a folder and prints the answer, or the plan and its
diff. Nothing changes before you approve: at a terminal you are asked, --approve
approves the edits, and without either the plan waits for you (exit status 3), also
for your editor. The model may ask you something; then the exit status is 3 as well,
and --continue answers it. If a limit ended the turn, or some of its edits
were refused or not used, stderr says so, and --approve does not apply the plan (exit
status 3; 4 if there is no plan). docs/ci.md shows it in a pipeline.

At a terminal one line says what is being done, the answer appears as it comes, and a
diff longer than the screen is shown with $PAGER. The question about a plan takes y,
n, h (hunk by hunk, with the keys of git add -p), r (say what should be different),
e (edit it in $EDITOR), l (later) and ?. Nothing is applied before you have answered
for all hunks; Ctrl-C leaves the plan waiting. NO_COLOR and TERM=dumb are respected.
You are asked once in each workspace whether models may try commands in it before you
approve (redline trials). Without a REQUEST it asks for one after the other, in one
conversation, as redline alone does.`,
		Example: `  redline run 'rename Total to Sum'
  redline run --approve 'replace "colour" with "color" in *.md'
  redline run --mode ask 'where is the price computed?'
  redline run --approve --allow-commands 'run go test ./...'
  redline run --json --plan-only 'delete old.md'
  go test ./... 2>&1 | redline run --input - --export plan.json 'fix what fails'`,
		Args: func(_ *cobra.Command, args []string) error {
			if strings.TrimSpace(strings.Join(args, " ")) == "" && !f.talks(s) {
				return usage(fmt.Errorf("say what should change: redline run 'rename Total to Sum'"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.begin(cmd, s, args) },
	}
	f.define(cmd.Flags())
	completeTalk(cmd)
	return cmd
}

// begin checks the flags, and runs the turn of a request; without one it asks for requests.
func (f *runFlags) begin(cmd *cobra.Command, s streams, args []string) error {
	if f.approve && f.planOnly {
		return usage(fmt.Errorf("give --approve or --plan-only, not both"))
	}
	if !slices.Contains(chat.Modes, f.mode) {
		return usage(fmt.Errorf("there is no mode %q: use auto, plan, text, ask or heap", f.mode))
	}
	if !cmd.Flags().Changed("mode") {
		f.mode = "" // use the mode of the conversation
	}
	if err := f.sampling.read(cmd.Flags()); err != nil {
		return err
	}
	settings := map[string]string{}
	if f.decide != "" {
		if f.decide != config.DecidePlan && f.decide != config.DecideAsk {
			return usage(fmt.Errorf("--decide must be plan or ask"))
		}
		settings["approval.decide"] = f.decide
	}
	if cmd.Flags().Changed("max-steps") {
		if f.maxSteps < 1 {
			return usage(fmt.Errorf("--max-steps must be a whole number of at least 1"))
		}
		settings["limits.steps"] = strconv.Itoa(f.maxSteps)
	}
	if err := f.once.read(cmd.Flags(), settings); err != nil {
		return err
	}
	if f.latest && f.conversation != "" {
		return usage(fmt.Errorf("give --continue or --conversation, not both"))
	}
	if err := f.files.open(s.in); err != nil {
		return err
	}
	request := strings.Join(args, " ")
	if strings.TrimSpace(request) == "" {
		return talk(cmd.Context(), s, f, settings)
	}
	return runOnce(cmd.Context(), s, f, settings, request)
}

// defineTalk adds the flags that the requests of a terminal have too.
func (f *runFlags) defineTalk(flags *pflag.FlagSet) {
	flags.StringVar(&f.dir, "dir", ".", "work in this `folder`")
	flags.StringVar(&f.mode, "mode", "auto", "the `mode`: auto, plan, text, ask or heap (docs/asking.md)")
	flags.StringVar(&f.agent, "agent", "", "the agent of the conversation from now on, by its `name`; none for none (docs/specialists.md)")
	flags.StringVar(&f.with, "with", "", "the outside agent that works in the conversation from now on, in a copy, by its `name`; model for Redline's own (docs/outside-agents.md)")
	flags.BoolVar(&f.latest, "continue", false, "continue the newest conversation of the folder, with the agent that it has")
	f.once.define(flags)
}

// define adds the flags of redline run.
func (f *runFlags) define(flags *pflag.FlagSet) {
	f.defineTalk(flags)
	flags.BoolVar(&f.allowOutside, "allow-outside", false, "allow the outside agent in this workspace, instead of being asked once at a terminal")
	flags.StringVar(&f.conversation, "conversation", "", "continue the conversation with this `id`: its plan gets a new revision")
	flags.StringVar(&f.decide, "decide", "", "`when` you are asked at a terminal: plan, at the end; ask, about each edit as it is staged")
	flags.BoolVar(&f.approve, "approve", false, "approve the edits")
	f.commands.define(flags)
	flags.BoolVar(&f.planOnly, "plan-only", false, "leave the plan waiting (the default without a terminal)")
	flags.BoolVar(&f.json, "json", false, "print events and the result as lines of JSON (docs/reference/events.md)")
	flags.BoolVar(&f.verbose, "verbose", false, "print on stderr what the agent does, step by step; at a terminal in words")
	flags.BoolVar(&f.reflect, "reflect", false, "have the model analyse the turn when it is over, with one more request")
	flags.IntVar(&f.maxSteps, "max-steps", 0, "the most `steps` that a plan may have (default: the setting limits.steps)")
	f.sampling.define(flags)
	f.files.define(flags)
}

// runResult is the last line of --json.
type runResult struct {
	Kind          string             `json:"kind"`                   // `result`
	Exit          int                `json:"exit"`                   // the exit status
	Answer        string             `json:"answer"`                 // the answer in words
	Unfinished    []string           `json:"unfinished,omitempty"`   // what the turn has left undone, a sentence each; `--approve` has applied nothing then
	Refused       []plan.Refused     `json:"refused,omitempty"`      // the calls of the turn that were refused and not made good
	Plan          *state.Plan        `json:"plan"`                   // the plan as it is then, if the turn made one or changed one
	Results       []callResult       `json:"execution_results"`      // the results of the calls that the model has made, in their order, also of those that only read; of a command that you approved, its result
	StepsExecuted int                `json:"steps_executed"`         // how many steps of the plan were carried out, or a part of them: an edit is applied, a command has succeeded; without a plan, how many calls were made
	MaxSteps      int                `json:"max_steps"`              // how many a plan may have
	Report        *string            `json:"report,omitempty"`       // what the model reports of the commands that were run
	Reflection    *string            `json:"reflection"`             // the analysis that `--reflect` asks for
	PlanSummary   *state.PlanSummary `json:"planSummary,omitempty"`  // what specialists did, if any worked
	Error         string             `json:"error,omitempty"`        // one sentence on what went wrong
	Question      *string            `json:"question,omitempty"`     // the question that waits for your answer, see [Asking](../asking.md#when-the-model-asks-you)
	Conversation  string             `json:"conversation,omitempty"` // the conversation to answer it in

	turn      string // the id of the turn that ran, "" for none
	talk      string // the conversation of that turn, "" for none
	unchecked bool   // language servers have not checked the plan yet
}

// runOnce runs one turn, shows the result and carries out the user's decision. settings
// are the settings given as flags.
func runOnce(ctx context.Context, s streams, f *runFlags, settings map[string]string, request string) error {
	s = watched(s)
	defer s.line.Close()
	set, a, con, err := f.open(s, settings)
	if err != nil {
		return err
	}
	defer set.store.Close()

	err = f.goesOn(ctx, a, set)
	result := runResult{Kind: "result", MaxSteps: set.settings.Steps}
	if err == nil && con.asks() && !f.approve && !f.planOnly && f.mode != "ask" && f.adopts == nil {
		err = askTrials(ctx, a, con)
	}
	if err == nil {
		err = turnAndDecide(ctx, a, con, f, request, &result)
	}
	if f.reflect && result.turn != "" && ctx.Err() == nil && !model.Failed(err) {
		reflect(ctx, a, con, &result)
	}
	err = f.files.keep(ctx, a, con, &result, err)
	a.Close() // all events must be out before the result
	result.Exit = codeOf(ctx, err)
	if f.json {
		if err != nil && !errors.As(err, new(status)) {
			result.Error = err.Error()
		}
		result.Results = con.called()
		result.count()
		result.Plan = positions.Plan(result.Plan)
		con.end(result)
	}
	return err
}

// open opens the folder of a run: the setup, whose store the caller closes, and the agent with its
// console. It warns about what is wrong with the settings.
func (f *runFlags) open(s streams, settings map[string]string) (_ *setup, _ *agent.Agent, _ *console, err error) {
	set, err := newSetup(settings)
	if err != nil {
		return nil, nil, nil, err
	}
	defer func() {
		if err != nil {
			set.store.Close()
		}
	}()
	if err := cmp.Or(f.once.check(set.settings), f.mayApprove(set.settings)); err != nil {
		return nil, nil, nil, err
	}
	set.warn(s)
	set.inMemory(func(text string) { fmt.Fprintln(s.err, "redline:", text) })
	set.model = f.sampling.on(set.model)
	set.settings.ReusePlans = set.settings.ReusePlans && !f.sampling.any() // the user wants another choice of words
	ws, err := set.workspaceIn(f.dir)
	if err != nil {
		return nil, nil, nil, err
	}
	set.warnPassed(s)
	set.warnOf(ws, s)
	con := newConsole(s, ws)
	con.json, con.verbose = f.json, f.verbose
	con.pages = !f.approve
	con.goLive()
	if con.live != nil {
		con.line.Set("Starting", "")
	}
	asks := set.settings.Decide == config.DecideAsk && con.asks() && !f.approve && !f.planOnly
	if !asks { // nobody can answer
		set.settings.Decide = config.DecidePlan
	}
	con.offers = asks
	a := set.agent(ws, con)
	con.seen = seenIn(set.settings.StateDir, a.Session.Key())
	if f.adopts == nil {
		a.GatherFacts()
	}
	return set, a, con, nil
}

// goesOn finds the conversation of --continue, and carries out --allow-outside for who works in it.
func (f *runFlags) goesOn(ctx context.Context, a *agent.Agent, set *setup) (err error) {
	if f.latest {
		f.conversation, err = set.store.NewestConversation(ctx, a.Session.Key())
		if err == nil && f.conversation == "" {
			err = usage(errors.New("there is no conversation in this folder to continue: leave out --continue"))
		}
	}
	if err != nil || !f.allowOutside {
		return err
	}
	var of conversation.Choices
	if f.with == "" && f.conversation != "" {
		record, err := set.store.Choices(ctx, a.Session.Key(), f.conversation)
		if err != nil {
			return err
		}
		_ = json.Unmarshal([]byte(record), &of) // one that cannot be read names nobody
	}
	name := cmp.Or(f.with, of.With, set.settings.Outside.Default)
	if name == "" || name == conversation.Own {
		return usage(errors.New("say which agent --allow-outside allows: --with NAME, or default in [outside] of your settings"))
	}
	_, err = a.Turns.Outsiders.Allow(ctx, name)
	return err
}

func turnAndDecide(ctx context.Context, a *agent.Agent, con *console, f *runFlags, request string, result *runResult) error {
	var turn state.Turn
	var err error
	if f.adopts != nil {
		turn, err = f.adopts.run(ctx, a, con, f, result)
	} else {
		turn, err = converse(ctx, a, con, f, request, result)
	}
	if err != nil {
		return err
	}
	id := turn.Turn
	result.talk = turn.Conversation
	result.heard(turn)
	result.PlanSummary = turn.Specialists
	if turn.Question != nil {
		result.Question, result.Conversation = turn.Question, turn.Conversation
		if con.asks() {
			result.Answer = "" // it was printed already
		}
	}
	lost := a.Keep(ctx) // a plan that was not stored is lost with this process
	n := a.Conversations.PlanOf(id)
	if n != 0 {
		result.unchecked = !awaitServers(ctx, a, n)
		p, err := a.Board.PlanState(ctx, n)
		if err != nil {
			return err
		}
		result.Plan = &p
		result.leftIn(&p)
		if con.offers && !plan.State(p.State).Open() { // the user has answered about every edit
			con.answer(result.Answer)
			tellState(con, &p)
			undone := con.unfinished(result, f.approve, exitRefused)
			return cmp.Or(a.Conversations.Failure(id), undone)
		}
	}
	if !f.json {
		if err := tellResult(ctx, a, con, result); err != nil {
			return err
		}
		if f.conversation == "" && f.adopts == nil {
			con.tellChosen(request)
		}
	}
	if err := a.Conversations.Failure(id); err != nil {
		return err
	}
	if turn.Question != nil {
		return cmp.Or(lost, error(status(exitWaiting)))
	}
	if n == 0 && (f.adopts != nil || turn.With != "") && len(result.Refused) > 0 { // only changes that no plan can have
		return cmp.Or(lost, con.unfinished(result, f.approve, exitWaiting))
	}
	if n == 0 {
		return cmp.Or(lost, con.unfinished(result, f.approve, exitRefused))
	}
	return decideOnRun(ctx, a, con, f, result)
}

// heard takes over the answer of a turn.
func (r *runResult) heard(turn state.Turn) {
	r.Answer, r.Unfinished, r.Refused = "", turn.Unfinished, turn.Refused
	if turn.Answer != nil {
		r.Answer = *turn.Answer
	}
}

// leftIn adds what earlier turns have left undone in a plan.
func (r *runResult) leftIn(p *state.Plan) {
	for _, s := range p.Unfinished {
		if plan.State(p.State).Open() && !slices.Contains(r.Unfinished, s) {
			r.Unfinished = append(slices.Clip(r.Unfinished), s)
		}
	}
}

// converse runs the turn of a request. At a terminal it asks the questions of the turn,
// and runs the turns that continue with the answers. It returns the last turn.
func converse(ctx context.Context, a *agent.Agent, con *console, f *runFlags, request string, result *runResult) (state.Turn, error) {
	m := conversation.Message{Text: request, Conversation: f.conversation, New: f.conversation == "", Mode: f.mode, Agent: f.agent, With: f.with, Output: f.files.output, Client: clientName, AskAtOnce: con.offers}
	for {
		id, _, err := a.Turns.Send(m)
		if err != nil {
			return state.Turn{}, err
		}
		result.turn = id
		turn, err := await(ctx, a, id)
		if err != nil || turn.Question == nil || !con.asks() {
			return turn, err
		}
		answer, err := con.answerTo(ctx, turn)
		if err != nil {
			return turn, errInterrupted
		}
		if answer == "" {
			return turn, nil // the question stays unanswered
		}
		m.Text, m.Conversation, m.New, m.Mode, m.Agent, m.With, m.Output = answer, turn.Conversation, false, "", "", "", ""
	}
}

// await waits for a turn to end, and cancels it when the user interrupts.
func await(ctx context.Context, a *agent.Agent, id string) (state.Turn, error) {
	turn, err := a.Conversations.Wait(ctx, id)
	if err != nil {
		a.Cancel(id)
		return turn, errInterrupted
	}
	return turn, nil
}
