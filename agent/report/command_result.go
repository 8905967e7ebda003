package report

import (
	"fmt"
	"strings"

	"redline/agent/plan"
)

// maxReportedOutput is how many bytes of a command's output are reported: its end, where
// the errors are.
const maxReportedOutput = 4 << 10

// commandResult returns the exit code of a command and the end of its output, as the
// continuation of a sentence.
func commandResult(m plan.CommandMark) string {
	if m.ExitCode == nil && m.Output == "" {
		return ""
	}
	text := ""
	if m.ExitCode != nil {
		text = fmt.Sprintf(", exit code %d", *m.ExitCode)
	}
	switch out := m.Output; {
	case out == "":
		text += ", without output"
	case len(out) > maxReportedOutput:
		text += fmt.Sprintf(", output ending in %q", strings.ToValidUTF8(out[len(out)-maxReportedOutput:], ""))
	default:
		text += fmt.Sprintf(", output %q", out)
	}
	return text
}
