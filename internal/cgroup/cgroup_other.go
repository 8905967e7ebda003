//go:build !linux

package cgroup

import (
	"errors"
	"os"
)

// Group is a cgroup. This system has none, so a Group is always nil.
type Group struct{}

// Bounded returns nil.
func Bounded(Bounds) *Group { return nil }

// Joining returns an error.
func (g *Group) Joining() (*os.File, error) { return nil, errors.ErrUnsupported }

// OutOfMemory returns false.
func (g *Group) OutOfMemory() bool { return false }

// Remove does nothing.
func (g *Group) Remove() {}
