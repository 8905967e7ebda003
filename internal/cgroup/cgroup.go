// Package cgroup creates Linux control groups (version 2) for processes that this process
// starts, so that the kernel tracks all their descendants and limits what they use
// together.
package cgroup

// Bounds are the limits for the processes of a cgroup together. Zero means no limit.
type Bounds struct {
	Memory    int64 // in bytes, including files in memory
	Processes int   // number of processes and threads
}
