package diagnostics

import (
	"fmt"
	"testing"

	"redline/lsp/pages"
)

// The number of virtual documents that are followed is limited, since clients do not report
// when they close one.
func TestVirtualDocumentsAreBounded(t *testing.T) {
	r := NewRefresher(RefreshOptions{Virtual: &pages.Virtual{}})
	for i := range 2 * maxVirtual {
		r.Gave(fmt.Sprint(i), pages.Made{})
	}
	if len(r.virtual) != maxVirtual {
		t.Errorf("%d are followed", len(r.virtual))
	}
}
