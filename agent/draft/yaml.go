package draft

import (
	"errors"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// parseYAML parses all documents of a YAML file. It reads nodes, so that it does not judge tags
// and duplicate keys, which the program that reads the file may accept, and does not expand
// aliases.
func parseYAML(text string) problem {
	loader, err := yaml.NewLoader(strings.NewReader(text))
	if err != nil {
		return unknown
	}
	for {
		var node yaml.Node
		err := loader.Load(&node)
		if errors.Is(err, io.EOF) {
			return problem{}
		}
		if e, ok := errors.AsType[*yaml.LoadError](err); ok {
			return yamlProblem(e)
		} else if err != nil {
			return unknown
		}
	}
}

func yamlProblem(e *yaml.LoadError) problem {
	message := e.Message
	if strings.HasPrefix(message, "exceeded max depth") {
		return unknown
	}
	if e.ContextMsg != "" {
		message += " " + e.ContextMsg
		if from := e.ContextMark.Line; from > 0 && from != e.Mark.Line {
			message += " that begins in line " + strconv.Itoa(from)
		}
	}
	return wrong(e.Mark.Line, message)
}
