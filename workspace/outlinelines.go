package workspace

import "strings"

// keywords begin a declaration in some language: a name follows.
var keywords = setOf(`class interface struct enum trait impl func fn fun function def defp defmacro defmodule module
	namespace type mod object protocol extension record union sub proc package contract library message service rpc`)

// modifiers may stand before a keyword.
var modifiers = setOf(`export default pub public private protected internal static abstract final sealed partial open
	override async unsafe inline data declare local const extern virtual suspend operator infix tailrec case companion
	implicit mutating nonisolated readonly constexpr typedef value annotation external required convenience fileprivate`)

// containers are the kinds of symbols that contain methods.
var containers = setOf(`class interface struct enum trait impl object extension record protocol namespace contract library`)

// statements are words that look like a name or a type before a parenthesis.
var statements = setOf(`if for while switch catch return function with super await new typeof do else throw import using
	lock yield delete sizeof case goto assert and or not in foreach until unless when synchronized elif elsif`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// declared is the declaration on a line.
type declared struct{ kind, name string }

// outlineLines returns the symbols of a text in a language without a parser here.
// Indentation shows the nesting.
func outlineLines(lang *language, text string) []Symbol {
	var symbols []Symbol
	var around []frame
	code := newMask(lang, text)
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = code.next(line)
		if len(line) > maxLine {
			line = line[:maxLine]
		}
		body := strings.TrimLeft(line, " \t")
		if body == "" {
			continue
		}
		indent := width(line[:len(line)-len(body)])
		inside := around
		for len(inside) > 0 && inside[len(inside)-1].indent >= indent {
			inside = inside[:len(inside)-1]
		}
		d, ok := lang.declares(line, body, inside)
		if !ok {
			continue
		}
		symbols = append(symbols, Symbol{Name: d.name, Kind: d.kind, Line: number, Depth: len(inside)})
		around = append(inside, frame{declared: d, indent: indent})
	}
	return symbols
}

// frame is a symbol that may enclose the following lines.
type frame struct {
	declared
	indent int
}

// width returns the number of columns of an indentation.
func width(blanks string) int {
	n := 0
	for i := range len(blanks) {
		n++
		if blanks[i] == '\t' {
			n += 7
		}
	}
	return n
}

// byKeyword reads a declaration that consists of modifiers, a keyword and a name.
func byKeyword(body string) (d declared, rest string, ok bool) {
	for {
		word := wordAt(body)
		if word == "" {
			return declared{}, "", false
		}
		after := body[len(word):]
		if keywords[word] {
			after = strings.TrimPrefix(after, "*")
			name := strings.TrimLeft(after, " \t")
			if len(name) == len(after) {
				return declared{}, "", false
			}
			n := nameLength(name)
			d = declared{word, strings.TrimRight(name[:n], ":.")}
			return d, name[n:], d.name != ""
		}
		if !modifiers[word] {
			return declared{}, "", false
		}
		if inner, found := strings.CutPrefix(after, "("); found && word == "pub" {
			if _, after, found = strings.Cut(inner, ")"); !found {
				return declared{}, "", false
			}
		}
		body = strings.TrimLeft(after, " \t")
	}
}

// wordAt returns the ASCII letters at the start of text, unless the name continues after
// them.
func wordAt(text string) string {
	n := 0
	for n < len(text) && (text[n] >= 'a' && text[n] <= 'z' || text[n] >= 'A' && text[n] <= 'Z') {
		n++
	}
	if n < len(text) && (text[n] == '_' || text[n] == '$' || text[n] >= '0' && text[n] <= '9' || text[n] >= 0x80) {
		return ""
	}
	return text[:n]
}

// nameLength returns the length in bytes of the name at the start of text, which may have
// several parts (self.run, std::vec, valid?).
func nameLength(text string) int {
	for i, r := range text {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r == '_', r == '$', r >= 0x80:
		case i > 0 && (r >= '0' && r <= '9' || strings.ContainsRune(".:?!", r)):
		default:
			return i
		}
	}
	return len(text)
}
