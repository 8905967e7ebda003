package agent

import (
	"errors"

	"go.uber.org/zap"

	"redline/agent/model"
	"redline/agent/session"
)

// contained is [session.Contain].
func contained(f func() error) error { return session.Contain(f) }

// logFailure writes what the user is not told: where a fault was.
func (a *Agent) logFailure(t *turn, err error) {
	if a.logPanic("a turn panicked", err, zap.String("turn", t.id)) {
		return
	}
	a.log.Info("a turn failed", zap.String("turn", t.id), zap.Error(err))
}

// logPanic is [session.Session.LogPanic].
func (a *Agent) logPanic(what string, err error, fields ...zap.Field) bool {
	return a.session.LogPanic(what, err, fields...)
}

// ProviderFailed tells whether an error is the model provider's.
func ProviderFailed(err error) bool {
	var e *model.Error
	return errors.As(err, &e)
}
