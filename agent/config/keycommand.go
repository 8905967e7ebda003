package config

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/shell"
)

// keyCommand is the setting with the command that prints the key.
const keyCommand = "model.api_key_command"

// setKeyCommand reads a program and its arguments: a list as JSON, or a line that is split as a
// shell splits it. Its errors quote nothing, since a user may have written a key there by
// mistake.
func setKeyCommand(s *Settings, text string) error {
	var words []string
	if strings.HasPrefix(text, "[") {
		if json.Unmarshal([]byte(text), &words) != nil {
			return errors.New("must be a list of texts")
		}
	} else {
		var err error
		if words, err = shell.Fields(text, nil); err != nil {
			return errors.New(`must be a program and its arguments; for more than that write ["sh", "-c", "…"]`)
		}
	}
	if len(words) == 0 || words[0] == "" {
		return errors.New("must name a program")
	}
	s.KeyCommand = words
	return nil
}

// showKeyCommand returns only the name of the program, since its arguments may hold a secret.
func showKeyCommand(s Settings) string {
	if len(s.KeyCommand) == 0 {
		return "(none)"
	}
	shown := filepath.Base(s.KeyCommand[0])
	if len(s.KeyCommand) > 1 {
		shown += " (arguments not shown)"
	}
	return shown
}
