package agent

import (
	"errors"

	"redline/agent/model"
)

// ProviderFailed tells whether an error is the model provider's.
func ProviderFailed(err error) bool {
	var e *model.Error
	return errors.As(err, &e)
}
