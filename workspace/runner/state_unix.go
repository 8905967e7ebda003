//go:build unix

package runner

import (
	"context"
	"encoding/json"

	"redline/workspace/world"
)

// kept is a part of what a helper has read of the state in its world.
type kept struct {
	Entry *world.Entry `json:"entry,omitempty"`
	Done  bool         `json:"done,omitempty"` // that was all
	More  int          `json:"more,omitempty"` // with Done: how many files were not named

	// With Done: why not everything was read, as a part of a sentence, and whether there was no room
	// left for what the command wrote.
	Problem string `json:"problem,omitempty"`
	Filled  bool   `json:"filled,omitempty"`
}

// sendState ends everything else in this helper's world, then sends what is to be written back to the
// parent. It does so without being asked: the parent may already have stopped the command.
func sendState(left *world.Capture, filled bool, say *json.Encoder) {
	done := kept{Done: true, Filled: filled}
	err := settle(say)
	if err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), stateTime)
		defer cancel()
		done.More, err = left.ReadState(ctx, func(e world.Entry) error { return say.Encode(notice{Kept: &kept{Entry: &e}}) })
	}
	if err != nil {
		done.Problem = err.Error()
	}
	_ = say.Encode(notice{Kept: &done}) // an error means that the parent has exited
}
