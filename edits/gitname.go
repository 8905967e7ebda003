package edits

import (
	"fmt"
	"strings"
)

// GitName returns a name as git writes it in the header of a diff: in quotes and with C's escapes if it has
// quotes, backslashes or control characters, as in
//
//	rename from "a \"quoted\" name.txt"
func GitName(name string) string {
	special := func(r rune) bool { return r < ' ' || r == 0x7f || r == '"' || r == '\\' }
	if !strings.ContainsFunc(name, special) {
		return name
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(name) {
		switch at := strings.IndexByte("\a\b\t\n\v\f\r\"\\", c); {
		case at >= 0:
			b.WriteString(`\` + `abtnvfr"\`[at:at+1])
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// GitSide returns a name for a line that begins with "---" or "+++", as git writes it: a tab ends one with
// spaces, because a time may follow there.
func GitSide(name string) string {
	if quoted := GitName(name); quoted != name || !strings.Contains(name, " ") {
		return quoted
	}
	return name + "\t"
}
