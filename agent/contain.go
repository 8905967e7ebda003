package agent

import (
	"errors"
	"fmt"
	"runtime/debug"

	"go.uber.org/zap"

	"redline/agent/model"
)

// panicked is a panic that was turned into an error at the boundary of a turn
// or an execution.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string {
	return "Redline has a fault and could not finish this; the log says where"
}

// contained runs f and turns a panic into an error: a fault in one turn must
// not end the server.
func contained(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &panicked{value: r, stack: debug.Stack()}
		}
	}()
	return f()
}

// logFailure writes what the user is not told: where a fault was.
func (a *Agent) logFailure(t *turn, err error) {
	if a.logPanic("a turn panicked", err, zap.String("turn", t.id)) {
		return
	}
	a.log.Info("a turn failed", zap.String("turn", t.id), zap.Error(err))
}

// logPanic writes where a fault was, and reports whether the error is one.
func (a *Agent) logPanic(what string, err error, fields ...zap.Field) bool {
	var p *panicked
	if !errors.As(err, &p) {
		return false
	}
	a.log.Error(what, append(fields, zap.String("value", fmt.Sprint(p.value)), zap.ByteString("stack", p.stack))...)
	return true
}

// ProviderFailed tells whether an error is the model provider's.
func ProviderFailed(err error) bool {
	var e *model.Error
	return errors.As(err, &e)
}
