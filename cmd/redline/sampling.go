package main

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"redline/agent/model"
)

// sampling holds the sampling parameters from the flags.
type sampling struct {
	temperature, topP, penalty float64
	maxTokens                  int
	given                      *pflag.FlagSet // tells which flags were set
}

func (o *sampling) define(flags *pflag.FlagSet) {
	flags.Float64Var(&o.temperature, "temperature", 0, "how freely the model chooses, a `number` from 0 to 2 (default: the provider's)")
	flags.Float64Var(&o.topP, "top-p", 0, "the `share` of likely words that the model chooses from, up to 1 (default: the provider's)")
	flags.Float64Var(&o.penalty, "frequency-penalty", 0, "how much the model avoids words that it has used often, a `number` from -2 to 2 (default: the provider's)")
	flags.IntVar(&o.maxTokens, "max-tokens", 0, "the longest reply of the model, in `tokens` (default: the provider's)")
}

// read checks the values of the flags.
func (o *sampling) read(flags *pflag.FlagSet) error {
	o.given = flags
	switch {
	case !(o.temperature >= 0 && o.temperature <= 2):
		return usage(fmt.Errorf("--temperature must be a number from 0 to 2"))
	case flags.Changed("top-p") && !(o.topP > 0 && o.topP <= 1):
		return usage(fmt.Errorf("--top-p must be a number above 0, at most 1"))
	case !(o.penalty >= -2 && o.penalty <= 2):
		return usage(fmt.Errorf("--frequency-penalty must be a number from -2 to 2"))
	case flags.Changed("max-tokens") && o.maxTokens < 1:
		return usage(fmt.Errorf("--max-tokens must be a whole number of at least 1"))
	}
	return nil
}

// any reports whether a parameter was set.
func (o *sampling) any() bool {
	return o.given.Changed("temperature") || o.given.Changed("top-p") || o.given.Changed("frequency-penalty") || o.given.Changed("max-tokens")
}

// on returns the provider with these parameters.
func (o *sampling) on(p model.Provider) model.Provider {
	return &sampled{Provider: p, sampling: o}
}

// sampled is a provider that sends the user's sampling parameters with each request.
type sampled struct {
	model.Provider
	*sampling
}

// For returns the provider of another model, with the same parameters.
func (p *sampled) For(purpose model.Purpose) model.Provider {
	return &sampled{Provider: model.For(p.Provider, purpose), sampling: p.sampling}
}

func (p *sampled) Complete(ctx context.Context, r model.Request, onEvent func(model.Event)) (model.Reply, error) {
	if p.given.Changed("temperature") {
		r.Temperature = &p.temperature
	}
	if p.given.Changed("top-p") {
		r.TopP = &p.topP
	}
	if p.given.Changed("frequency-penalty") {
		r.Penalty = &p.penalty
	}
	if p.given.Changed("max-tokens") {
		r.MaxTokens = p.maxTokens
	}
	return p.Provider.Complete(ctx, r, onEvent)
}
