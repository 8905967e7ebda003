// Package phrase writes the short pieces that messages are made of: a text on one line
// or clipped to a length, a number with its noun, names in a list, a sentence.
package phrase

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
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

// OneLine returns text with each run of white space replaced by one space, and without
// white space at its ends.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// JoinAt returns text with each run of the characters in breaks replaced by one space,
// and without such characters at its ends: JoinAt(text, "\r\n") joins lines and keeps
// other white space.
func JoinAt(text, breaks string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(breaks, r) }), " ")
}

// FirstLine returns the first line of text that is not blank, clipped to limit
// characters. The result is valid UTF-8.
func FirstLine(text string, limit int) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return Clip(string([]rune(strings.TrimSpace(line))), limit)
}

// Indent returns text with each line indented by four spaces and ended by a line feed.
// In Markdown no line of it can then begin a heading or end a fence.
func Indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\r\n"), "\n", "\n    ") + "\n"
}

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

// Count returns a number with its noun: "1 file", "3 files".
func Count(n int, noun string) string { return strconv.Itoa(n) + " " + plural(n, noun) }

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// And lists names: "o1", "o1 and o2", "o1, o2 and o3".
func And(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// Named lists names after their noun: "hunk h1", "hunks h1 and h2". Without names it
// returns the noun.
func Named(noun string, names []string) string {
	if len(names) > 1 {
		noun += "s"
	}
	return strings.TrimSpace(noun + " " + And(names))
}

// FirstOf returns names if there are at most limit of them. Else it returns the first
// limit names and, as the last element, the number of the others: "3 more files".
func FirstOf(names []string, limit int, noun string) []string {
	more := len(names) - limit
	if more <= 0 {
		return names
	}
	return append(slices.Clone(names[:limit]), Count(more, "more "+noun))
}

// Took returns how long something took, in milliseconds, for people: "2.3 s", "1m12s".
func Took(millis int64) string {
	d := time.Duration(millis) * time.Millisecond
	if d < 10*time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}
