package patch_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/edits/patch"
)

func TestFences(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []patch.Fence
	}{
		{"named above", "`a.go`:\n```go\nx\n```\n", []patch.Fence{{Path: "a.go", Text: "x\n"}}},
		{"named behind the marks", "~~~go a.go\nx\n~~~\n", []patch.Fence{{Path: "a.go", Text: "x\n"}}},
		{"a fence in it", "`a.md`:\n````\n```\nx\n```\n````\n", []patch.Fence{{Path: "a.md", Text: "```\nx\n```\n"}}},
		{"code in a sentence before it", "```x``` goes first.\n`a.go`:\n```go\nx\n```\n", []patch.Fence{{Path: "a.go", Text: "x\n"}}},
		{"never closed", "`a.go`:\n```go\nx\n", nil},
		{"without a name", "```go\nx\n```\n", nil},
	} {
		if d := cmp.Diff(c.want, patch.Fences(c.text)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}
