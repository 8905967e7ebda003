package refresh

import (
	"fmt"
	"testing"

	"redline/lsp/virtual"
)

// The virtual documents that are followed are bounded, since nobody says when
// one is closed.
func TestVirtualDocumentsAreBounded(t *testing.T) {
	r := New(Options{Virtual: true})
	for i := range 2 * maxVirtual {
		r.Gave(fmt.Sprint(i), virtual.Made{})
	}
	if len(r.virtual) != maxVirtual {
		t.Errorf("%d are followed", len(r.virtual))
	}
}
