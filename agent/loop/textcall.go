package loop

import (
	"slices"
	"strings"

	"redline/internal/lazyregexp"
)

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
	// and calls in Python.
	calledTool = lazyregexp.New(`(?m)^[ \t]*(?:<(` + editors + `)>|<(?:\w+:)?invoke name="(` + editors + `)">|<function=(` + editors + `)>|` +
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
	var all []TextCall
	at := 0
	for range maxTextCalls {
		site := calledTool().FindStringSubmatchIndex(reply[at:])
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
