//go:build !linux || !(amd64 || arm64)

package world

import (
	"context"
	"io"
	"os"
	"syscall"
)

// Attributes returns nil: this system has no worlds.
func Attributes(World) *syscall.SysProcAttr { return nil }

// Enter returns [ErrUnsupported].
func Enter(World) (*Capture, error) { return nil, ErrUnsupported }

// Seal returns [ErrUnsupported].
func Seal(World) error { return ErrUnsupported }

// Private returns no files.
func Private() []string { return nil }

// MountPoints returns nil: nobody knows them.
func MountPoints() map[string]bool { return nil }

// Limit returns [ErrUnsupported].
func Limit(int, World) error { return ErrUnsupported }

// Unreached returns 0.
func Unreached() int { return 0 }

// Probe tries nothing and reaches nothing.
func Probe(Targets) (reached []string, tried int) { return nil, 0 }

// Launcher does nothing on this system.
type Launcher struct {
	World World
	Args  []string

	StateLeft int
}

// FindBwrap returns [ErrUnsupported].
func FindBwrap() (string, error) { return "", ErrUnsupported }

// NewLauncher returns [ErrUnsupported].
func NewLauncher(World, string, string) (*Launcher, error) { return nil, ErrUnsupported }

// Send returns [ErrUnsupported].
func (*Launcher) Send(io.Writer) error { return ErrUnsupported }

// EnterCopy returns [ErrUnsupported].
func EnterCopy(World, *os.File) (*Capture, error) { return nil, ErrUnsupported }

// Full returns false.
func Full(World) bool { return false }

// Memory does nothing on this system.
type Memory struct{}

// WatchMemory returns a watch that finds nothing.
func WatchMemory(int64) *Memory { return &Memory{} }

// Over returns false.
func (*Memory) Over() bool { return false }

// Written does nothing on this system.
type Written struct{}

// WatchWritten returns nil.
func WatchWritten(World) *Written { return nil }

// Names returns none.
func (*Written) Names() []string { return nil }

// Capture does nothing on this system.
type Capture struct{}

// List finds nothing.
func (*Capture) List(context.Context, func([]Entry) error) error { return nil }

// Filled returns false.
func (*Capture) Filled() bool { return false }

// Read returns [ErrUnsupported].
func (*Capture) Read(int) ([]byte, error) { return nil, ErrUnsupported }

// ReadState finds nothing.
func (*Capture) ReadState(context.Context, func(Entry) error) (int, error) { return 0, nil }

// Fits returns [ErrUnsupported].
func Fits(string) error { return ErrUnsupported }
