package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// DidChangeParams are the params of textDocument/didChange. Package protocol's own type would read a
// range that is out of bounds as a change of the whole document, and normalise the URI. The changes
// stay raw for [DecodeContentChanges], so that the owner of the document learns that a change was
// lost when they cannot be read.
type DidChangeParams struct {
	TextDocument struct {
		// URI is spelled as the client spells it.
		URI     string `json:"uri"`
		Version int32  `json:"version"`
	} `json:"textDocument"`
	ContentChanges json.RawMessage `json:"contentChanges"`
}

// ContentChange is one change of a document: of Range, or of the whole text when HasRange is false.
type ContentChange struct {
	HasRange bool
	Range    Range
	Text     string
}

// Range is a range as it came over the wire: lines and characters from 0 to 2³¹-1, in the negotiated
// encoding. The holder of the text checks that it is ordered and inside the text.
type Range struct{ Start, End Position }

// Position is one end of a Range.
type Position struct{ Line, Character int64 }

// DecodeContentChanges reads the contentChanges of a didChange (LSP 3.18,
// "TextDocumentContentChangeEvent"). It fails on a missing text and on a range that is null,
// incomplete, fractional or out of bounds; it never returns another change than the client meant.
// The strings own their bytes.
func DecodeContentChanges(raw json.RawMessage) ([]ContentChange, error) {
	var events []struct {
		Range json.RawMessage `json:"range"` // "null" when null, nil when absent
		Text  *string         `json:"text"`
	}
	if err := json.Unmarshal(raw, &events); err != nil {
		return nil, fmt.Errorf("the content changes cannot be read: %w", err)
	}
	if events == nil {
		return nil, errors.New("the content changes are missing")
	}
	changes := make([]ContentChange, len(events))
	for i, e := range events {
		if e.Text == nil {
			return nil, fmt.Errorf("content change %d has no text", i)
		}
		changes[i].Text = *e.Text
		if e.Range == nil {
			continue
		}
		r, err := decodeRange(e.Range)
		if err != nil {
			return nil, fmt.Errorf("content change %d has no usable range: %w", i, err)
		}
		changes[i].HasRange, changes[i].Range = true, r
	}
	return changes, nil
}

func decodeRange(raw json.RawMessage) (Range, error) {
	var r struct {
		Start, End struct{ Line, Character json.RawMessage }
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return Range{}, err
	}
	var out Range
	for _, number := range []struct {
		raw  json.RawMessage
		into *int64
	}{
		{r.Start.Line, &out.Start.Line}, {r.Start.Character, &out.Start.Character},
		{r.End.Line, &out.End.Line}, {r.End.Character, &out.End.Character},
	} {
		n, err := strconv.ParseUint(string(number.raw), 10, 31)
		if err != nil {
			return Range{}, errors.New("a line or character is not a number from 0 to 2147483647")
		}
		*number.into = int64(n)
	}
	return out, nil
}
