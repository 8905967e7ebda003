//go:build !unix && !windows

package runner

import "context"

// HelperArg is the hidden subcommand that runs the program as its own helper.
const HelperArg = "run-command"

// IsHelper reports whether the program was started as a helper.
func IsHelper([]string) bool { return false }

// Help is the main function of a helper.
func Help() int { return 2 }

func run(context.Context, Command, func(Stream, string)) (Outcome, error) {
	return Outcome{}, ErrUnsupported
}
