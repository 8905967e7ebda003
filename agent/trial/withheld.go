package trial

import (
	"strings"

	"redline/workspace/secrets"
)

const (
	lineWithheld  = "[a line that may hold a secret is left out]"
	beginOfKey    = "-----BEGIN "
	endOfKey      = "-----END "
	nameOfOutput  = "output.txt" // the kind of file that output resembles
	privateKeyEnd = "PRIVATE KEY"
)

// withheld returns the output of a command without lines that may hold a secret, since a command
// can print files that tools would not show.
func withheld(output string) string {
	if !secrets.Text(nameOfOutput, output) {
		return output
	}
	var b strings.Builder
	inKey := false
	for line := range strings.Lines(output) {
		if strings.Contains(line, beginOfKey) && strings.Contains(line, privateKeyEnd) {
			inKey = true
		}
		if !inKey && !secrets.Text(nameOfOutput, line) {
			b.WriteString(line)
			continue
		}
		if strings.Contains(line, endOfKey) || !inKey {
			b.WriteString(lineWithheld + "\n")
			inKey = false
		}
	}
	if inKey {
		b.WriteString(lineWithheld + "\n")
	}
	return b.String()
}
