package agent

import (
	"errors"

	"redline/agent/model"
	"redline/agent/session"
)

// contained is [session.Contain].
func contained(f func() error) error { return session.Contain(f) }

// ProviderFailed tells whether an error is the model provider's.
func ProviderFailed(err error) bool {
	var e *model.Error
	return errors.As(err, &e)
}
