package adapt

import (
	"strings"

	"redline/edits"
	"redline/edits/internal/linetext"
)

// Kept says what a whole new text took over from the file.
type Kept struct {
	Ends bool // line ends: unchanged lines keep theirs, new lines get those of their neighbours
	Last bool // the line end of the last line
}

// Whole returns content, the new text of a file, in the form of base, the text that it
// replaces. A model that rewrites a file means its lines: it overlooks "\r\n" or writes
// it everywhere, and often forgets the last line end. So content gets the line ends of
// base, line by line, and one after its last line if base has one there. But if content
// has a "\r" and differs from base only in line ends, it means these and stays as it is.
// Whole drops a byte order mark: it is not part of a text, and the file keeps its own. An
// empty text stays empty.
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
