package film

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Shown is the text in one frame of a picture: its caption, and the text of its screen in
// the form of Screen.Text.
type Shown struct{ Caption, Text string }

// Read returns the text in a picture made by SVG, and the program it shows.
func Read(svg []byte) (maker string, frames []Shown, err error) {
	rows := map[string]string{} // rows by name
	var row, class string       // the row or the class of the text being read
	var column int
	var text *strings.Builder
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return maker, frames, nil
		}
		if err != nil {
			return "", nil, fmt.Errorf("film: this is no picture: %w", err)
		}
		switch at := token.(type) {
		case xml.StartElement:
			switch id := attribute(at, "id"); {
			case at.Name.Local == "g" && id != "":
				row = id
			case at.Name.Local == "g":
				frames = append(frames, Shown{})
			case at.Name.Local == "use" && len(frames) > 0:
				frames[len(frames)-1].put(rows[strings.TrimPrefix(attribute(at, "href"), "#")], number(at, "y"))
			case at.Name.Local == "text" || at.Name.Local == "desc":
				text, class = &strings.Builder{}, attribute(at, "class")
				column = (number(at, "x") - margin) / cellWidth
			}
		case xml.CharData:
			if text != nil {
				text.Write(at)
			}
		case xml.EndElement:
			switch {
			case at.Name.Local == "g":
				row = ""
			case at.Name.Local == "desc":
				maker, text = text.String(), nil
			case at.Name.Local == "text" && row != "":
				rows[row] = pad(rows[row], column) + text.String()
				text = nil
			case at.Name.Local == "text" && class == "c" && len(frames) > 0:
				frames[len(frames)-1].Caption, text = text.String(), nil
			}
		}
	}
}

// put writes a row of text at a height.
func (s *Shown) put(text string, y int) {
	n := (y - bar - margin) / cellHeight
	for strings.Count(s.Text, "\n") < n {
		s.Text += "\n"
	}
	s.Text += text + "\n"
}

// pad pads a text to a number of cells.
func pad(text string, columns int) string {
	wide := 0
	for rest := text; rest != ""; {
		var char string
		char, rest = first(rest)
		wide += width(char)
	}
	return text + strings.Repeat(" ", max(columns-wide, 0))
}

func attribute(at xml.StartElement, name string) string {
	for _, a := range at.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func number(at xml.StartElement, name string) int {
	n, err := strconv.Atoi(attribute(at, name))
	if err != nil {
		return 0
	}
	return n
}
