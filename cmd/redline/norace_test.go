//go:build !race

package main

// kills is how often TestCrash kills a server.
const kills = 200
