//go:build !race

package main

// kills is how often the tests TestCrash… kill a process, together.
const kills = 200
