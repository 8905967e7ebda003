package mcp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"redline/agent/plan"
	"redline/edits"
	"redline/internal/phrase"
)

const (
	prefix    = plan.ServerPrefix
	separator = "__"
	maxName   = 64 // bytes of a name on the wire of models
)

// ServerOf returns the server that a tool is of.
func ServerOf(tool string) (server string, ok bool) {
	rest, ok := strings.CutPrefix(tool, prefix)
	if !ok {
		return "", false
	}
	server, name, ok := strings.Cut(rest, separator)
	return server, ok && server != "" && name != ""
}

// nameOf makes the name by which models know a tool. Characters that models do
// not take, and names that are too long, are told apart by a part of their hash.
func nameOf(server, tool string) string {
	full := prefix + server + separator
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, tool)
	if clean == tool && len(full)+len(tool) <= maxName {
		return full + tool
	}
	sum := sha256.Sum256([]byte(tool))
	return full + clean[:min(len(clean), maxName-len(full)-9)] + "_" + hex.EncodeToString(sum[:4])
}

// Line is a call as it is shown before it is approved: the tool, and its arguments
// as one word in quotes. Read as a command line it names a program that does not
// exist, so that it does no harm where it should ever be taken for one. The error
// is a sentence for the model.
func Line(tool string, arguments json.RawMessage) (string, error) {
	compact, err := object(arguments)
	if err != nil {
		return "", err
	}
	return tool + " '" + strings.ReplaceAll(string(compact), "'", `'\''`) + "'", nil
}

// Shows tells whether line is how the call is shown: what was approved is what
// was read.
func Shows(line, tool string, arguments json.RawMessage) bool {
	want, err := Line(tool, arguments)
	return err == nil && line == want
}

// object returns arguments as compact JSON, which must be an object.
func object(arguments json.RawMessage) (json.RawMessage, error) {
	if len(bytes.TrimSpace(arguments)) == 0 {
		arguments = json.RawMessage("{}")
	}
	if len(arguments) > maxArguments {
		return nil, fmt.Errorf("the arguments have %d bytes; a call may have %d", len(arguments), maxArguments)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(arguments, &members); err != nil || members == nil {
		return nil, fmt.Errorf("the arguments are not a JSON object")
	}
	var out bytes.Buffer
	if err := json.Compact(&out, arguments); err != nil {
		return nil, fmt.Errorf("the arguments are not a JSON object")
	}
	return out.Bytes(), nil
}

// oneLine is words of a server on one bounded line of visible characters.
func oneLine(text string, max int) string {
	text = phrase.OneLine(strings.ToValidUTF8(text, "\uFFFD"))
	return phrase.ClipBytes(edits.Visible(text), max)
}
