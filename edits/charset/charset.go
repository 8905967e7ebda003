// Package charset decodes and encodes the content of files that are not UTF-8.
//
// It never guesses: a caller names the charset, or the content begins with a mark. What is
// decoded can be encoded again into the same bytes, or it is not decoded.
package charset

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
)

// Charset is how the text of a file is written as bytes. The zero value is UTF-8.
type Charset string

// The charsets.
const (
	UTF8        Charset = ""
	UTF16LE     Charset = "utf-16le"
	UTF16BE     Charset = "utf-16be"
	Latin1      Charset = "latin1"
	Windows1252 Charset = "windows-1252"
	ShiftJIS    Charset = "shift_jis"
)

// known has the charsets besides UTF-8. A Charset that is not among them is treated as one
// that holds nothing.
var known = []struct {
	Charset
	title    string
	encoding encoding.Encoding
	others   []string // further names, in lower case
}{
	{UTF16LE, "UTF-16", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), nil},
	{UTF16BE, "UTF-16", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), nil},
	{Latin1, "Latin-1", charmap.ISO8859_1, []string{"latin-1", "iso-8859-1", "iso8859-1"}},
	{Windows1252, "Windows-1252", charmap.Windows1252, []string{"windows1252", "cp1252"}},
	{ShiftJIS, "Shift-JIS", japanese.ShiftJIS, []string{"shift-jis", "shiftjis", "sjis"}},
}

// Names returns the names of the charsets, UTF-8 first.
func Names() []string {
	names := []string{"utf-8"}
	for _, k := range known {
		names = append(names, string(k.Charset))
	}
	return names
}

// Named returns the charset of a name, in upper or lower case.
func Named(name string) (c Charset, ok bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	if name == "utf-8" || name == "utf-8-bom" {
		return UTF8, true
	}
	for _, k := range known {
		if name == string(k.Charset) || slices.Contains(k.others, name) {
			return k.Charset, true
		}
	}
	return UTF8, false
}

// String returns the name for people: "Latin-1".
func (c Charset) String() string {
	if c == UTF8 {
		return "UTF-8"
	}
	for _, k := range known {
		if k.Charset == c {
			return k.title
		}
	}
	return string(c)
}

// IsUTF16 reports whether c writes each character as two bytes or four.
func (c Charset) IsUTF16() bool { return c == UTF16LE || c == UTF16BE }

// coding returns the encoding of x/text, nil for UTF-8.
func (c Charset) coding() encoding.Encoding {
	for _, k := range known {
		if k.Charset == c {
			return k.encoding
		}
	}
	return nil
}

// ByMark returns UTF-16 if data begins with its byte order mark, else UTF-8.
func ByMark(data []byte) Charset {
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		return UTF16LE
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		return UTF16BE
	}
	return UTF8
}

// Decode returns the text that data is in c; a byte order mark is its first character. ok is
// false if data is no text in c: encoding the result would make other bytes.
func (c Charset) Decode(data []byte) (text string, ok bool) {
	coding := c.coding()
	if coding == nil {
		return string(data), c == UTF8 && utf8.Valid(data)
	}
	decoded, err := coding.NewDecoder().Bytes(data)
	if err != nil || !utf8.Valid(decoded) {
		return "", false
	}
	again, err := coding.NewEncoder().Bytes(decoded)
	return string(decoded), err == nil && bytes.Equal(again, data)
}

// Encode returns text as bytes in c. The error is an [*Unheld] if c has no bytes for a
// character.
func (c Charset) Encode(text string) ([]byte, error) {
	coding := c.coding()
	if coding == nil && c == UTF8 {
		return []byte(text), nil
	}
	if coding != nil && utf8.ValidString(text) {
		data, err := coding.NewEncoder().String(text)
		if back, ok := c.Decode([]byte(data)); err == nil && ok && back == text {
			return []byte(data), nil
		}
	}
	return nil, c.unheld(text)
}

// unheld returns the first character of text for which c has no bytes.
func (c Charset) unheld(text string) *Unheld {
	e := &Unheld{Charset: c, Line: 1}
	for _, r := range text {
		data, err := c.encodeRune(r)
		if back, ok := c.Decode(data); err != nil || !ok || back != string(r) {
			e.Char = r
			return e
		}
		if r == '\n' {
			e.Line++
		}
	}
	return e // each character could be written, but not all of them in a row
}

func (c Charset) encodeRune(r rune) ([]byte, error) {
	coding := c.coding()
	if coding == nil || r == utf8.RuneError {
		return nil, encoding.ErrInvalidUTF8
	}
	data, err := coding.NewEncoder().String(string(r))
	return []byte(data), err
}

// Unheld is the error for a text that a charset cannot hold.
type Unheld struct {
	Charset Charset
	Char    rune // the first character that it does not have; 0 if it is not known
	Line    int  // of Char, from 1
}

func (e *Unheld) Error() string {
	if e.Char == 0 {
		return fmt.Sprintf("the text cannot be written in %s", e.Charset)
	}
	return fmt.Sprintf("%s has no %q (U+%04X), which is in line %d", e.Charset, e.Char, e.Char, e.Line)
}

// ASCII reports whether text is the same bytes in UTF-8 and in every charset that is not UTF-16.
func ASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Shows returns the charset in which data is text, as an editor shows it, or UTF-8 if there is
// none. Of two it is the one that holds fewer characters. Kinds of line ends do not count, nor does
// a byte order mark.
func Shows(data []byte, text string) Charset {
	text = plain(text)
	for _, k := range known {
		if shown, ok := k.Decode(data); ok && plain(shown) == text {
			return k.Charset
		}
	}
	return UTF8
}

func plain(text string) string {
	return strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
}
