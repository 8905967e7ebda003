package plan

import "testing"

// An empty file that is made or removed is in a diff.
func TestDiffOfEmptyFiles(t *testing.T) {
	for action, want := range map[Action]string{
		Create: "diff --git a/e b/e\nnew file mode 100644\n", Delete: "diff --git a/e b/e\ndeleted file mode 100644\n",
	} {
		c := Change{Path: "e", Action: action, BaseExists: action == Delete, Base: BlobOf(""), Proposed: BlobOf("")}
		if got := c.Diff("", ""); got != want {
			t.Errorf("%s: %q", action, got)
		}
	}
}
