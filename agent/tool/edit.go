package tool

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"redline/edits"
	"redline/edits/placeholder"
)

var editFile = define(Tool{
	Name:     "edit_file",
	Buffered: true,
	params: buffered(
		pathParam,
		param{name: "old_string", kind: stringKind, required: true, also: []string{"old_str", "old_text", "search", "find", "old"}, about: "As it is in the file, with enough around it to be there only once; empty for a new or empty file."},
		param{name: "new_string", kind: stringKind, required: true, also: []string{"new_str", "new_text", "replace", "replacement", "new"}},
		param{name: "replace_all", kind: booleanKind, also: []string{"allow_multiple", "all"}, about: "Replace it everywhere in the file."},
	),
	run: func(_ context.Context, env *Env, c call) Result {
		return replace(env, c, c.text("old_string"), c.text("new_string"), c.flag("replace_all"))
	},
})

// replace stages the replacement of a text in the file that a call names.
func replace(env *Env, c call, old, new string, all bool) Result {
	path, err := file(env, c.text("path"))
	if err != nil {
		return failure(c.tool+" "+c.text("path"), err)
	}
	s, err := env.Draft.Edit(path, old, new, all, c.operation())
	return staged(c, s, err)
}

var writeFile = define(Tool{
	Name:     "write_file",
	Buffered: true,
	params: buffered(
		pathParam,
		param{name: "content", kind: stringKind, required: true, also: []string{"contents", "file_text", "text", "file_content", "file_contents"}, about: "The whole text of the file."},
		confirmParam,
	),
	run: func(_ context.Context, env *Env, c call) Result { return write(env, c, c.text("content")) },
})

// confirmParam says that the lines which a whole text leaves out are to go. Only the refusal
// of such a text names it.
var confirmParam = param{name: "confirm_removal", kind: booleanKind, hidden: true}

// write stages content as the whole text of the file that a call names.
func write(env *Env, c call, content string) Result {
	path, err := env.Workspace.Clean(c.text("path"))
	if err == nil && !env.Again && !c.flag(confirmParam.name) {
		err = leavesOut(env, path, content)
	}
	if err != nil {
		return failure(c.tool+" "+c.text("path"), err)
	}
	s, err := env.Draft.Write(path, content, c.operation())
	return staged(c, s, err)
}

// leavesOut refuses a whole text that looks as if its author has left out most of the file.
func leavesOut(env *Env, path, content string) error {
	text, exists, err := env.Draft.Read(path)
	if err != nil || !exists {
		return nil // writing it says what is wrong
	}
	if _, restored, err := placeholder.Resolve(path, text, content, placeholder.Whole); err != nil || len(restored) > 0 {
		return nil
	}
	first, last, cut := placeholder.Cut(text, content)
	if !cut {
		return nil
	}
	return fmt.Errorf("this removes lines %d to %d of %s, and nothing much takes their place. Nothing was changed. Send the whole text with these lines, or, if they are to go, the same call with %q: true", first, last, shown(path), confirmParam.name)
}

var deleteFile = define(Tool{
	Name:     "delete_file",
	Buffered: true,
	params: buffered(
		pathParam,
	),
	run: func(_ context.Context, env *Env, c call) Result {
		path, err := env.Workspace.Clean(c.text("path"))
		if err != nil {
			return failure("delete "+c.text("path"), err)
		}
		s, err := env.Draft.Delete(path, c.operation())
		return staged(c, s, err)
	},
})

var renameFile = define(Tool{
	Name:     "rename_file",
	Buffered: true,
	params: buffered(
		param{name: "path", kind: stringKind, required: true, also: append([]string{"old_path", "source", "source_path", "from", "old_name", "src"}, pathNames...)},
		param{name: "new_path", kind: stringKind, required: true, also: []string{"destination", "destination_path", "target", "target_path", "to", "new_name", "dst", "dest"}},
	),
	run: func(_ context.Context, env *Env, c call) Result {
		fail := func(err error) Result { return failure("rename "+c.text("path"), err) }
		// A secret could be read under another name.
		path, err := file(env, c.text("path"))
		if err != nil {
			return fail(err)
		}
		newPath, err := env.Workspace.Clean(c.text("new_path"))
		if err != nil {
			return fail(err)
		}
		s, err := env.Draft.Rename(path, newPath, c.operation())
		return staged(c, s, err)
	},
})

const textEditorName = "text_editor"

var textEditor = define(Tool{
	Name:     textEditorName,
	Buffered: true,
	params: buffered(
		param{name: "command", kind: stringKind, required: true, oneOf: []string{"view", "create", "str_replace", "insert"}},
		pathParam,
		param{name: "view_range", kind: rangeKind, about: "view: first and last line, from 1; -1 is the file's last."},
		param{name: "file_text", kind: stringKind, also: []string{"content"}, about: "create: the whole text."},
		confirmParam,
		param{name: "old_str", kind: stringKind, also: []string{"old_string"}, about: "str_replace: the text to replace, in exactly one place."},
		param{name: "new_str", kind: stringKind, also: []string{"new_string"}, about: "str_replace: the new text."},
		param{name: "insert_line", kind: integerKind, about: "insert: after which line, from 1; 0 is the start."},
		param{name: "insert_text", kind: stringKind, about: "insert: the lines to insert."},
	),
	run: func(_ context.Context, env *Env, c call) Result {
		command := c.text("command")
		if command == "insert" {
			if err := insertText(c.args); err != nil {
				return failure(c.tool, err)
			}
		}
		for _, name := range needs[command] {
			if !c.has(name) {
				return failure(c.tool, fmt.Errorf("the argument %q is missing; %s needs it", name, command))
			}
		}
		switch command {
		case "view":
			return view(env, c)
		case "create":
			return write(env, c, c.text("file_text"))
		case "insert":
			return insert(env, c)
		default:
			return replace(env, c, c.text("old_str"), c.text("new_str"), false)
		}
	},
})

// insertText accepts new_str instead of insert_text, which an earlier version of the tool used.
func insertText(a args) error {
	if _, given := a["insert_text"]; a["new_str"] == nil || given && a.text("new_str") == "" {
		return nil
	}
	if a.text("insert_text") != "" && a.text("insert_text") != a.text("new_str") {
		return errors.New("insert was given two texts, insert_text and new_str. Nothing was changed. Give the lines to insert once, as insert_text")
	}
	a["insert_text"] = a.text("new_str")
	return nil
}

// needs lists the arguments that each command of text_editor needs besides path.
var needs = map[string][]string{
	"create":      {"file_text"},
	"str_replace": {"old_str"},
	"insert":      {"insert_line", "insert_text"},
}

func view(env *Env, c call) Result {
	if limits, ok := c.args["view_range"].([2]int); ok {
		return read(env, c.text("path"), &limits[0], &limits[1])
	}
	return read(env, c.text("path"), nil, nil)
}

// insert stages lines after the line with the given number.
func insert(env *Env, c call) Result {
	fail := func(err error) Result { return failure(c.tool+" "+c.text("path"), err) }
	path, err := file(env, c.text("path"))
	if err != nil {
		return fail(err)
	}
	text, exists, err := env.Draft.Read(path)
	if err != nil {
		return fail(err)
	}
	if !exists {
		return fail(fmt.Errorf("%s %screate it first", shown(path), env.Draft.Missing(path)))
	}
	e, err := insertion(text, c.int("insert_line"), c.text("insert_text"))
	if err != nil {
		return fail(err)
	}
	s, err := env.Draft.Splice(path, e, c.operation())
	return staged(c, s, err)
}

// insertion returns the edit that inserts lines after the line with the given number, counted
// from 1. It adds line ends where needed.
func insertion(text string, after int, lines string) (edits.Edit, error) {
	index := edits.NewLines(text)
	count := lineCount(index)
	if after < 0 || after > count {
		return edits.Edit{}, fmt.Errorf("there is no line %d to insert after: the file has %d lines; give 0 to %d", after, count, count)
	}
	at := 0
	if after > 0 {
		at = index.Line(after - 1).End
	}
	unended := at > 0 && index.Content(after-1).End == at
	switch {
	case unended:
		lines = "\n" + strings.TrimSuffix(strings.TrimSuffix(lines, "\n"), "\r")
	case !strings.HasSuffix(lines, "\n"):
		lines += "\n"
	}
	return edits.Edit{Span: edits.Span{Start: at, End: at}, New: lines}, nil
}
