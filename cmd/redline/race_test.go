//go:build race

package main

// kills is how often TestCrash kills a server. The race detector makes the server
// ten times slower, and the moments are spread all the same.
const kills = 40
