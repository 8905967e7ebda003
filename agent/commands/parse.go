package commands

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"redline/edits"
)

// The parser recurses into nested parts, and for each part of a pipe. So its input is
// bounded: maxLine in bytes, and maxOpened in characters that can begin a nested part.
const (
	maxLine   = 32 << 10
	maxOpened = 1000
)

// openers are the characters that begin a nested part, or join parts that then nest.
const openers = "({[`$<>|&!"

// tooMuch returns why a line is too much for the parser, as a part of a sentence, or "".
func tooMuch(line string) string {
	if len(line) > maxLine {
		return fmt.Sprintf("it is longer than %d KiB", maxLine>>10)
	}
	opened := 0
	for i := range len(line) {
		if strings.IndexByte(openers, line[i]) >= 0 {
			opened++
		}
	}
	if opened > maxOpened {
		return "it is nested too deeply"
	}
	return ""
}

// hidden describes which characters of a line hide what it looks like, or make another shell
// read it differently, as a part of a sentence; "" for none.
func hidden(line string) string {
	switch {
	case !utf8.ValidString(line):
		return "it has bytes that are not UTF-8"
	case edits.VisibleCommand(line) != line:
		return "it has characters that are not visible"
	}
	return ""
}

// parse parses a line as a POSIX shell does, with its comments.
func parse(line string) (*syntax.File, error) { return parseAs(syntax.LangPOSIX, line) }

func parseAs(lang syntax.LangVariant, line string) (file *syntax.File, err error) {
	if why := tooMuch(line); why != "" {
		return nil, errors.New(why)
	}
	defer func() {
		if p := recover(); p != nil {
			file, err = nil, fmt.Errorf("the parser failed: %v", p)
		}
	}()
	return syntax.NewParser(syntax.Variant(lang), syntax.KeepComments(true)).Parse(strings.NewReader(line), "")
}
