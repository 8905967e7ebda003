package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"redline/agent/config"
	"redline/agent/model"
	"redline/edits"
	"redline/internal/phrase"
)

// setupFlags are the flags of `redline setup`.
type setupFlags struct {
	providers, models, test, json bool
	provider, base, model, keyEnv string
	with                          string
}

func newSetupCommand(s streams) *cobra.Command {
	f := &setupFlags{}
	cmd := &cobra.Command{
		Use:   "setup",
		Short: "Connect a model: provider, key, model, and a test",
		Long: `Asks which provider, key and model to use, sends a test question, shows the answer and
writes your settings file. It offers first what it finds: keys in the environment, and
servers of this machine that answer. The key does not go into the settings: it stays in
its variable, or goes to your keychain or to pass, or into a file that only you can read.

With --with it sets up an outside agent: it says what the agent may reach, and asks
whether you allow that in this folder. It then asks the agent a small question, in a
copy, and if an answer comes, writes default into [outside] of your settings file.

With --json it asks nothing and prints one JSON value, for editors; what fails is
{"error"} with exit status 1. The key is read from the environment variable that
--api-key-env names, by default the provider's own.`,
		Example: `  redline setup
  redline setup --with codex
  redline setup --providers --json
  redline setup --models --json --provider ollama
  redline setup --test --json --provider anthropic --model claude-sonnet-4-5`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			asked := 0
			for _, one := range []bool{f.providers, f.models, f.test} {
				if one {
					asked++
				}
			}
			switch {
			case f.json && asked == 1:
				return f.printJSON(cmd.Context(), s)
			case f.json || asked > 0:
				return usage(errors.New("--json needs one of --providers, --models and --test, and they need --json"))
			case f.with != "" && (f.provider != "" || f.base != "" || f.model != "" || f.keyEnv != ""):
				return usage(errors.New("--with sets up an outside agent, which has its own model: leave out the flags of a provider"))
			case !isTerminal(s.in) && f.with != "":
				return usage(fmt.Errorf("redline setup asks at a terminal, and there is none: run redline outside allow %s, and write default into [outside] of your settings file (docs/outside-agents.md)", f.with))
			case !isTerminal(s.in):
				return usage(errors.New("redline setup asks at a terminal, and there is none: run it in one, or write [model] into your settings file (docs/models.md)"))
			}
			return f.ask(cmd.Context(), s)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.providers, "providers", false, "with --json: the providers, and which were found here")
	flags.BoolVar(&f.models, "models", false, "with --json: the models of a provider")
	flags.BoolVar(&f.test, "test", false, "with --json: ask a model one small question")
	flags.BoolVar(&f.json, "json", false, "print one JSON value and ask nothing")
	flags.StringVar(&f.provider, "provider", "", "the `id` of the provider: "+strings.Join(config.ProviderIDs(), ", "))
	flags.StringVar(&f.base, "base-url", "", "its `address`, if it is not the usual one")
	flags.StringVar(&f.model, "model", "", "the `name` of the model")
	flags.StringVar(&f.with, "with", "", "set up this outside agent instead of a model, by its `name`: it does each request (docs/outside-agents.md)")
	flags.StringVar(&f.keyEnv, "api-key-env", "", "the environment `variable` that holds the key")
	return cmd
}

// providerJSON describes a provider for an editor.
type providerJSON struct {
	config.ProviderInfo
	Found bool `json:"found"`
}

// testJSON is the result of a test, for an editor.
type testJSON struct {
	OK bool `json:"ok"`
	model.Report
}

func reportJSON(r model.Report) testJSON {
	r.Warnings = append([]string{}, r.Warnings...) // a list, also of none
	return testJSON{r.OK(), r}
}

// setupPatience is how long an editor waits for an answer, besides the time that the
// model takes.
const (
	listPatience = 20 * time.Second
	testPatience = 5 * time.Minute
)

// printJSON answers an editor: it always prints exactly one JSON value to stdout.
func (f *setupFlags) printJSON(ctx context.Context, s streams) error {
	value, err := f.value(ctx)
	if err == nil {
		return encodeVisible(s, value)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	_ = encodeVisible(s, struct {
		Error string `json:"error"`
	}{phrase.SentenceOf(err)}) // the exit status reports the failure
	return status(exitInternal)
}

func encodeVisible(s streams, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = s.out.Write(append(edits.VisibleJSON(text), '\n'))
	return err
}

func (f *setupFlags) value(ctx context.Context) (any, error) {
	if f.providers {
		return struct {
			Providers []providerJSON `json:"providers"`
		}{foundProviders(ctx)}, nil
	}
	p, c, err := f.connection()
	if err != nil {
		return nil, err
	}
	if f.models {
		ctx, cancel := context.WithTimeout(ctx, listPatience)
		defer cancel()
		names, err := modelsOf(ctx, p, c)
		return struct {
			Models []string `json:"models"`
		}{names}, err
	}
	if p.ID == config.Builtin {
		return reportJSON(model.Report{Answer: "The built-in model works offline and understands only a few plain instructions.", Tools: true, Streaming: true}), nil
	}
	if c.Name == "" {
		return nil, errors.New("no model is named: choose one with --model; redline setup --models --json lists them")
	}
	r, err := check(ctx, c)
	return reportJSON(r), err
}

// check asks a model one small question.
func check(ctx context.Context, c model.Config) (model.Report, error) {
	ctx, cancel := context.WithTimeout(ctx, testPatience)
	defer cancel()
	r, err := model.Check(ctx, c)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("the model %q did not answer within %v: try again, or choose a smaller one", c.Name, testPatience)
	}
	return r, err
}

// connection returns the provider that the flags name, and the configuration to reach it.
func (f *setupFlags) connection() (config.ProviderInfo, model.Config, error) {
	p, ok := config.ProviderOf(f.provider)
	switch {
	case !ok:
		return p, model.Config{}, fmt.Errorf("there is no provider %q: name one of %s with --provider", f.provider, strings.Join(config.ProviderIDs(), ", "))
	case p.AsksBaseURL && strings.TrimSpace(f.base) == "":
		return p, model.Config{}, fmt.Errorf("%s has another address for each user: name yours with --base-url", p.Name)
	}
	variable := cmp.Or(f.keyEnv, p.Variable)
	key := ""
	if variable != "" {
		key = strings.TrimSpace(os.Getenv(variable))
	}
	if p.NeedsKey && key == "" {
		return p, model.Config{}, fmt.Errorf("%s wants a key, and %s is not set: set it, or name another variable with --api-key-env", p.Name, variable)
	}
	c := p.Config(f.base, f.model, key)
	c.KeyFrom = variable
	return p, config.UnderPolicy(config.Sources{Env: os.LookupEnv}, c), nil
}

// modelsOf returns the names of a provider's models, its default model first.
func modelsOf(ctx context.Context, p config.ProviderInfo, c model.Config) ([]string, error) {
	if p.ID == config.Builtin {
		return []string{config.Builtin}, nil
	}
	names, err := model.List(ctx, c)
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		if name == p.Model {
			copy(names[1:i+1], names[:i])
			names[0] = name
		}
	}
	return names, nil
}

// findPatience is the timeout for finding a server on this machine.
const findPatience = 300 * time.Millisecond

// foundProviders returns all providers, and marks those that it finds: the variable of the
// key is set, or the provider's server on this machine lists its models.
func foundProviders(ctx context.Context) []providerJSON {
	ctx, cancel := context.WithTimeout(ctx, findPatience)
	defer cancel()
	var all []providerJSON
	for _, p := range config.Providers() {
		all = append(all, providerJSON{ProviderInfo: p})
	}
	var asking sync.WaitGroup
	for i := range all {
		p := &all[i]
		switch {
		case p.Local && p.BaseURL != "":
			asking.Go(func() {
				_, err := model.List(ctx, model.Config{BaseURL: p.BaseURL})
				p.Found = err == nil
			})
		case p.ID == config.Other: // its key has OpenAI's variable: look for an address
			p.Found = os.Getenv("OPENAI_BASE_URL") != ""
		case p.Variable != "":
			p.Found = os.Getenv(p.Variable) != ""
		}
	}
	asking.Wait()
	return all
}
