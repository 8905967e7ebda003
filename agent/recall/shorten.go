package recall

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"redline/agent/precise"
)

// maxName is how many bytes a listed name may have.
const maxName = 500

// maxRead is how many bytes of a text are searched for names: searching a reply of megabytes
// would delay the end of its turn by seconds.
const maxRead = 512 << 10

// Shorten returns text in at most max bytes, which must be at least 100. It cuts a longer
// text after its beginning, and adds how much is left out and which addresses, names and
// numbers that part has; those that do not fit are counted. It searches for names only in
// the first maxRead bytes. The result is valid UTF-8.
func Shorten(text string, max int) string {
	text = strings.ToValidUTF8(text, "?")
	if len(text) <= max {
		return text
	}
	searched := text
	if len(text) > maxRead {
		searched = beginning(text, maxRead)
	}
	names := precise.Words(searched, 0)
	var short string
	for _, share := range []int{2, 4, 8, 0} { // the part of the room for the beginning
		head := ""
		if share > 0 {
			head = beginning(text, max/share)
		}
		var whole bool
		if short, whole = withNames(head, len(text)-len(head), names, max); whole {
			break
		}
	}
	return short
}

// beginning returns at most max bytes of a text, in whole words.
func beginning(text string, max int) string {
	for max > 0 && !utf8.RuneStart(text[max]) {
		max--
	}
	return strings.TrimRightFunc(text[:strings.LastIndexFunc(text[:max], unicode.IsSpace)+1], unicode.IsSpace)
}

// withNames returns head, the beginning of a text of which left bytes are left out, and the
// names that head does not have, in at most max bytes together. whole reports whether all
// names fit.
func withNames(head string, left int, names []string, max int) (text string, whole bool) {
	const end = "]"
	text = strings.TrimLeft(fmt.Sprintf("%s [… %d bytes are left out", head, left), " ")
	most := max - len(end) - len("; 1000000 more names too")
	lost := 0
	for i, name := range missing(head, names) {
		before := ", "
		if i == lost {
			before = ", in which there are: "
		}
		if len(name) > maxName || len(text)+len(before)+len(name) > most {
			lost++
			continue
		}
		text += before + name
	}
	if lost > 0 {
		text += fmt.Sprintf("; %d more names too", lost)
	}
	return text + end, lost == 0
}

// missing returns the names that are not in a text.
func missing(text string, names []string) (out []string) {
	for _, name := range names {
		if !precise.In(text, name) {
			out = append(out, name)
		}
	}
	return out
}
