//go:build race

package main

// kills is how often the tests TestCrash… kill a process, together. The race detector
// makes it ten times slower, and the moments are spread all the same.
const kills = 40
