// Package seed makes a run of the random properties repeatable. A package with properties imports
// it in a test: they then begin from the number in the environment variable REDLINE_SEED, if
// there is one, and from a random number otherwise.
package seed

import (
	"flag"
	"os"

	_ "pgregory.net/rapid" // which defines the flag
)

func init() {
	seed := os.Getenv("REDLINE_SEED")
	if seed == "" {
		return
	}
	if err := flag.Set("rapid.seed", seed); err != nil {
		panic("REDLINE_SEED: " + err.Error())
	}
}
