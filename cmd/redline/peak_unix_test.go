//go:build unix

package main

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// peakMemory returns the peak resident memory of a process, in MiB.
func peakMemory(p *os.ProcessState) (float64, error) {
	u, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, errors.New("this system does not tell the peak of memory")
	}
	unit := 1 << 10 // KiB
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		unit = 1
	}
	return float64(u.Maxrss) * float64(unit) / (1 << 20), nil
}
