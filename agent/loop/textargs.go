package loop

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"redline/internal/lazyregexp"
)

var (
	parameter = lazyregexp.New(`(?s)<parameter(?:=| name=)["']?(\w+)["']?[^>\n]*>\n?(.*?)\n?[ \t]*</parameter>`)
	argValue  = lazyregexp.New(`(?s)<arg_key>\s*(\w+)\s*</arg_key>\s*<arg_value>\n?(.*?)\n?</arg_value>`)
	keyword   = lazyregexp.New(`(\w+)\s*=\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')`)
)

// tagArguments returns the arguments of a call that is not a JSON object by itself: those in
// tags, those of its first JSON object, or the keyword arguments of a call in Python.
func tagArguments(call string) map[string]string {
	args := map[string]string{}
	for _, form := range []func() [][]string{
		func() [][]string { return parameter().FindAllStringSubmatch(call, maxTextCalls) },
		func() [][]string { return argValue().FindAllStringSubmatch(call, maxTextCalls) },
	} {
		for _, arg := range form() {
			args[arg[1]] = arg[2]
		}
	}
	for _, name := range slices.Concat(pathArgs, oldArgs, newArgs, wholeArgs) {
		_, rest, opened := strings.Cut(call, "<"+name+">")
		if value, _, closed := strings.Cut(rest, "</"+name+">"); opened && closed && args[name] == "" {
			args[name] = strings.Trim(value, "\n")
		}
	}
	if len(args) > 0 {
		return args
	}
	if at := strings.IndexByte(call, '{'); at >= 0 {
		if raw, _ := decode(call[at:]); raw != nil {
			if found := objects(raw, "", 0); len(found) > 0 {
				return found[0].args
			}
		}
	}
	for _, arg := range keyword().FindAllStringSubmatch(call, maxTextCalls) {
		value := arg[2]
		if plain, err := strconv.Unquote(value); err == nil {
			value = plain
		}
		args[arg[1]] = strings.Trim(value, `"'`)
	}
	return args
}

// object is a JSON object. Its args include those of the objects around it that it does not
// have itself.
type object struct {
	tool string
	args map[string]string // the members that are strings
	raw  json.RawMessage
}

// maxDepth is how deep nested objects are searched for.
const maxDepth = 5

// objects returns the objects in a JSON value that name a file, or have a text for the file
// that an object around them names.
func objects(raw json.RawMessage, file string, depth int) []object {
	var list []json.RawMessage
	members := map[string]json.RawMessage{}
	var all []object
	switch {
	case depth > maxDepth:
	case json.Unmarshal(raw, &list) == nil:
		for _, item := range list[:min(len(list), maxTextCalls)] {
			all = append(all, objects(item, file, depth+1)...)
		}
	case json.Unmarshal(raw, &members) == nil:
		o := object{args: map[string]string{}, raw: raw}
		for name, value := range members {
			o.args[name] = text(value)
		}
		o.tool = of(o.args, []string{"tool", "tool_name", "name", "function", "action"})
		own := of(o.args, pathArgs)
		if own == "" {
			o.args["path"] = file
		}
		file = of(o.args, pathArgs)
		if own != "" || file != "" && of(o.args, oldArgs)+of(o.args, newArgs)+of(o.args, wholeArgs) != "" {
			all = append(all, o)
		}
		for _, name := range slices.Concat(argNames, listNames, []string{"function", "edits", "changes", "files", "operations", "modifications", "replacements"}) {
			inner := members[name]
			if s := text(inner); strings.HasPrefix(skipBlanks(s), "{") && json.Valid([]byte(s)) {
				inner = json.RawMessage(s)
			}
			if inner == nil {
				continue
			}
			for _, found := range objects(inner, file, depth+1) {
				if found.tool == "" {
					found.tool = o.tool
				}
				all = append(all, found)
			}
		}
	}
	return all
}

// listed returns the edits in a reply that are written as JSON.
func listed(reply string) []TextCall {
	values, _ := find(reply, false)
	var all []TextCall
	for _, v := range values {
		if isMarked(reply, v.span) {
			continue
		}
		for _, o := range objects(v.raw, "", 0) {
			m := TextCall{JSON: true, Written: string(o.raw)}
			if isEditor().MatchString(o.tool) {
				m.Tool = o.tool
			}
			if m.read(o.args); m.Path != "" && (m.Tool != "" || m.Old != "" && m.New != "") && len(all) < maxTextCalls {
				all = append(all, m)
			}
		}
	}
	return all
}
