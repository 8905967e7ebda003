package statusline

import (
	"os"

	"golang.org/x/sys/windows"
)

// reported returns the columns and rows that a terminal reports, 0 if it reports none.
func reported(f *os.File) (columns, rows int) {
	var info windows.ConsoleScreenBufferInfo
	if windows.GetConsoleScreenBufferInfo(windows.Handle(f.Fd()), &info) != nil {
		return 0, 0
	}
	return int(info.Window.Right-info.Window.Left) + 1, int(info.Window.Bottom-info.Window.Top) + 1
}

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
