package session

import (
	"errors"
	"fmt"
	"runtime/debug"

	"go.uber.org/zap"
)

// panicked is a panic that was turned into an error at the boundary of a turn or an
// execution.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string {
	return "Redline has a fault and could not finish this; the log says where"
}

// Contain runs f and turns a panic into an error: a fault in one turn must not end the
// server.
func Contain(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &panicked{value: r, stack: debug.Stack()}
		}
	}()
	return f()
}

// LogPanic logs where a fault was, and reports whether the error is one that [Contain]
// has made.
func (s *Session) LogPanic(what string, err error, fields ...zap.Field) bool {
	var p *panicked
	if !errors.As(err, &p) {
		return false
	}
	s.Log.Error(what, append(fields, zap.String("value", fmt.Sprint(p.value)), zap.ByteString("stack", p.stack))...)
	return true
}
