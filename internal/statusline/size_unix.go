//go:build unix

package statusline

import (
	"os"

	"golang.org/x/sys/unix"
)

// Size returns how many columns and rows a terminal has, 0 if it does not say.
func Size(f *os.File) (columns, rows int) {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, 0
	}
	return int(size.Col), int(size.Row)
}

// Able reports whether a terminal follows the controls that a line needs.
func Able(*os.File) bool { return os.Getenv("TERM") != "dumb" && os.Getenv("TERM") != "" }
