package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"redline/agent/config"
)

// forOnce are the settings that a user can change for one run.
type forOnce struct{ model, timeout string }

func (o *forOnce) define(flags *pflag.FlagSet) {
	flags.StringVar(&o.model, "model", "", "ask the model of this `name`, of the same provider, for this run (default: the setting model.name)")
	flags.StringVar(&o.timeout, "timeout", "", "how long the turn may take, a `duration` such as 90s or 5m (default: the setting limits.wall_seconds)")
}

// read checks the given values and adds them to the settings.
func (o *forOnce) read(flags *pflag.FlagSet, settings map[string]string) error {
	if flags.Changed("timeout") {
		d, err := time.ParseDuration(o.timeout)
		if n, bad := strconv.ParseFloat(o.timeout, 64); bad == nil { // a bare number is in seconds, as in the settings
			d, err = time.Duration(n*float64(time.Second)), nil
		}
		if err != nil || d < time.Millisecond || d > maxTimeout {
			return usage(fmt.Errorf("--timeout must be a time such as 90s or 5m, more than 0"))
		}
		settings["limits.wall_seconds"] = strconv.FormatFloat(d.Seconds(), 'f', -1, 64)
	}
	if flags.Changed("model") {
		if o.model == "" {
			return usage(fmt.Errorf("--model must be the name of a model"))
		}
		for _, purpose := range []string{"model.name", "model.plan", "model.edit"} { // the small questions stay with the models for them
			settings[purpose] = o.model
		}
	}
	return nil
}

// maxTimeout is the longest timeout of a turn.
const maxTimeout = 1000 * time.Hour

// check refuses a model name for a provider without models.
func (o *forOnce) check(s config.Settings) error {
	if o.model != "" && !s.Asks() && s.Replay == "" {
		return usage(fmt.Errorf("--model %s: no model provider is set up, so the built-in model would answer: run redline setup", o.model))
	}
	return nil
}
