package statusline

import (
	"os"

	"golang.org/x/sys/windows"
)

// Size returns how many columns and rows a terminal has, 0 if it does not say.
func Size(f *os.File) (columns, rows int) {
	var info windows.ConsoleScreenBufferInfo
	if windows.GetConsoleScreenBufferInfo(windows.Handle(f.Fd()), &info) != nil {
		return 0, 0
	}
	return int(info.Window.Right-info.Window.Left) + 1, int(info.Window.Bottom-info.Window.Top) + 1
}

// Able reports whether a terminal follows the controls that a line needs. It has a console of
// Windows follow them.
func Able(f *os.File) bool {
	var mode uint32
	handle := windows.Handle(f.Fd())
	if os.Getenv("TERM") == "dumb" || windows.GetConsoleMode(handle, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(handle, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
