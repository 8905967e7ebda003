//go:build !unix

package workspace

import "io/fs"

// nonblock is 0 on systems without FIFOs.
const nonblock = 0

// ownerOf finds no owner: on this system it could not be restored.
func ownerOf(fs.FileInfo) (uid, gid int, ok bool) { return 0, 0, false }

// linksOf returns 1: this system does not tell how many names a file has.
func linksOf(fs.FileInfo) uint64 { return 1 }
