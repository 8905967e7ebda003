package draft

import (
	"errors"
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"

	"redline/edits"
)

// parseGo parses a Go file. It leaves what depends on the version of Go to the compiler.
func parseGo(text string) problem {
	_, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	list, ok := errors.AsType[scanner.ErrorList](err)
	if !ok {
		return problem{}
	}
	for _, e := range list {
		if !strings.Contains(e.Msg, "must have no type parameters") {
			// A line directive changes e.Pos.Line, but not the offset.
			return wrong(edits.LineOf(text, min(e.Pos.Offset, len(text)))+1, e.Msg)
		}
	}
	return problem{}
}
