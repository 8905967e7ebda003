package protocol

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// String, Integer and Boolean are values of members that may also hold something else.
type (
	String  string
	Integer int32
	Boolean bool
)

// ProgressToken is an [Integer] or a [String]: LSP's ProgressToken, and the code of a diagnostic.
type ProgressToken interface{ isToken() }

func (Integer) isToken() {}
func (String) isToken()  {}

// Text is a [String] or a [*MarkupContent].
type Text interface{ isText() }

func (String) isText()         {}
func (*MarkupContent) isText() {}

// BooleanOr is a capability of the server: a [Boolean], or a pointer to its options.
type BooleanOr interface{ isCapability() }

func (Boolean) isCapability()            {}
func (*CodeActionOptions) isCapability() {}

// MarkupContent is a text with its format.
type MarkupContent struct {
	Kind  MarkupKind `json:"kind"`
	Value string     `json:"value"`
}

// MarkupKind is the format of a text.
type MarkupKind string

// The formats of texts.
const (
	MarkupKindPlainText MarkupKind = "plaintext"
	MarkupKindMarkdown  MarkupKind = "markdown"
)

func readToken(d *jsontext.Decoder, to *ProgressToken) error {
	switch d.PeekKind() {
	case '"':
		return readAs[String](d, func(v String) { *to = v })
	case '0':
		return readAs[Integer](d, func(v Integer) { *to = v })
	}
	return refuse(d, "a string or an integer", func() { *to = nil })
}

func readText(d *jsontext.Decoder, to *Text) error {
	switch d.PeekKind() {
	case '"':
		return readAs[String](d, func(v String) { *to = v })
	case '{':
		return readAs[MarkupContent](d, func(v MarkupContent) { *to = &v })
	}
	return refuse(d, "a string or a MarkupContent", func() { *to = nil })
}

func readAs[T any](d *jsontext.Decoder, take func(T)) error {
	var v T
	err := json.UnmarshalDecode(d, &v)
	if err == nil {
		take(v)
	}
	return err
}

// refuse reads null, which stands for no value, and returns an error for anything else.
func refuse(d *jsontext.Decoder, want string, none func()) error {
	kind := d.PeekKind()
	if err := d.SkipValue(); err != nil {
		return err
	}
	if kind != 'n' {
		return fmt.Errorf("not %s", want)
	}
	none()
	return nil
}
