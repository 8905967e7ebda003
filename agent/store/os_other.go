//go:build !linux

package store

import "io/fs"

func changeOf(fs.FileInfo) (changed int64, inode uint64) { return 0, 0 }
