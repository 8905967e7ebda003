package store

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
)

// toJSON encodes a list or map for a column. It fails on text that is not UTF-8 instead of
// changing it, so that the value that is read back has the same hash.
func toJSON(what string, v any) (string, error) {
	text, err := json.Marshal(v, json.Deterministic(true), json.FormatNilSliceAsNull(true))
	if err != nil {
		return "", fmt.Errorf("%s cannot be kept, as a part of it is not valid UTF-8 or JSON: %w", what, err)
	}
	return string(text), nil
}

var errUnreadable = errors.New("a record in it cannot be read")

func fromJSON(text string, v any) error {
	if err := json.Unmarshal([]byte(text), v); err != nil {
		return fmt.Errorf("%w: %w", errUnreadable, err)
	}
	return nil
}

// nanos returns a time as a column, 0 for the zero time.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func fromNanos(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}
