//go:build !unix

package store

// exists reports that there may be a process with an id: here none shares a lock with another.
func exists(int) bool { return true }
