package turn

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode"

	"redline/agent/commands"
	"redline/agent/outside"
	"redline/agent/trial"
	"redline/edits"
	"redline/internal/phrase"
	"redline/workspace/secrets"
)

// message returns the agent's last message; that of a command is what it has printed.
func (o *outsideTurn) message() string {
	text := o.heard.clean.Replace(o.talk.End.Message)
	if !o.program.ACP {
		text = o.output()
	}
	return phrase.ClipBytes(strings.TrimSpace(secrets.Withhold(strings.ToValidUTF8(text, "\uFFFD"))), maxMessage)
}

// output returns the end of what the agent's program has printed.
func (o *outsideTurn) output() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return commands.Uncoloured(string(o.printed))
}

// failed says why an agent that has changed nothing is not done, and what may be missing.
func (o *outsideTurn) failed(stopped string, found *trial.Captured) string {
	if !o.answers {
		stopped += " It changed nothing."
	}
	last, unsigned := "", ""
	if !o.program.ACP { // otherwise it is said already
		last = phrase.OneSentence(lastLines(found.Output))
	}
	if !errors.Is(o.talk.Err, outside.ErrNotSignedIn) {
		unsigned = phrase.Sentence(o.agent.Unsigned(os.LookupEnv))
	}
	return joinedBy(" ", stopped, found.Network.Sentence(), last, unsigned)
}

// lastWords quotes the last line that an agent which speaks ACP has printed, in a sentence; "" for none.
func (o *outsideTurn) lastWords() string {
	last := lastLine(o.output())
	if !o.program.ACP || last == "" {
		return ""
	}
	return fmt.Sprintf("Its last line: %s.", phrase.TrimStop(phrase.FirstLine(edits.VisibleLine(last), 200)))
}

// lastWordsAfter returns the last words if there is a problem.
func (o *outsideTurn) lastWordsAfter(problem string) string {
	if problem == "" {
		return ""
	}
	return o.lastWords()
}

// note notes in the trace how the agent's program ended.
func (o *outsideTurn) note(found *trial.Captured) {
	if found.Problem != "" {
		o.step(o.agent.Name + ": " + found.Problem)
	} else {
		o.step(o.agent.Name + " ended: " + found.Ending())
	}
}

// stopped says why the agent is not done, "" if it is.
func (o *outsideTurn) stopped(found *trial.Captured) string {
	said, name, end := o.talk, o.agent.Name, *found
	switch {
	case errors.Is(said.Err, outside.ErrNotSignedIn):
		return fmt.Sprintf("%s is not signed in: %s, then try again.", name, cmp.Or(outside.SignIn(name), "sign in with the program itself"))
	case outside.Explained(said.Err):
		return fmt.Sprintf("%s failed: %s.", name, phrase.TrimStop(said.Err.Error()))
	case said.Err != nil && end.Problem == "":
		how := phrase.TrimStop(said.Err.Error())
		if end.ExitCode != nil && *end.ExitCode != 0 {
			how += ", " + end.Ending()
		}
		return joinedBy(" ", fmt.Sprintf("%s failed: %s.", name, how), o.lastWords())
	case said.End.Stopped != "":
		return strings.Replace(said.End.Stopped, "It ", name+" ", 1)
	case said.Err == nil && o.program.ACP && end.Problem == "":
		end.ExitCode = new(int) // it has done its work, however it exits
	}
	return joinedBy(" ", end.Stopped(name, fmt.Sprintf("memory_mb of [outside.%s]", name), fmt.Sprintf("timeout_seconds of [outside.%s]", name)), o.lastWordsAfter(end.Problem))
}

// lastLine returns the last line of an output that has words.
func lastLine(output string) string {
	for _, line := range slices.Backward(strings.Split(secrets.Withhold(commands.Uncoloured(output)), "\n")) {
		if strings.ContainsFunc(line, unicode.IsLetter) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// maxWhole is the size of an output that is short enough to be quoted as a whole, in bytes.
const maxWhole = 400

// lastLines returns all of a short output, of another one the last line.
func lastLines(output string) string {
	if whole := strings.TrimSpace(secrets.Withhold(commands.Uncoloured(output))); len(whole) <= maxWhole {
		return whole
	}
	return phrase.FirstLine(lastLine(output), 200)
}
