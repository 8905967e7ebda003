//go:build !linux || !(amd64 || arm64)

package world

import "syscall"

// Attributes returns nil: this system has no worlds.
func Attributes() *syscall.SysProcAttr { return nil }

// Enter returns [ErrUnsupported].
func Enter(World) error { return ErrUnsupported }

// Seal returns [ErrUnsupported].
func Seal() error { return ErrUnsupported }

// Limit returns [ErrUnsupported].
func Limit(int, World) error { return ErrUnsupported }

// Probe reaches nothing, and tries nothing.
func Probe(Targets) (reached []string, tried int) { return nil, 0 }
