package plan

import (
	"encoding/json"
	"path"
	"strconv"
	"strings"
	"time"

	"redline/internal/lazyregexp"
)

// CommandArgs are the arguments of a command: how to run it, and whether the plan continues if
// it fails.
type CommandArgs struct {
	Cwd       string        // the folder to run in, as the model wrote it; "" for the first folder
	Timeout   time.Duration // the timeout in seconds; 0 for the user's own limit
	Continues bool          // the plan continues even if it fails
}

// ReadCommandArgs reads the arguments of a command. Invalid ones keep their zero value.
// The names of arguments are case-sensitive, as wherever they are shown. It fails if raw
// is not a JSON object.
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
// workspace's root, of several folders the first. Operations that run nothing in a shell
// have none. The folder is only for display: the workspace checks whether the command may
// run there.
func (o *Operation) Folder() string {
	if !o.IsCommand() || o.CallsServer() {
		return ""
	}
	if clean := path.Clean(strings.ReplaceAll(o.CommandArgs().Cwd, `\`, "/")); clean != "." {
		return clean
	}
	return ""
}

// plainFolder matches a folder name that nobody can mistake for the rest of a sentence.
var plainFolder = lazyregexp.New(`^[\pL\pN_./@+-]+$`)

// In returns the folder of a command, to follow the command's name: " in tools", "" at
// the root. It quotes a name that could be mistaken for more, or that is invisible.
func In(folder string) string {
	switch {
	case folder == "":
		return ""
	case plainFolder().MatchString(folder):
		return " in " + folder
	}
	return " in " + strconv.Quote(folder)
}

// CommandIn returns a command line to show, with its folder in front, where a long line
// cannot hide it: "in tools: make".
func CommandIn(line, folder string) string {
	if in := In(folder); in != "" {
		return in[1:] + ": " + line
	}
	return line
}
