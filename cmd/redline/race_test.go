//go:build race

package main

// kills is how often the TestCrash… tests kill a process in total. The race detector makes each
// kill ten times slower; the random moments are still well spread.
const kills = 40
