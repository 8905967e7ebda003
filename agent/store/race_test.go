//go:build race

package store

// everyFault is the step through the faults of a disk. The race detector makes
// SQLite, which runs in one goroutine, fifteen times slower: it sees some of
// them, and the tests without it all.
const everyFault = 11
