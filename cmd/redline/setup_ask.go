package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"redline/agent/config"
	"redline/agent/model"
	"redline/edits"
)

// asker asks the questions of `redline setup` at a terminal.
type asker struct {
	streams
	set    *setup
	lines  *bufio.Reader
	hidden func(ctx context.Context) (string, error) // reads a line without echo
	stores func(provider string) []keyStore
}

// ask runs `redline setup` at a terminal.
func (f *setupFlags) ask(ctx context.Context, s streams) error {
	set, err := newSetupAnyway(nil)
	if err != nil {
		return err
	}
	defer set.store.Close()
	if set.unusable != nil {
		set.warn(s)
	}
	s.out = folding(s.out)
	a := &asker{
		streams: s, set: set, lines: bufio.NewReader(s.in), hidden: readHidden(s.in),
		stores: func(provider string) []keyStore {
			return keyStores(provider, runtime.GOOS, set.settings.StateDir, exec.LookPath)
		},
	}
	if f.with != "" {
		err = a.runWith(ctx, f.with)
	} else {
		err = a.run(ctx, f)
	}
	if ctx.Err() != nil { // the prompt ends without a line break
		fmt.Fprintln(s.out)
		return errInterrupted
	}
	return err
}

// errNothingWritten is the error of a setup that the user cancelled.
var errNothingWritten = usage(errors.New("nothing was written: run redline setup to start again"))

// chosen holds the user's answers so far.
type chosen struct {
	provider config.ProviderInfo
	base     string
	key      keyPlace
	model    string
}

// run asks all questions, tests the answers and writes them.
func (a *asker) run(ctx context.Context, f *setupFlags) error {
	c := &chosen{base: f.base, model: f.model}
	err := a.askProvider(ctx, f, c)
	if err == nil && c.provider.ID == config.Builtin {
		return a.write(ctx, c)
	}
	if err == nil {
		err = a.askKey(ctx, c)
	}
	if err == nil && c.model == "" {
		err = a.askModel(ctx, c)
	}
	for err == nil {
		tested := a.test(ctx, c)
		if tested == nil {
			return a.write(ctx, c)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		fmt.Fprintf(a.out, "\n!! %s\n", edits.Visible(tested.Error()))
		options := []string{"choose another model", "give another key", "write the settings as they are", stop}
		if c.movable() {
			options = slices.Insert(options, 1, otherAddress)
		}
		var next string
		next, err = a.pick(ctx, "What now?", options, nil, false)
		switch {
		case err != nil:
		case next == "choose another model":
			err = a.askModel(ctx, c)
		case next == otherAddress:
			if err = a.askAddress(ctx, c); err == nil {
				err = a.askModel(ctx, c)
			}
		case next == "give another key":
			err = a.askKey(ctx, c)
		case next == stop:
			err = errNothingWritten
		default:
			return a.write(ctx, c)
		}
	}
	return err
}

// askProvider asks for the provider, listing those found on this machine first, and for
// its address.
func (a *asker) askProvider(ctx context.Context, f *setupFlags, c *chosen) error {
	id := f.provider
	if id == "" {
		all := foundProviders(ctx)
		slices.SortStableFunc(all, func(p, q providerJSON) int { return rank(p) - rank(q) })
		var names []string
		notes := map[string]string{}
		for _, p := range all {
			names = append(names, p.Name)
			switch {
			case p.Found && p.Local:
				notes[p.Name] = "answers at " + p.BaseURL
			case p.Found && p.Variable != "":
				notes[p.Name] = p.Variable + " is set"
			case p.ID == config.Builtin:
				notes[p.Name] = "understands a few plain instructions"
			}
		}
		name, err := a.pick(ctx, "Which model provider should Redline ask?", names, notes, false)
		if err != nil {
			return err
		}
		id = all[slices.IndexFunc(all, func(p providerJSON) bool { return p.Name == name })].ID
	}
	p, ok := config.ProviderOf(id)
	if !ok {
		return usage(fmt.Errorf("there is no provider %q: use one of %s", id, strings.Join(config.ProviderIDs(), ", ")))
	}
	c.provider = p
	if p.AsksBaseURL && c.base == "" {
		return a.askAddress(ctx, c)
	}
	return nil
}

// rank orders providers: first those that were found, then the others, then the built-in
// model.
func rank(p providerJSON) int {
	switch {
	case p.ID == config.Builtin:
		return 2
	case p.Found:
		return 0
	}
	return 1
}

func orDefault(text string) string {
	if text == "" {
		return ""
	}
	return " [" + text + "]"
}

// askModel asks which of the provider's models to use.
func (a *asker) askModel(ctx context.Context, c *chosen) error {
	for {
		listing, cancel := context.WithTimeout(ctx, listPatience)
		names, err := modelsOf(listing, c.provider, a.set.settings.Allowed(c.config()))
		cancel()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		failure, _ := errors.AsType[*model.Error](err)
		if failure != nil && (failure.Kind == model.KindUnauthorized || failure.Kind == model.KindKey) {
			fmt.Fprintf(a.out, "\n!! %s\n", edits.Visible(failure.Error()))
			if err := a.askKey(ctx, c); err != nil {
				return err
			}
			continue
		}
		if err == nil && len(names) > 0 && c.provider.ID != config.Azure { // there they are no deployments
			c.model, err = a.pick(ctx, "Which model?", names, nil, true)
			return err
		}
		if err != nil {
			fmt.Fprintf(a.out, "\n!! %s\n", edits.Visible(err.Error()))
		}
		if c.movable() && failure != nil && failure.Kind == model.KindUnreachable {
			again, err := a.unreachable(ctx, c)
			if err != nil {
				return err
			}
			if again {
				continue
			}
		}
		what := "The name of the model"
		if c.provider.ID == config.Azure {
			what = "The name of your deployment"
		}
		c.model, err = a.line(ctx, "\n"+what+orDefault(c.provider.Model)+": ")
		if c.model = cmp.Or(c.model, c.provider.Model); err != nil || c.model != "" {
			return err
		}
	}
}

// config returns the configuration for a request with the answers so far.
func (c *chosen) config() model.Config {
	m := c.provider.Config(c.base, c.model, c.key.key)
	m.KeyCommand, m.KeyFrom, m.BaseFrom = c.key.command, cmp.Or(c.key.variable, "the key that you gave"), "the address"
	return m
}

// test sends the model a small request and prints the result.
func (a *asker) test(ctx context.Context, c *chosen) error {
	fmt.Fprintf(a.out, "\nAsking %s a small question …\n", edits.Visible(c.model))
	r, err := check(ctx, a.set.settings.Allowed(c.config()))
	if err != nil {
		return err
	}
	tellReport(a.streams, r)
	return nil
}

// write stores the key, writes the settings and prints the next steps.
func (a *asker) write(ctx context.Context, c *chosen) error {
	file := a.set.settings.File
	if len(c.key.stores) > 0 {
		fmt.Fprintf(a.out, "\nThe key goes into %s.\n", c.key.stores[0].name)
	}
	fmt.Fprintf(a.out, "\n%s gets:\n\n%s\n", file, indent(c.choice().Lines()))
	yes, err := a.yes(ctx, "Write this?")
	if err != nil {
		return err
	}
	if !yes {
		return errNothingWritten
	}
	if err := a.keepKey(ctx, c); err != nil {
		return err
	}
	if err := c.choice().Write(file); err != nil {
		return fmt.Errorf("%s was not changed: %w; add these lines yourself:\n\n%s", file, err, c.choice().Lines())
	}
	fmt.Fprintf(a.out, "Written. Try it: redline run 'what is this project about?'\nIf an editor runs Redline already, restart Redline there.\n")
	a.tellOverridden(c)
	return nil
}

// tellOverridden lists environment variables that override the settings just written.
func (a *asker) tellOverridden(c *chosen) {
	now, _, err := config.Load(config.Sources{Env: os.LookupEnv})
	if err == nil && (now.Provider != c.provider.ID || c.model != "" && now.Config.Name != c.model) {
		fmt.Fprintln(a.err, "redline: a REDLINE_ variable in your environment overrides the settings: redline doctor --config shows which.")
	}
}

// choice returns the settings to write.
func (c *chosen) choice() config.Choice {
	choice := config.Choice{Provider: c.provider.ID, Model: c.model, KeyCommand: c.key.command}
	if c.base != c.provider.BaseURL {
		choice.BaseURL = c.base
	}
	if c.key.variable != c.provider.Variable {
		choice.KeyEnv = c.key.variable
	}
	if len(c.key.stores) > 0 {
		choice.KeyCommand = c.key.stores[0].read
	}
	return choice
}

// Choices of `redline setup` after something has failed.
const (
	otherAddress = "give another address"
	stop         = "stop"
)

// movable reports whether the provider may be at another address than the usual one.
func (c *chosen) movable() bool { return c.provider.Local || c.provider.AsksBaseURL }

// askAddress asks for the provider's base URL. Where there is one already, Enter keeps it.
func (a *asker) askAddress(ctx context.Context, c *chosen) error {
	usual := cmp.Or(c.base, c.provider.BaseURL)
	if usual == "" && c.provider.ID == config.Other {
		usual = os.Getenv("OPENAI_BASE_URL")
	}
	example := "such as https://gateway.example.com/v1"
	switch {
	case c.provider.ID == config.Azure:
		example = "such as https://NAME.openai.azure.com/openai/v1"
	case c.provider.Local:
		example = "such as http://localhost:8080/v1"
	}
	for {
		text, err := a.line(ctx, fmt.Sprintf("\nIts base URL, %s%s: ", example, orDefault(usual)))
		if err != nil {
			return err
		}
		if base := withScheme(cmp.Or(text, usual)); base != "" {
			c.base = base
			return nil
		}
		fmt.Fprintln(a.out, "That is not an address: one begins with https:// or http://.")
	}
}

// withScheme returns an address as it is if it begins with http:// or https://, and one of this
// machine with http:// before it; "" if it is no address.
func withScheme(text string) string {
	switch {
	case strings.HasPrefix(text, "http://"), strings.HasPrefix(text, "https://"):
		return text
	case !strings.Contains(text, "://") && config.IsLocal("http://"+text):
		return "http://" + text
	}
	return ""
}

// unreachable asks what to do where no server answers. again is true if its models are to be
// listed once more.
func (a *asker) unreachable(ctx context.Context, c *chosen) (again bool, err error) {
	const repeat, name = "try again: it is running now", "enter the model's name anyway"
	next, err := a.pick(ctx, "What now?", []string{repeat, otherAddress, name, stop}, nil, false)
	switch {
	case err != nil:
		return false, err
	case next == otherAddress:
		return true, a.askAddress(ctx, c)
	case next == stop:
		return false, errNothingWritten
	}
	return next == repeat, nil
}
