package edits

import "testing"

func TestKindNames(t *testing.T) {
	for k, want := range map[Kind]string{Update: "update", Create: "create", Rename: "rename", Delete: "delete"} {
		if k.String() != want {
			t.Errorf("got %q, want %q", k, want)
		}
	}
}
