// Package cgroup makes Linux's control groups (version 2) for processes that this process starts,
// so that the kernel knows all that they start in turn, and bounds what they use together.
package cgroup

// Bounds are what the processes of a cgroup can use together. Zero is no bound.
type Bounds struct {
	Memory    int64 // bytes, files in memory included
	Processes int   // processes and threads
}
