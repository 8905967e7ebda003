package recall

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"redline/agent/precise"
)

// maxName is how long a name may be that is listed, in bytes.
const maxName = 500

// maxRead bounds how much of a text is searched for names, in bytes: a reply that
// goes on for megabytes would keep the end of its turn for seconds.
const maxRead = 512 << 10

// Shorten returns a text of at most max bytes, at least 100: one that is longer as
// its beginning, with how much is left out and the addresses, names and numbers of
// what is. Those that have no room are counted. It is valid UTF-8. Of a text of more
// than half a mebibyte only those of its beginning are known.
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
	for _, share := range []int{2, 4, 8, 0} { // of the room, for the beginning
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

// beginning is at most max bytes of a text, in whole words.
func beginning(text string, max int) string {
	for max > 0 && !utf8.RuneStart(text[max]) {
		max--
	}
	return strings.TrimRightFunc(text[:strings.LastIndexFunc(text[:max], unicode.IsSpace)+1], unicode.IsSpace)
}

// withNames is the beginning of a text, of which left bytes are left out, with the
// names that are not in it: in all at most max bytes. whole is false if there is no
// room for all of them.
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

// missing are the names that are not in a text.
func missing(text string, names []string) (out []string) {
	for _, name := range names {
		if !precise.In(text, name) {
			out = append(out, name)
		}
	}
	return out
}
