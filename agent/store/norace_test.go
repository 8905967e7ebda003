//go:build !race

package store

// everyFault is the step size through the faults of a disk.
const everyFault = 1
