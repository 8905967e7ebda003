package lsp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/lsp/lsptest"
)

// A preview that another program has edited becomes a revision when its plan is approved. Nobody has
// seen that one here, so the approval is refused, and the revision is opened.
func TestARevisionOfAPreviewOnDiskIsOpened(t *testing.T) {
	c := connect(t, lsptest.HelixLike(), map[string]string{"a.txt": twoFruits})
	c.plan(`replace "apple" with "pear"`)
	c.await(lsptest.ShownDocument("0001-r1.md"))
	c.must(c.Close(".redline/plans/0001-r1.md"))
	page := filepath.Join(c.dir, ".redline", "plans", "0001-r1.md")
	text, err := os.ReadFile(page)
	c.must(err)
	c.must(os.WriteFile(page, []byte(strings.Replace(string(text), "+one pear", "+one plum", 1)), 0o600))
	if _, err := c.approve(); err == nil {
		t.Error("the approval of what nobody has seen is not refused")
	}
	c.await(lsptest.And(lsptest.MessageContains("it is revision 2 now"), lsptest.ShownDocument("0001-r2.md")))
	if _, err := c.approve(); err != nil {
		t.Error(err)
	}
	if got := c.Text("a.txt"); !strings.Contains(got, "plum") {
		t.Errorf("a.txt is %q", got)
	}
}
