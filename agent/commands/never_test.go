package commands

import (
	"strings"
	"testing"
)

// No rule allows what shells or readers could read differently, whatever it names.
func TestNeverAllowed(t *testing.T) {
	r := parsed(t, []string{"true", "cat", "test", "printf"}, nil)
	for _, line := range []string{
		"true # \\\ntouch EVIL", "true # why", "true #", "# why\ntrue", "true;# why", "true\n# why",
		"true \\\r\ntouch EVIL", "true\r", "true\r\ntrue", "true \r# x", "true 'a\rb'", "true\x00", "true \x01", "true\x0b", "true\x0c", "true \x7f", "true \u0085",
		"true\u00a0", "true \u2003a", "true \u2800", "true \u3000", "true '\u00a0'", "true \u202e", "true \u200b", "true \ufeff", "true \xff", "true '\xff'", "true \xc3\xa0", "true é\\\\",
		"true &\\\n& true", "true |\\\n| true", "tr\\\nue", "true a\\\n", "true\\\n", "true \"a\\\nb\"", "true \\", "true 'a", "true \"a", "true `", "true 'a\nb'",
		"true; cat <<EOF", "cat <<X\nX", "true 10>&1", "true 3>&1", "true >&1x", "true > /dev/null/x", "true >\"/dev/null\"", "true 2>&1>f", "{true}", "true |& cat", "true &", "true && true &", "true ;; true", "! ! true", "true | ! true", "true &>f", "true >|f",
		"test -v 'a[$(touch EVIL)]'", "test 'a[$(touch EVIL)]' -eq 1", "printf -v PATH .", "printf -vPATH .", "true (a)", "true a(b)", "true)", "true ~", "true a:~", "true =~", "true $", "true {a,b}", "true !a",
		strings.Repeat("true\n", 7000), "true " + strings.Repeat("<", 2000),
	} {
		if v := r.Judge(line, ""); v.Answer != Ask {
			t.Errorf("%.60q: %+v", line, v)
		}
	}
}
