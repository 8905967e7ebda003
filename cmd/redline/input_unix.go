//go:build unix

package main

import (
	"context"
	"os"

	"golang.org/x/sys/unix"
)

// awaitInput waits until there is something to read from a terminal, or ctx ends. A read that nobody waits for
// any more would take what is typed for the next one.
func awaitInput(ctx context.Context, from *os.File) {
	ended, end, err := os.Pipe()
	if err != nil {
		return
	}
	defer ended.Close()
	stop := context.AfterFunc(ctx, func() { end.Close() })
	defer func() {
		if stop() {
			end.Close()
		}
	}()
	for {
		waits := []unix.PollFd{{Fd: int32(from.Fd()), Events: unix.POLLIN}, {Fd: int32(ended.Fd()), Events: unix.POLLIN}}
		if _, err := unix.Poll(waits, -1); err != unix.EINTR {
			return
		}
	}
}

// typedKeys reads what was typed before now.
func typedKeys(from *os.File) (all []byte) {
	for keys := make([]byte, 4096); ; {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(from.Fd()), Events: unix.POLLIN}}, 0)
		if err == unix.EINTR {
			continue
		}
		if n < 1 || err != nil {
			return all
		}
		if n, err = from.Read(keys); n < 1 || err != nil {
			return all
		}
		all = append(all, keys[:n]...)
	}
}
