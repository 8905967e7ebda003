// Package phrase writes the short pieces that messages are made of: a text on one line
// or clipped to a length, a number with its noun, names in a list, a sentence.
package phrase

import (
	"strings"
	"unicode/utf8"
)

const ellipsis = "…"

// Clip returns text in at most limit characters: the last one of a longer text becomes
// an ellipsis. Limit is at least 1.
func Clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit-1]) + ellipsis
	}
	return text
}

// ClipWords returns text in at most limit characters: it cuts a longer text after a word, if
// there is one in its second half, and ends it in an ellipsis. Limit is at least 1.
func ClipWords(text string, limit int) string {
	clipped := Clip(text, limit)
	if clipped == text {
		return text
	}
	cut := strings.TrimSuffix(clipped, ellipsis)
	if strings.HasPrefix(text[len(cut):], " ") {
		return trimMarks(cut) + ellipsis
	}
	if at := strings.LastIndex(cut, " "); at > 0 && utf8.RuneCountInString(cut[:at]) >= limit/2 {
		cut = cut[:at]
	}
	return trimMarks(cut) + ellipsis
}

// trimMarks returns text without spaces and punctuation at its end.
func trimMarks(text string) string { return strings.TrimRight(text, " ,;:.") }

// ClipBytes returns text in at most limit bytes: a longer text is cut between two
// characters and ends in an ellipsis, which counts. Limit is at least 3.
func ClipBytes(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := limit - len(ellipsis)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + ellipsis
}

// Start returns the first n characters of text. An ellipsis follows them if there are
// more.
func Start(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n]) + ellipsis
	}
	return text
}

// StartBytes returns the first n bytes of text, or a few less so that no character is
// cut in two. An ellipsis follows them if there are more. Of a text that it cuts, it
// leaves out what is not valid UTF-8.
func StartBytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + ellipsis
}
