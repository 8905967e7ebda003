package leash

import (
	"os"
	"slices"
)

// The hidden subcommands of this package's helpers.
const (
	holdArg = "run-server"
	tryArg  = "try-namespace"
)

// IsHelper reports whether this process was started as a helper of this package.
func IsHelper(args []string) bool {
	return len(args) == 2 && slices.Contains([]string{holdArg, tryArg}, args[1])
}

// Help is all that a helper of this package does. It returns the exit status.
func Help(args []string) int {
	if args[1] == tryArg {
		return helpTry()
	}
	return helpHold()
}

// Self returns the program that is its own helper.
func Self() string {
	if _, err := os.Stat("/proc/self/exe"); err == nil {
		return "/proc/self/exe" // also when the program was replaced by a newer one
	}
	exe, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return exe
}
