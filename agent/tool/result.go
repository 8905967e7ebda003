package tool

import (
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"redline/agent/draft"
	"redline/agent/plan"
	"redline/edits"
	"redline/edits/match"
	"redline/internal/lazyregexp"
	"redline/internal/phrase"
	"redline/workspace/secrets"
)

// MaxResult is the size limit of a result for the model, in bytes.
const MaxResult = 256<<10 + 128

// maxListing is the size limit of a list of paths, hits or symbols, in bytes: about 4,000
// tokens.
const maxListing = 16_000

//go:embed *.md
var descriptions embed.FS

// define completes a tool with its description, from the file named after it, and its schema.
func define(t Tool) Tool {
	text, err := descriptions.ReadFile(t.Name + ".md")
	if err != nil {
		panic(err) // embedded at build time, so any test finds a missing file
	}
	t.Description, t.Schema = strings.TrimSpace(string(text)), t.params.schema()
	return t
}

// without adds to an answer which arguments of the call had no effect.
func (r Result) without(unused []string) Result {
	if len(unused) == 0 || r.IsError {
		return r
	}
	if r.Text != "" && !strings.HasSuffix(r.Text, "\n") {
		r.Text += "\n"
	}
	const most = 10
	more := ""
	if len(unused) > most {
		unused, more = unused[:most], ", …"
	}
	r.Text += "[not used: " + strings.Join(clipped(unused), ", ") + more + "]"
	return r
}

// clipped shortens names that a model made up, and puts each on one line.
func clipped(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = spaced(phrase.StartBytes(name, 64))
	}
	return out
}

// failure returns the answer to a call that was not possible. what describes the call for the
// user.
func failure(what string, err error) Result {
	why := err.Error()
	first, _, _ := strings.Cut(why, "\n")
	return Result{
		idle: isIdle(err),
		Text: "error: " + phrase.ClipBytes(why, maxListing), IsError: true,
		Summary: spaced(what + " refused: " + phrase.ClipBytes(first, 200)),
	}
}

// isIdle reports whether a call is refused because there is nothing to change.
func isIdle(err error) bool {
	if refused, ok := errors.AsType[*draft.Refusal](err); ok {
		return refused.Idle
	}
	refused, ok := errors.AsType[*match.Refusal](err)
	return ok && refused.Reason == match.ReasonNoop
}

// staged returns the answer to a buffered call.
func staged(c call, s draft.Staged, err error) Result {
	if err != nil {
		return failure(strings.TrimSpace(c.tool+" "+c.text("path")), err)
	}
	r := Result{Staged: []draft.Staged{s}}
	path := shown(s.Path)
	switch s.Action {
	case draft.Create:
		r.Text = fmt.Sprintf("staged: create %s %s", path, lines(s.Lines))
		r.Summary = fmt.Sprintf("create %s +%d", path, s.Added)
	case draft.Delete:
		r.Text = "staged: delete " + path
		r.Summary = fmt.Sprintf("delete %s −%d", path, s.Removed)
	case draft.Rename:
		r.Text = fmt.Sprintf("staged: rename %s to %s", path, shown(s.NewPath))
		r.Summary = fmt.Sprintf("rename %s to %s", path, shown(s.NewPath))
		if s.Added+s.Removed > 0 { // its text was changed too
			r.Text += ", " + lines(s.Lines)
			if s.Step != "" {
				r.Text += " (" + s.Step + ")"
			}
			r.Summary += fmt.Sprintf(" +%d −%d", s.Added, s.Removed)
		}
	case draft.Command:
		r.Text = "staged: run_command " + spaced(plan.CommandIn(c.text("command"), s.Path)) + "\nIt runs after the user has approved it; its output is not known in this turn."
		r.Summary = CommandSummary(c.text("command"), s.Path)
	default:
		r.Text = fmt.Sprintf("staged: %s %s %s", c.tool, path, lines(s.Lines))
		if s.Step != "" {
			r.Text += " (" + s.Step + ")"
		}
		r.Summary = fmt.Sprintf("edit %s +%d −%d", path, s.Added, s.Removed)
	}
	for _, note := range []string{s.Note, c.said} {
		if note != "" {
			r.Text += "\n" + note
		}
	}
	return r
}

// lines formats the line counts of a change.
func lines(l [2]int) string {
	switch {
	case l[1] == 0:
		return "(empty)"
	case l[0] == l[1]:
		return "line " + strconv.Itoa(l[0])
	}
	return fmt.Sprintf("lines %d-%d", l[0], l[1])
}

// listing joins the rows that fit, and adds how many are left out: those that do not fit, and
// left more.
func listing(rows []string, left int, what string) string {
	return within(maxListing, rows, left, what)
}

// within does what listing does, with another limit, in bytes.
func within(room int, rows []string, left int, what string) string {
	var b strings.Builder
	for i, row := range rows {
		if b.Len()+len(row) >= room {
			left += len(rows) - i
			break
		}
		b.WriteString(row + "\n")
	}
	if left > 0 {
		fmt.Fprintf(&b, "… %d more%s\n", left, what)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// shown formats a path for a row, always on one line.
func shown(path string) string {
	if strings.ContainsFunc(path, unicode.IsControl) {
		return strconv.Quote(path)
	}
	return path
}

// CommandSummary returns the result of a call that stages a command, in one line of about 200 bytes.
func CommandSummary(command, folder string) string {
	// More than a secret that begins on that line can be long: to look for more of them takes a second a megabyte.
	command = phrase.StartBytes(strings.TrimSpace(command), 64<<10)
	return "command " + phrase.ClipBytes(spaced(plan.CommandIn(secrets.MaskedCommand(command), folder)), 200)
}

// spaced replaces each control character of s, line ends included, with a space.
func spaced(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

// secret refuses a file that holds secrets unless the user named it.
func secret(env *Env, path string) error {
	if !env.Workspace.Secret(path) || env.Named != nil && env.Named(path) {
		return nil
	}
	if err := env.Workspace.HidesAll(); err != nil {
		return fmt.Errorf("%s is shown only if the user names it: %w. Tell the user", path, err)
	}
	return errors.New(path + " may hold secrets and is shown only if the user names it; ask for it by name, or go on without it")
}

// file returns the path in an argument, for tools that show some of the file's text. It refuses
// secret files.
func file(env *Env, name string) (string, error) {
	path, err := env.Workspace.Clean(name)
	if err == nil {
		err = secret(env, path)
	}
	return path, err
}

// maxUnparsed is how many files with syntax errors an answer names.
const maxUnparsed = 20

// parsing returns a note for the model on the files that a call has staged: which of them have
// syntax errors now, and which parse again after an earlier note. Each line of it begins with a
// line end.
func (env *Env) parsing(staged []draft.Staged) string {
	var b strings.Builder
	wrong := 0
	for _, s := range staged {
		path := s.Path
		if s.Action == draft.Rename {
			path = s.NewPath
		}
		before, now, ok := env.Draft.Texts(path)
		if s.Action == draft.Command || !ok {
			continue
		}
		switch problem := draft.Check(path, before, now); {
		case problem != "":
			if env.unparsed == nil {
				env.unparsed = map[string]bool{}
			}
			env.unparsed[path] = true
			if wrong++; wrong <= maxUnparsed {
				fmt.Fprintf(&b, "\n%s does not parse now: %s", shown(path), problem)
			}
		case env.unparsed[path]:
			delete(env.unparsed, path)
			fmt.Fprintf(&b, "\n%s parses again.", shown(path))
		}
	}
	if more := wrong - maxUnparsed; more > 0 {
		fmt.Fprintf(&b, "\n%s do not parse now.", phrase.Count(more, "more file"))
	}
	return b.String()
}

// maxDoing is how many characters of an argument [Doing] shows.
const maxDoing = 60

// Doing says in a few words what a running call does, for a progress line: "reading prices.go".
// arguments are the model's, perhaps incomplete. A call that only stages is described as
// planning, since nothing is deleted or run before the user has approved it.
func Doing(name, arguments string) string {
	if t, ok := Find(All(), name); ok {
		name = t.Name
	}
	given := begun(arguments)
	said := func(keys ...string) string {
		for _, key := range keys {
			if text, ok := given[key].(string); ok && text != "" {
				return phrase.Clip(edits.Visible(phrase.OneLine(text)), maxDoing)
			}
		}
		return ""
	}
	path := said(append([]string{"path"}, pathNames...)...)
	with := func(verb, what, without string) string {
		what = cmp.Or(what, without)
		return verb + " " + what
	}
	switch name {
	case "read_file", "outline":
		return with("reading", path, "a file")
	case "list_files":
		return with("listing files in", path, "the project")
	case "search":
		return with("searching for", said("pattern", "query", "regex"), "a text")
	case "edit_file", textEditorName:
		if given["command"] == "view" {
			return with("reading", path, "a file")
		}
		return with("editing", path, "a file")
	case "apply_patch":
		return with("editing", path, "files")
	case "write_file":
		return with("writing", path, "a file")
	case "delete_file":
		return with("planning to delete", path, "a file")
	case "rename_file":
		return with("planning to rename", path, "a file")
	case "rename_symbol":
		return with("renaming", said("symbol", "name", "old_name"), "a symbol")
	case "references":
		return with("finding the uses of", said("symbol", "name"), "a symbol")
	case "definition":
		return with("finding the definition of", said("symbol", "name"), "a symbol")
	case "run_command":
		return with("planning to run", inTicks(said("command", "cmd")), "a command")
	case "try_command":
		return with("trying", inTicks(said("command", "cmd")), "a command")
	case "fetch_url":
		_, where, _ := strings.Cut(said("url", "uri"), "://")
		where, _, _ = strings.Cut(where, "/") // what follows may hold a key
		where, _, _ = strings.Cut(where, "?")
		return with("fetching a page of", where[strings.LastIndex(where, "@")+1:], "the web")
	case "git_log", "git_blame":
		return with("reading the history of", path, "the project")
	case "git_diff":
		return with("reading the changes in", path, "the project")
	case "submit_plan":
		return "writing the plan"
	case AskUser:
		return "asking you"
	case SortMessage:
		return "sorting the message"
	case "unstage", "revert":
		return "changing the plan"
	}
	return "calling " + phrase.Clip(edits.Visible(phrase.OneLine(name)), maxDoing)
}

// PathIn returns the path among the arguments of a call, perhaps incomplete; "" for none.
func PathIn(arguments string) string {
	given := begun(arguments)
	for _, name := range append([]string{"path"}, pathNames...) {
		if path, ok := given[name].(string); ok && path != "" {
			return path
		}
	}
	return ""
}

func inTicks(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

// member matches a member of an object whose value is a complete string: "path": "a.go".
var member = lazyregexp.New(`"(\w+)"\s*:\s*("(?:[^"\\]|\\.)*")`)

// begun reads the arguments of a call. If they are incomplete, it reads the complete strings
// among them.
func begun(arguments string) map[string]any {
	var given map[string]any
	if json.Unmarshal([]byte(arguments), &given) == nil {
		return given
	}
	given = map[string]any{}
	for _, m := range member().FindAllStringSubmatch(arguments, -1) {
		var value string
		if json.Unmarshal([]byte(m[2]), &value) == nil {
			given[m[1]] = value
		}
	}
	return given
}
