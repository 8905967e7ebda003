package main

import (
	"testing"

	"github.com/spf13/pflag"
)

// A user who sets sampling options wants other words: no plan is reused without asking the model,
// whichever of the flags is set.
func TestEveryWayToChooseWordsCounts(t *testing.T) {
	defined := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(sampling).define(defined)
	defined.VisitAll(func(f *pflag.Flag) {
		o, flags := &sampling{}, pflag.NewFlagSet("", pflag.ContinueOnError)
		o.define(flags)
		if err := flags.Parse([]string{"--" + f.Name, "1"}); err != nil {
			t.Fatal(err)
		}
		if err := o.read(flags); err != nil || !o.any() {
			t.Errorf("--%s does not count: %v", f.Name, err)
		}
	})
	o, none := &sampling{}, pflag.NewFlagSet("", pflag.ContinueOnError)
	o.define(none)
	if err := o.read(none); err != nil || o.any() {
		t.Errorf("without a flag something counts: %v", err)
	}
}
