//go:build !race

package main

// kills is how many times the tests TestCrash… kill a process in total.
const kills = 200
