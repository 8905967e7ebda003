// Package filelock locks files while this process lives. The kernel releases a lock when
// its process ends, in whatever way.
package filelock
