package adapt

import (
	"strings"

	"redline/edits"
	"redline/edits/internal/linetext"
)

// Kept says what of a file's form a whole new text was given that it did not
// come with.
type Kept struct {
	Ends bool // line ends: of unchanged lines their own, of new ones their neighbours'
	Last bool // the line end of the last line
}

// Any reports whether there is anything.
func (k Kept) Any() bool { return k != Kept{} }

// Whole returns Content, which is to take the place of base as the whole text
// of a file, in the form that the file has. Who writes a file anew means its
// lines: "\r\n" is not seen, or written everywhere, and the last line end is often
// left off by accident. So Content gets the line ends of base, line by line, and
// one after its last line if base has one there. But Content with a "\r" that
// differs from base in nothing but line ends means these, and stays as it is. A
// byte order mark is dropped: it is no part of a text, and the file keeps its
// own. A text that is empty stays so.
func Whole(base, content string) (string, Kept) {
	var k Kept
	content = linetext.WithoutBOM(content)
	if base == "" || content == "" {
		return content, k
	}
	given := content
	if k.Last = linetext.End(base) != "" && linetext.End(content) == ""; k.Last {
		content += "\n"
	}
	e, _ := WithEnds(base, edits.Edit{Span: edits.Span{Start: 0, End: len(base)}, New: content})
	content = e.New
	k.Ends = content != given
	if k.Last {
		k.Ends = strings.TrimSuffix(content, linetext.End(content)) != given
	}
	return content, k
}
