//go:build unix

package statusline

import (
	"os"

	"golang.org/x/sys/unix"
)

// reported returns the columns and rows that a terminal reports, 0 if it reports none.
func reported(f *os.File) (columns, rows int) {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, 0
	}
	return int(size.Col), int(size.Row)
}

// Able reports whether a terminal understands the control sequences of a status line.
func Able(*os.File) bool { return os.Getenv("TERM") != "dumb" && os.Getenv("TERM") != "" }
