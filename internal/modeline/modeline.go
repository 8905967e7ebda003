// Package modeline keeps what models and files say from setting options of the editor that shows a
// document of Redline: Vim and Neovim read modelines in the first and last five lines, Emacs reads
// local variables in the last page of a file.
package modeline

import (
	"strings"

	"redline/internal/lazyregexp"
)

// Lines is how many lines at each end of a file Vim and Neovim search for modelines, unless the
// user has set another number.
const Lines = 5

// Foot returns five lines that end a document, with two sentences of its author. The first begins a
// new page, so that Emacs finds no local variables above it.
func Foot(first, last string) string { return "\f\n\n" + first + "\n\n" + last + "\n" }

// IsPage reports whether a line is the one that begins a new page, see [Foot].
func IsPage(line string) bool { return strings.Trim(line, " \t") == "\f" }

var (
	vim   = lazyregexp.New(`\b((?:vi|[vV]im|ex)(?:[<=>]?[0-9]*)):`)
	emacs = lazyregexp.New(`(?i)\b(Local Variables):`)
)

// Break replaces the colons by which a text would be a modeline or begin local variables with
// colon, which must not be a colon alone: "vim: set et" with "꞉" becomes "vim꞉ set et".
func Break(text, colon string) string {
	if !strings.Contains(text, ":") {
		return text
	}
	text = vim().ReplaceAllString(text, "${1}"+strings.ReplaceAll(colon, "$", "$$"))
	return BreakLocals(text, colon)
}

// BreakLocals does what Break does to local variables alone, for text that more than [Lines] lines
// of the same text follow.
func BreakLocals(text, colon string) string {
	return emacs().ReplaceAllString(text, "${1}"+strings.ReplaceAll(colon, "$", "$$"))
}

// BreakJSON escapes what would set options within the strings of a JSON text. It means the same.
func BreakJSON(text string) string {
	return strings.ReplaceAll(Break(text, `\u003a`), "-*-", `-\u002a-`)
}
