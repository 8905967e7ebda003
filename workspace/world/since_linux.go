package world

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// telling are the file systems of this machine's disks and memory that change a file's change time also
// when it is moved or linked, and take it from the clock of this machine.
var telling = []int64{unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, unix.TMPFS_MAGIC}

// StartSince returns a moment: all that changed before the call has an earlier change time, and all that
// changes after it has returned has this one or a later one. It takes a tick of the clock. The caller must close
// it. The error says why that is not possible here.
func StartSince(ctx context.Context) (*Since, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_REALTIME, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK)
	if err != nil {
		return nil, os.NewSyscallError("timerfd_create", err)
	}
	s := &Since{clock: kernelClock{}, set: os.NewFile(uintptr(fd), "clock")}
	far := unix.ItimerSpec{Value: unix.Timespec{Sec: 1 << 40}} // only that the clock is set ends the wait
	if err := unix.TimerfdSettime(fd, unix.TFD_TIMER_ABSTIME|unix.TFD_TIMER_CANCEL_ON_SET, &far, nil); err != nil {
		s.Close()
		return nil, os.NewSyscallError("timerfd_settime", err)
	}
	if err := s.start(ctx); err != nil {
		s.Close()
		return nil, err
	}
	go func() {
		for {
			if _, err := s.set.Read(make([]byte, 8)); !errors.Is(err, unix.ECANCELED) {
				return // it is closed
			}
			s.look()
		}
	}()
	return s, nil
}

const (
	nextTick = time.Millisecond // how long to wait for a tick
	maxTicks = 200              // how often
)

// start waits for the next tick of the clock that gives files their times.
func (s *Since) start(ctx context.Context) error {
	now, up, ok := s.clock.both()
	if !ok {
		return errors.New("the clock is slow")
	}
	s.ahead = now - up
	for range maxTicks {
		if at := s.clock.files() - 2*reading; at > now+2*reading { // so that what look cannot see does not count
			s.began, s.at = at, at
			return nil
		}
		select {
		case <-time.After(nextTick):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return errors.New("the clock stands still")
}

// Tells reports whether the change times of the files in a folder, which itself changed at a time, say whether
// they have changed: it is on a disk of this machine that stores parts of a second.
func (s *Since) Tells(dir string, changed time.Time) bool {
	var fs unix.Statfs_t
	return changed.Nanosecond() != 0 && unix.Statfs(dir, &fs) == nil && slices.Contains(telling, int64(fs.Type)) //nolint:unconvert // it has fewer bits on some systems
}

// kernelClock are the clocks of this system.
type kernelClock struct{}

func (kernelClock) files() time.Duration { return timeBy(unix.CLOCK_REALTIME_COARSE) }

func (kernelClock) both() (now, up time.Duration, ok bool) {
	for range 100 { // other programs may come between
		before := timeBy(unix.CLOCK_BOOTTIME)
		now = timeBy(unix.CLOCK_REALTIME)
		if up = timeBy(unix.CLOCK_BOOTTIME); up-before < reading {
			return now, up, true
		}
	}
	return now, up, false
}

func timeBy(clock int32) time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(clock, &t) // which fails for no clock that there is
	return time.Duration(t.Nano())
}
