//go:build !linux

package world

import (
	"context"
	"time"
)

// StartSince returns [ErrUnsupported].
func StartSince(context.Context) (*Since, error) { return nil, ErrUnsupported }

// Tells reports false.
func (s *Since) Tells(string, time.Time) bool { return false }
