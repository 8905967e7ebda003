package draft

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"redline/internal/lazyregexp"
)

var (
	xmlDeclaration = lazyregexp.New(`^\s*<\?xml\s[^>]*\?>`)
	entity         = lazyregexp.New(`&[\pL_:][\pL\d_:.-]*;`)
)

// parseXML parses an XML file: tags must match. Entities are right if the file names a document
// type, which may declare them; the version and the encoding that it declares do not count, since
// the text was read already.
func parseXML(text string) problem {
	text = xmlDeclaration().ReplaceAllStringFunc(text, blanked)
	if strings.Contains(text, "<!DOCTYPE") {
		text = entity().ReplaceAllStringFunc(text, blanked)
	}
	d := xml.NewDecoder(strings.NewReader(strings.ToValidUTF8(text, "?")))
	var open []element
	for {
		line, _ := d.InputPos()
		token, err := d.Token()
		switch token := token.(type) {
		case xml.StartElement:
			open = append(open, element{token.Name.Local, line})
		case xml.EndElement:
			open = open[:max(len(open)-1, 0)]
		}
		if errors.Is(err, io.EOF) {
			return problem{}
		}
		if e, ok := errors.AsType[*xml.SyntaxError](err); ok {
			if e.Msg == "unexpected EOF" && len(open) > 0 {
				last := open[len(open)-1]
				return wrong(e.Line, fmt.Sprintf("the text ends before </%s>, the end of the element of line %d", last.name, last.line))
			}
			return wrong(e.Line, e.Msg)
		} else if err != nil {
			return unknown
		}
	}
}

// element is an element that is not closed yet.
type element struct {
	name string
	line int // of its start, from 1
}

// blanked replaces each byte of a text with a space, except for line ends.
func blanked(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return ' '
	}, text)
}
