//go:build !linux && !darwin

package workspace

import "io/fs"

// changeTime does not tell here: the time of modification has to do.
func changeTime(fs.FileInfo) int64 { return 0 }
