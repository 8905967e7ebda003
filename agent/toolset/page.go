package toolset

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"redline/agent/tool"
	"redline/edits"
	"redline/internal/lazyregexp"
)

// read returns the page with a fetched body as its text; for HTML, the visible text. Control
// characters, and those that a reader would not see or that reorder the text, are written out.
func read(p tool.Fetched, body []byte) (tool.Fetched, error) {
	if bytes.IndexByte(body, 0) >= 0 {
		return p, &pageRefusal{p.URL + " is binary, which is no text"}
	}
	text := string(body)
	if p.Type == "text/html" || p.Type == "application/xhtml+xml" || p.Type == "" && bytes.HasPrefix(bytes.TrimSpace(bytes.ToLower(body[:min(len(body), 512)])), []byte("<!doctype html")) {
		var err error
		if text, err = readable(body); err != nil {
			return p, &pageRefusal{p.URL + " is HTML that is nested too deep to be read"}
		}
	}
	p.Text = edits.Visible(strings.Map(plain, strings.ToValidUTF8(text, "\ufffd")))
	return p, nil
}

// plain leaves out what pages use for their layout: marks for the end of a line and the beginning
// of a file, and spaces of other widths.
func plain(r rune) rune {
	switch {
	case r == '\u00ad' || r == '\ufeff':
		return -1
	case r != '\u3000' && unicode.Is(unicode.Zs, r):
		return ' '
	}
	return r
}

// blocks are the elements that begin on a line of their own.
var blocks = map[atom.Atom]bool{
	atom.Title: true, atom.Body: true, atom.P: true, atom.Div: true, atom.Br: true, atom.Li: true, atom.Ul: true, atom.Ol: true, atom.Tr: true, atom.Table: true,
	atom.Pre: true, atom.Section: true, atom.Article: true, atom.Header: true, atom.Footer: true, atom.Nav: true, atom.Blockquote: true,
	atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true, atom.Dt: true, atom.Dd: true, atom.Hr: true,
}

// readable returns the text of an HTML page: paragraphs as lines, headings with their signs,
// items with a dash, preformatted text unchanged. It leaves out what an element's own attributes
// hide; it reads no style sheets. The error says that the page is nested too deep.
func readable(body []byte) (string, error) {
	page, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	w := &writer{}
	w.node(page, false)
	return strings.TrimRight(w.String(), "\n"), nil
}

// node writes the text of a node, which is in preformatted text if pre is true. The parser limits
// the depth.
func (w *writer) node(n *html.Node, pre bool) {
	switch n.Type {
	case html.TextNode:
		w.text(n.Data, pre)
		return
	case html.CommentNode, html.DoctypeNode:
		return
	}
	if hidden(n) {
		return
	}
	if blocks[n.DataAtom] {
		w.line()
	}
	w.begin(n.DataAtom)
	for child := range n.ChildNodes() {
		w.node(child, pre || n.DataAtom == atom.Pre)
	}
	if blocks[n.DataAtom] {
		w.line()
	}
}

// writer builds a text and collapses spaces and empty lines.
type writer struct {
	strings.Builder
	fresh bool // at the beginning of a line
	blank bool // a space must come before the next word
}

func (w *writer) line() {
	if w.Len() > 0 && !w.fresh {
		w.WriteByte('\n')
	}
	w.fresh, w.blank = true, false
}

// begin writes the prefix of an element.
func (w *writer) begin(tag atom.Atom) {
	switch tag {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.WriteString(strings.Repeat("#", int(tag.String()[1]-'0')) + " ")
	case atom.Li:
		w.WriteString("- ")
	case atom.Td, atom.Th:
		w.blank = true
	}
}

func (w *writer) text(text string, pre bool) {
	if pre {
		w.WriteString(text)
		w.fresh = strings.HasSuffix(text, "\n")
		return
	}
	for i, word := range strings.Fields(text) {
		if (i > 0 || w.blank || strings.TrimLeft(text, " \t\r\n") != text) && !w.fresh && w.Len() > 0 {
			w.WriteByte(' ')
		}
		w.WriteString(word)
		w.fresh, w.blank = false, false
	}
	if strings.TrimRight(text, " \t\r\n") != text {
		w.blank = true
	}
}

// hiddenElements are the elements without visible text.
var hiddenElements = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Iframe: true, atom.Svg: true, atom.Noembed: true,
	atom.Noframes: true, atom.Datalist: true, atom.Canvas: true, atom.Audio: true, atom.Video: true,
}

// hidden reports whether a browser shows nothing of an element because of its name or of its own
// attributes. Text that only the model would read is the usual way to give it orders.
func hidden(n *html.Node) bool {
	if n.Type != html.ElementNode {
		return false
	}
	closed := n.DataAtom == atom.Dialog
	for _, a := range n.Attr {
		switch {
		case a.Key == "hidden", a.Key == "style" && hides(a.Val):
			return true
		case a.Key == "open":
			closed = false
		}
	}
	return closed || hiddenElements[n.DataAtom]
}

var cssComment = lazyregexp.New(`(?s)/\*.*?(?:\*/|$)`)

// hides reports whether a style shows nothing of an element: not at all, transparent, without size,
// or outside the page.
func hides(style string) bool {
	style = strings.ToLower(cssComment().ReplaceAllString(style, ""))
	for declaration := range strings.SplitSeq(style, ";") {
		name, value, _ := strings.Cut(declaration, ":")
		value, _, _ = strings.Cut(value, "!")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(name) {
		case "display":
			if value == "none" {
				return true
			}
		case "visibility", "content-visibility":
			if value == "hidden" || value == "collapse" {
				return true
			}
		case "color":
			if value == "transparent" {
				return true
			}
		case "opacity", "font-size":
			if size, ok := number(value); ok && size < 0.05 {
				return true
			}
		case "text-indent", "left", "top", "right", "margin-left", "margin-top":
			if size, ok := number(value); ok && size <= -999 {
				return true
			}
		}
	}
	return false
}

// number reads the number at the beginning of a value.
func number(value string) (float64, bool) {
	end := strings.IndexFunc(value, func(r rune) bool { return !strings.ContainsRune("+-.0123456789", r) })
	if end < 0 {
		end = len(value)
	}
	n, err := strconv.ParseFloat(value[:end], 64)
	return n, err == nil
}
