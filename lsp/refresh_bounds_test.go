package lsp

import (
	"fmt"
	"testing"
)

// The virtual documents that are followed are bounded, since nobody says when
// one is closed.
func TestVirtualDocumentsAreBounded(t *testing.T) {
	r := newRefresher(refresherOptions{Virtual: true})
	for i := range 2 * maxVirtual {
		r.gave(fmt.Sprint(i), madeVirtual{})
	}
	if len(r.virtual) != maxVirtual {
		t.Errorf("%d are followed", len(r.virtual))
	}
}
