package draft

import (
	"errors"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Limits of a TOML file. The parser compares each key with the others of its table, so it takes
// time by the square of their number: at these limits up to a second.
const (
	maxTables = 5_000  // lines that begin with a bracket
	maxKeys   = 15_000 // equals signs
)

// parseTOML parses a TOML file of version 1.0 or 1.1.
func parseTOML(text string) problem {
	if strings.Count(text, "=") > maxKeys || tables(text) > maxTables {
		return unknown
	}
	var into map[string]any
	err := toml.Unmarshal([]byte(text), &into)
	if e, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, _ := e.Position()
		return wrong(line, strings.TrimPrefix(e.Error(), "toml: "))
	} else if err != nil {
		return wrong(0, strings.TrimPrefix(err.Error(), "toml: "))
	}
	return problem{}
}

// tables returns how many lines may begin a table.
func tables(text string) int {
	n := 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimLeft(line, " \t"), "[") {
			n++
		}
	}
	return n
}
