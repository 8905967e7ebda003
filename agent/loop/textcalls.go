package loop

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"redline/agent/model"
	"redline/edits/patch"
	"redline/internal/lazyregexp"
)

// Messages to the model and the user about edits in an answer that cannot be staged.
const (
	callInText  = "Your answer has %s of %s written into it as text, and text calls no tool: nothing of this was staged. Call the tool itself (%s); if you only meant to show it, say so without it."
	callAsJSON  = "Your answer has %s of %s written into it in a form that is not read: nothing of this was staged. Write your calls as the JSON array that you were asked for, with one of the tools that you have (%s)."
	wholeInText = "Your answer has the text of %s in a fence, and nothing else was staged: an answer changes no file. Call write_file or edit_file to change it; if you only meant to show it, say so without the fence."
	isNoCall    = "They stand there as text, and no tool was called."
)

// textCalls finds edits in an answer that are written as calls, or as whole files in a turn that
// is meant to change files. It returns a message to the model about them, "" if there are none.
// It skips files that attempts changes too and, if quotes is true, calls in JSON: the question
// whether the model meant a call must not make it run someone else's.
func (r *run) textCalls(reply model.Reply, attempts []patch.Attempt, quotes bool) (again string) {
	if r.env.Asks {
		return ""
	}
	taken := func(path string) bool {
		return slices.ContainsFunc(attempts, func(a patch.Attempt) bool { return a.Path == path })
	}
	shown := r.shown(func(m model.Message) bool { return m.Role != model.RoleAssistant })
	var files, tools []string
	for _, m := range TextCalls(reply.Text) {
		if m.Path != "" && taken(m.Path) || quotes && m.JSON || IsShown(m.Written, shown) || !r.changes(m) {
			continue
		}
		r.leaveText(m.Path, m.Old, m.New)
		if name := orFile(m.Path); !slices.Contains(files, name) {
			files = append(files, name)
		}
		what := "an edit"
		if m.Tool != "" {
			what = "a call of " + m.Tool
		}
		if !slices.Contains(tools, what) {
			tools = append(tools, what)
		}
	}
	if len(files) > 0 {
		why := callInText
		if reply.ToolsInText {
			why = callAsJSON
		}
		return r.again(fmt.Sprintf(why, named(tools), named(files), strings.Join(r.editing(), ", ")))
	}
	if !r.env.Develops || r.staged || len(attempts) > 0 {
		return ""
	}
	for _, f := range patch.Fences(reply.Text) {
		if name := f.Path; r.isWhole(f) && !IsShown(f.Text, shown) && !slices.Contains(files, name) {
			r.leaveText(name, "", f.Text)
			files = append(files, name)
		}
	}
	if len(files) == 0 {
		return ""
	}
	return r.again(fmt.Sprintf(wholeInText, named(files)))
}

// named lists a few names.
func named(all []string) string {
	if more := len(all) - maxNamed; more > 0 {
		all = append(slices.Clone(all[:maxNamed]), fmt.Sprintf("%d more", more))
	}
	return strings.Join(all, ", ")
}

// changes reports whether an edit written as a call would change a file. An example names a file
// that does not exist, and the description of an earlier call changes nothing any more.
func (r *run) changes(m TextCall) bool {
	if m.Path == "" {
		return !r.staged
	}
	sure := strings.Contains(m.Tool, "_") // otherwise it may be an ordinary word
	clean, err := r.env.Workspace.Clean(m.Path)
	if err != nil {
		return sure && !m.JSON
	}
	now, exists := r.text(m.Path)
	touched := r.touched[clean] > 0 || slices.Contains(r.env.Draft.Paths(), clean)
	switch {
	case !exists:
		return !touched && sure && (!m.JSON || r.isNamed(path.Base(clean)))
	case m.Whole:
		return patch.TrimLines(now) != patch.TrimLines(m.New) && !(touched && strings.Contains(patch.TrimLines(now), patch.TrimLines(m.New)))
	case m.Old == "":
		return !touched
	case touched, !sure:
		before, _ := r.env.Draft.Before(clean)
		made := m.New != "" && strings.Contains(now, m.New) && !strings.Contains(before, m.New)
		return strings.Contains(now, m.Old) && !made
	}
	return m.Old != m.New
}

// isWhole reports whether code under a file name is the new text of that file: it has most of
// the existing lines, in order, and others; or it is a new file that the user has named.
func (r *run) isWhole(f patch.Fence) bool {
	if _, err := r.env.Workspace.Clean(f.Path); err != nil || strings.TrimSpace(f.Text) == "" {
		return false
	}
	now, exists := r.text(f.Path)
	if !exists {
		return r.isNamed(path.Base(f.Path))
	}
	if patch.TrimLines(now) == patch.TrimLines(f.Text) {
		return false
	}
	rest := patch.TrimLines(f.Text)
	all, there := 0, 0
	for line := range strings.Lines(patch.TrimLines(now)) {
		if line == "\n" {
			continue
		}
		all++
		if _, below, found := strings.Cut(rest, "\n"+line); found {
			there, rest = there+1, "\n"+below
		}
	}
	return 2*there >= all && all > 0
}

// isNamed reports whether the user's message, the last one that the run began with, contains a
// word.
func (r *run) isNamed(word string) bool {
	given := r.request.Messages[:len(r.request.Messages)-len(r.out.Messages)]
	return len(given) > 0 && given[len(given)-1].Role == model.RoleUser && strings.Contains(given[len(given)-1].Content, word)
}

// TextCall is an edit in the text of a reply: a tool call as some model or program writes it, or
// an item of a JSON list of edits. It is never staged, since it is not known how to read its
// arguments.
type TextCall struct {
	Tool    string // "" for an item of a list of edits
	Path    string // the file; "" if the reply ends before it
	Old     string // the text to replace, "" for none
	New     string // the new text, or the whole file
	Whole   bool   // New is the whole file
	JSON    bool   // it is JSON
	Written string // all of it, as written
}

// The names of tools that edit, of Redline and of others.
const editors = `edit_file|write_file|apply_patch|text_editor|str_replace_based_edit_tool|str_replace_editor|delete_file|rename_file|` +
	`write_to_file|replace_in_file|apply_diff|search_and_replace|search_replace|insert_content|create_file|replace_file|new_file|` +
	`str_replace|insert_edit_into_file|replace_string_in_file|edit_block|multi_edit|multiedit|MultiEdit|replace|edit|write|Edit|Write`

var (
	isEditor = lazyregexp.New(`^(?:` + editors + `)$`)
	// What precedes and follows the name of a called tool: tags, the tokens of several models,
	// and calls in Python: <edit_file>, <invoke name="edit_file">, <|python_tag|>edit_file(. A call
	// ends at the end of its tag, </invoke>, or at the token for it.
	callStart = lazyregexp.New(`(?m)^[ \t]*(?:<(` + editors + `)>|<(?:\w+:)?invoke name="(` + editors + `)">|<function=(` + editors + `)>|` +
		`<tool_call>\s*(?:<function=)?(` + editors + `)\b|(?:<\|python_tag\|>|(?:print\()?default_api\.)(` + editors + `)\()` +
		`|(?:to=|<\|tool_call_begin\|>\s*)functions\.(` + editors + `)\b|<｜tool▁sep｜>(` + editors + `)\b`)
	callEnd = lazyregexp.New(`</(?:` + editors + `|(?:\w+:)?invoke|function|tool_call)>|<\|call\|>|<\|tool_call_end\|>|<｜tool▁call▁end｜>`)
)

// The arguments of such tools.
var (
	pathArgs  = []string{"path", "file_path", "filepath", "filePath", "filename", "target_file", "file"}
	oldArgs   = []string{"old_string", "old_str", "old_text", "oldString", "oldText", "old_content", "search", "find", "original"}
	newArgs   = []string{"new_string", "new_str", "new_text", "newString", "newText", "new_content", "replace", "replacement", "updated"}
	wholeArgs = []string{"content", "contents", "file_text", "code_edit", "text", "diff"}
)

const (
	maxTextCalls = 64      // how many edits of a reply are read
	maxCalled    = 1 << 20 // how many bytes of a reply are searched for them
)

// TextCalls returns the edits in a reply that are written as calls of tools or items of lists
// of edits. It ignores lines that begin with ">" and names in a sentence.
func TextCalls(reply string) []TextCall {
	reply = reply[:min(len(reply), maxCalled)]
	if !maybeCalls(reply) {
		return listed(reply)
	}
	var all []TextCall
	at := 0
	for range maxTextCalls {
		site := callStart().FindStringSubmatchIndex(reply[at:])
		if site == nil {
			break
		}
		name := ""
		for i := 2; i < len(site); i += 2 {
			if site[i] >= 0 {
				name = reply[at+site[i] : at+site[i+1]]
			}
		}
		start, behind := at+site[0], at+site[1]
		end, closed := len(reply), false
		if e := callEnd().FindStringIndex(reply[behind:]); e != nil {
			end, closed = behind+e[1], true
		}
		m := TextCall{Tool: name, Written: strings.TrimSpace(reply[start:end])}
		m.read(tagArguments(reply[start:end]))
		if m.Path != "" || !closed && cutOff(name, reply[behind:]) {
			all = append(all, m)
		}
		if !closed {
			end = behind
		}
		at = end
	}
	return append(all, listed(reply)...)
}

// maybeCalls reports whether callStart can match: each of its forms has one of these. Most replies have
// none, and the expression takes a megabyte.
func maybeCalls(reply string) bool {
	return strings.Contains(reply, "<") || strings.Contains(reply, "functions.") || strings.Contains(reply, "default_api.")
}

// cutOff reports whether a reply ends before a call of the tool name has named its file: rest,
// the end of the reply, has only the beginning of an argument.
func cutOff(name, rest string) bool {
	rest = strings.TrimSpace(rest)
	return strings.Contains(name, "_") && strings.HasPrefix(rest+"<", "<") && !strings.Contains(rest, "\n\n") && len(rest) < maxPath
}

// read sets the fields of an edit from its arguments.
func (m *TextCall) read(args map[string]string) {
	m.Path, m.Old, m.New = strings.TrimSpace(of(args, pathArgs)), of(args, oldArgs), of(args, newArgs)
	if m.New == "" && m.Old == "" {
		m.New = of(args, wholeArgs)
		m.Whole = m.New != ""
	}
	if strings.ContainsAny(m.Path, "\n<>") || len(m.Path) > maxPath {
		m.Path = ""
	}
}

// maxPath is how many bytes a path may have.
const maxPath = 1024

func of(args map[string]string, names []string) string {
	i := slices.IndexFunc(names, func(name string) bool { return args[name] != "" })
	if i < 0 {
		return ""
	}
	return args[names[i]]
}

// An argument of such a call: <parameter name="path">a.go</parameter>,
// <arg_key>path</arg_key><arg_value>a.go</arg_value>, or path="a.go".
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
				found.tool = cmp.Or(found.tool, o.tool)
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
