package edits

import "strings"

// Kept says what of a file's form a whole new text was given that it did not
// come with.
type Kept struct {
	Ends bool // line ends: of unchanged lines their own, of new ones their neighbours'
	Last bool // the line end of the last line
}

// Any reports whether there is anything.
func (k Kept) Any() bool { return k != Kept{} }

// Whole returns content, which is to take the place of base as the whole text
// of a file, in the form that the file has. Who writes a file anew means its
// lines: "\r\n" is not seen, and the last line end is often left off by
// accident. So content without any "\r" gets the line ends of base, line by
// line, and content whose last line has no end the one that base has there. A
// byte order mark is dropped: it is no part of a text, and the file keeps its
// own. What else content does bring, and a text that is empty, stays as it is.
func Whole(base, content string) (string, Kept) {
	var k Kept
	content = withoutBOM(content)
	if base == "" || content == "" {
		return content, k
	}
	crs := strings.IndexByte(content, '\r') >= 0
	if end := lineEnd(base); end != "" && lineEnd(content) == "" {
		k.Last = true
		if !crs {
			end = "\n" // converted with the others
		}
		content += end
	}
	if !crs && strings.IndexByte(base, '\r') >= 0 {
		e, _ := WithEnds(base, Edit{Span{0, len(base)}, content})
		k.Ends = e.New != content && !(k.Last && strings.Count(content, "\n") == 1)
		content = e.New
	}
	return content, k
}
