package editors

import (
	"os"
	"testing"
)

// A clone of the repository has the tags of the help, since plugin managers make tags only for
// the doc folder at its top.
func TestHelpTagsAreCurrent(t *testing.T) {
	text, err := files.ReadFile("nvim/doc/redline.txt")
	if err != nil {
		t.Fatal(err)
	}
	tags, err := os.ReadFile("nvim/doc/tags")
	if want := helpTags("redline.txt", string(text)); err != nil || string(tags) != want {
		t.Errorf("doc/tags is not current (%v): run nvim --headless --clean -c 'helptags editors/nvim/doc' -c quit", err)
	}
}
