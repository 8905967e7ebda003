package recall

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWords(t *testing.T) {
	got := Words("Please fetch https://example.org/a?id=1&b=(2), then set savedSearchId=42 in `my file.go` and cmd/main.go. "+
		"Use snake_case, fooBar, --force, PROJ-7, @docs, v1.2 and \"two words\" (see http://x.test). But a plain-worded thing, e.g. this; is not, 30. Again: PROJ-7. And plan 12.", 0)
	if diff := cmp.Diff([]string{
		"https://example.org/a?id=1&b=(2)", "savedSearchId=42", "my file.go", "cmd/main.go", "snake_case", "fooBar", "--force", "PROJ-7",
		"@docs", "v1.2", "two words", "http://x.test", "e.g", "30", "plan 12",
	}, got); diff != "" {
		t.Errorf("precise (-want +got):\n%s", diff)
	}
}

// A word is there only as a whole.
func TestIn(t *testing.T) {
	for _, test := range []struct {
		text, word string
		want       bool
	}{
		{"set it to 12.", "12", true},
		{"set it to 120", "12", false},
		{"see https://a.test/x?b=1", "https://a.test/x", false},
		{"see https://a.test/x, then https://a.test/x?b=1", "https://a.test/x", true},
		{"cmd/main.go", "main.go", false},
		{"", "12", false},
	} {
		if got := HasWord(test.text, test.word); got != test.want {
			t.Errorf("%q in %q: %v", test.word, test.text, got)
		}
	}
}
