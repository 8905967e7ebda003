//go:build !unix

package runner

import "context"

// HelperArg is the hidden subcommand by which the program is its own helper.
const HelperArg = "run-command"

// IsHelper tells whether the program was started as a helper.
func IsHelper([]string) bool { return false }

// Help is all that a helper does.
func Help() int { return 2 }

func run(context.Context, Command, func(Stream, string)) (Outcome, error) {
	return Outcome{}, ErrUnsupported
}
