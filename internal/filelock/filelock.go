// Package filelock locks files for as long as this process lives. The kernel gives
// a lock back when its process ends, however it ends.
package filelock
