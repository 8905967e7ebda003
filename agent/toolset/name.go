package toolset

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
	maxName   = 64 // bytes of a tool's name in a model's API
)

// ServerOf returns the name of the server that a tool belongs to.
func ServerOf(tool string) (server string, ok bool) {
	rest, ok := strings.CutPrefix(tool, prefix)
	if !ok {
		return "", false
	}
	server, name, ok := strings.Cut(rest, separator)
	return server, ok && server != "" && name != ""
}

// nameOf returns a tool's name for models. A hash suffix distinguishes names that are too
// long or have characters that models do not accept.
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

// callLine formats a call as it is shown before approval: the tool, and its arguments as one quoted
// word. As a command line it names a program that does not exist, so running it would do
// nothing. The error is a sentence for the model.
func callLine(tool string, arguments json.RawMessage) (string, error) {
	compact, err := object(arguments)
	if err != nil {
		return "", err
	}
	return tool + " '" + strings.ReplaceAll(string(compact), "'", `'\''`) + "'", nil
}

// showsCall reports whether line is the form in which the call is shown, so that the approved call
// is the one that the user has read.
func showsCall(line, tool string, arguments json.RawMessage) bool {
	want, err := callLine(tool, arguments)
	return err == nil && line == want
}

// object returns arguments as compact JSON. They must be a JSON object.
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

// oneLine formats a server's words as one line of visible characters, of limited length.
func oneLine(text string, max int) string {
	text = phrase.OneLine(strings.ToValidUTF8(text, "\uFFFD"))
	return phrase.ClipBytes(edits.Visible(text), max)
}
