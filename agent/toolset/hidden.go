package toolset

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"redline/internal/lazyregexp"
)

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
