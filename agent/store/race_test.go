//go:build race

package store

// everyFault is the step size through the faults of a disk. The race detector makes SQLite, which
// runs in one goroutine, fifteen times slower: these tests see some of the faults, and the tests
// without it see all.
const everyFault = 11
