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
	return "A bug in Redline stopped this; the log says where"
}

// Contain runs f and returns a panic as an error, so that a fault in one turn does not end
// the server.
func Contain(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &panicked{value: r, stack: debug.Stack()}
		}
	}()
	return f()
}

// LogPanic logs the value and the stack of a panic, if err is one that [Contain] returned,
// and reports whether it is.
func (s *Session) LogPanic(what string, err error, fields ...zap.Field) bool {
	var p *panicked
	if !errors.As(err, &p) {
		return false
	}
	s.Log.Error(what, append(fields, zap.String("value", fmt.Sprint(p.value)), zap.ByteString("stack", p.stack))...)
	return true
}
