package pagetest

import "testing"

func TestCut(t *testing.T) {
	before, part, after, err := cut("a\n<!-- made:x -->\nold\n<!-- /made -->\nb\n", "x")
	if err != nil || before != "a\n<!-- made:x -->\n" || part != "old\n" || after != "<!-- /made -->\nb\n" {
		t.Errorf("got %q, %q, %q, %v", before, part, after, err)
	}
	for _, wrong := range []string{
		"nothing", "<!-- made:x -->\nno end", "<!-- made:y -->\n<!-- /made -->\n",
		"<!-- made:x -->\n<!-- made:y -->\n<!-- /made -->\n",
		"<!-- made:x -->\n<!-- /made -->\n<!-- made:x -->\n<!-- /made -->\n",
	} {
		if _, _, _, err := cut(wrong, "x"); err == nil {
			t.Errorf("%q has a part", wrong)
		}
	}
}
