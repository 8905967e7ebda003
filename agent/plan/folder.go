package plan

import (
	"encoding/json"
	"path"
	"strconv"
	"strings"

	"redline/internal/lazyregexp"
)

// Folder returns the folder that a command runs in, as a workspace path; "" is the
// workspace's root, of several folders the first. Operations that run nothing in a
// shell have none. What it returns is what is shown; whether the command may run
// there is for the workspace to say.
func (o *Operation) Folder() string {
	if !o.IsCommand() || o.CallsServer() {
		return ""
	}
	return FolderOf(o.Args)
}

// FolderOf returns the folder that the arguments of a command name, see
// [Operation.Folder]. Names of arguments are compared to the letter.
func FolderOf(args json.RawMessage) string {
	var given map[string]json.RawMessage
	var cwd string
	if json.Unmarshal(args, &given) != nil || json.Unmarshal(given["cwd"], &cwd) != nil {
		return ""
	}
	if clean := path.Clean(strings.ReplaceAll(cwd, `\`, "/")); clean != "." {
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
