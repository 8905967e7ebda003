package fetch

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// read returns the page with a fetched body as its text; for HTML, the visible text.
func (p Page) read(body []byte) (Page, error) {
	if bytes.IndexByte(body, 0) >= 0 {
		return p, &Refusal{p.URL + " is binary, which is no text"}
	}
	if p.Type == "text/html" || p.Type == "application/xhtml+xml" || p.Type == "" && bytes.HasPrefix(bytes.TrimSpace(bytes.ToLower(body[:min(len(body), 512)])), []byte("<!doctype html")) {
		p.Text = readable(body)
		return p, nil
	}
	p.Text = strings.ToValidUTF8(string(body), "\ufffd")
	return p, nil
}

// hiddenElements are the elements without visible text.
var hiddenElements = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Iframe: true, atom.Svg: true,
}

// blocks are the elements that begin on a line of their own.
var blocks = map[atom.Atom]bool{
	atom.Title: true, atom.Body: true, atom.P: true, atom.Div: true, atom.Br: true, atom.Li: true, atom.Ul: true, atom.Ol: true, atom.Tr: true, atom.Table: true,
	atom.Pre: true, atom.Section: true, atom.Article: true, atom.Header: true, atom.Footer: true, atom.Nav: true, atom.Blockquote: true,
	atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true, atom.Dt: true, atom.Dd: true, atom.Hr: true,
}

// readable returns the text of an HTML page: paragraphs as lines, headings with their signs,
// items with a dash, preformatted text unchanged.
func readable(body []byte) string {
	w := &writer{}
	tokens := html.NewTokenizer(bytes.NewReader(body))
	tokens.SetMaxBuf(1 << 20)
	hidden, pre := atom.Atom(0), 0
	depth := 0 // nesting depth of the hidden element within elements of its name
	for {
		switch kind := tokens.Next(); kind {
		case html.ErrorToken: // the end, or a token that is too large
			return w.String()
		case html.TextToken:
			if depth == 0 {
				w.text(string(tokens.Text()), pre > 0)
			}
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			name, _ := tokens.TagName()
			tag := atom.Lookup(name)
			open := kind == html.StartTagToken
			switch {
			case depth > 0:
				if tag == hidden && open {
					depth++
				} else if tag == hidden && kind == html.EndTagToken {
					depth--
				}
				continue
			case hiddenElements[tag] && open:
				hidden, depth = tag, 1
				continue
			}
			if blocks[tag] {
				w.line()
			}
			if tag == atom.Pre {
				pre++
				if !open {
					pre = max(0, pre-2)
				}
			}
			if open {
				w.begin(tag)
			}
		}
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
	text = strings.ToValidUTF8(text, "\ufffd")
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
