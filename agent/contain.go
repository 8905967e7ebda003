package agent

import (
	"errors"

	"go.uber.org/zap"

	"redline/agent/model"
	"redline/agent/session"
)

// contained is [session.Contain].
func contained(f func() error) error { return session.Contain(f) }

// logPanic is [session.Session.LogPanic].
func (a *Agent) logPanic(what string, err error, fields ...zap.Field) bool {
	return a.session.LogPanic(what, err, fields...)
}

// ProviderFailed tells whether an error is the model provider's.
func ProviderFailed(err error) bool {
	var e *model.Error
	return errors.As(err, &e)
}
