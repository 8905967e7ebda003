package plan

import (
	"encoding/json"
	"path"
	"strconv"
	"strings"
	"time"

	"redline/internal/lazyregexp"
)

// CommandArgs are the arguments of a command that say how it is run, and what follows if it
// fails.
type CommandArgs struct {
	Cwd       string        // the folder that it runs in, as the model gave it; "" for the first folder
	Timeout   time.Duration // 0 for the user's own limit
	Continues bool          // the plan continues if it fails
}

// ReadCommandArgs reads the arguments of a command. What is not valid in them is left at its
// zero value. The names of arguments are case-sensitive, as wherever they are shown. It fails
// if raw is no JSON object.
func ReadCommandArgs(raw json.RawMessage) (CommandArgs, error) {
	var c CommandArgs
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return c, err
	}
	var onFailure string
	var timeout json.Number // or a number as a string
	_ = json.Unmarshal(given["cwd"], &c.Cwd)
	c.Continues = json.Unmarshal(given["on_failure"], &onFailure) == nil && onFailure == "continue"
	if json.Unmarshal(given["timeout_seconds"], &timeout) == nil {
		if seconds, err := timeout.Float64(); err == nil && seconds > 0 && seconds < 1e6 {
			c.Timeout = time.Duration(seconds * float64(time.Second))
		}
	}
	return c, nil
}

// CommandArgs returns the arguments of a command, none if they cannot be read.
func (o *Operation) CommandArgs() CommandArgs {
	c, _ := ReadCommandArgs(o.Args)
	return c
}

// Folder returns the folder that a command runs in, as a workspace path; "" is the
// workspace's root, of several folders the first. Operations that run nothing in a
// shell have none. It is what is shown; whether the command may run there is for the
// workspace to say.
func (o *Operation) Folder() string {
	if !o.IsCommand() || o.CallsServer() {
		return ""
	}
	if clean := path.Clean(strings.ReplaceAll(o.CommandArgs().Cwd, `\`, "/")); clean != "." {
		return clean
	}
	return ""
}

// plainFolder is a folder whose name nobody can mistake for the rest of a sentence.
var plainFolder = lazyregexp.New(`^[\pL\pN_./@+-]+$`)

// In names the folder of a command behind what names the command: " in tools", "" at
// the root. A name that could be mistaken for more, or that would not be seen, is
// quoted.
func In(folder string) string {
	switch {
	case folder == "":
		return ""
	case plainFolder().MatchString(folder):
		return " in " + folder
	}
	return " in " + strconv.Quote(folder)
}

// CommandIn is a command line, as it is shown, with its folder in front, where no
// length of the line can hide it: "in tools: make".
func CommandIn(line, folder string) string {
	if in := In(folder); in != "" {
		return in[1:] + ": " + line
	}
	return line
}
