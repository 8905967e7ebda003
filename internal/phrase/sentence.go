package phrase

import (
	"strings"
	"unicode/utf8"
)

// Sentence returns text with its first letter in upper case and, unless it ends in one
// of ".!?", with a full stop.
func Sentence(text string) string {
	if r, size := utf8.DecodeRuneInString(text); size > 0 {
		text = strings.ToUpper(string(r)) + text[size:]
	}
	return FullStop(text)
}

// FullStop returns text with a full stop, unless it is empty or ends in one of ".!?".
func FullStop(text string) string {
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".!?") {
		return text
	}
	return text + "."
}

// OneSentence returns text on one line and with a full stop.
func OneSentence(text string) string { return FullStop(OneLine(text)) }

// TrimStop returns text without white space at its ends and without its full stop, so
// that another sentence can quote it.
func TrimStop(text string) string {
	if text = strings.TrimSpace(text); strings.HasSuffix(text, "..") {
		return text // no full stop: "go test ./..."
	}
	return strings.TrimSuffix(text, ".")
}

// A Whole error is a sentence already, which may begin with the name of a file: its
// first letter stays as it is.
type Whole interface{ WholeSentence() bool }

// SentenceOf returns the text of err as a sentence. An error that wraps a [Whole] one
// begins with words of its own, so it gets a capital.
func SentenceOf(err error) string {
	if whole, ok := err.(Whole); ok && whole.WholeSentence() {
		return FullStop(err.Error())
	}
	return Sentence(err.Error())
}
