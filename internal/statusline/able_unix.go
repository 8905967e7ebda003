//go:build unix

package statusline

import "os"

// Able reports whether a terminal understands the control sequences of a status line.
func Able(*os.File) bool { return os.Getenv("TERM") != "dumb" && os.Getenv("TERM") != "" }
