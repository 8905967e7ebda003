//go:build unix

package toolset_test

import (
	"syscall"
	"testing"
	"time"
)

// cpuTime returns the processor time that this process has used.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
