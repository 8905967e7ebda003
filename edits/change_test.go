package edits_test

import (
	"testing"

	"redline/edits"
)

func TestKindNames(t *testing.T) {
	for k, want := range map[edits.Kind]string{edits.Update: "update", edits.Create: "create", edits.Rename: "rename", edits.Delete: "delete"} {
		if k.String() != want {
			t.Errorf("got %q, want %q", k, want)
		}
	}
}
