package statusline

import (
	"os"

	"golang.org/x/sys/windows"
)

// Able reports whether a terminal understands the control sequences of a status line. It
// switches them on in a Windows console.
func Able(f *os.File) bool {
	var mode uint32
	handle := windows.Handle(f.Fd())
	if os.Getenv("TERM") == "dumb" || windows.GetConsoleMode(handle, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(handle, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
