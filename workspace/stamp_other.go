//go:build !linux && !darwin

package workspace

import "io/fs"

// linksOf returns 1: only the commands of trials need it, and there are none here.
func linksOf(fs.FileInfo) uint64 { return 1 }

// changeTime returns 0: this system reports only the time of modification.
func changeTime(fs.FileInfo) int64 { return 0 }
