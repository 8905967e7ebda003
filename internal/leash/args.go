package leash

import (
	"os"
	"slices"
)

// The hidden subcommands of this package's helpers.
const (
	holdArg = "run-server"
	tryArg  = "try-namespace"
	markArg = "run-marked"
)

// IsHelper reports whether this process was started as a helper of this package.
func IsHelper(args []string) bool {
	return len(args) == 2 && slices.Contains([]string{holdArg, tryArg}, args[1]) || len(args) > 2 && args[1] == markArg
}

// Help is the main function of this package's helpers. It returns the exit status.
func Help(args []string) int {
	switch args[1] {
	case tryArg:
		return helpTry()
	case markArg:
		return helpMark(args[2:])
	}
	return helpHold()
}

// Self returns the name of this program, which is its own helper.
func Self() string {
	if _, err := os.Stat("/proc/self/exe"); err == nil {
		return "/proc/self/exe" // valid even if a newer program replaced the file
	}
	exe, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return exe
}
