package model_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"redline/agent/model"
)

// workspace is a folder in memory with the tools that a model knows, which answer in the real
// formats.
type workspace struct {
	files     map[string]string
	commands  []string
	tried     []string
	trial     string            // the answer of a trial
	readOnly  string            // edits of this file are refused
	readLines int               // number of lines that a read returns at once; 0: all
	hits      int               // number of hits that a search returns at once; 0: all
	defined   map[string]string // answers of the tool definition, by path
	symbols   []string          // calls of rename_symbol
	requests  int               // of the last turn
	edits     map[string]bool
}

// all are the tools that plan and read.
var all = []string{"search", "list_files", "read_file", "edit_file", "write_file", "delete_file", "rename_file", "run_command"}

// ask runs one turn on the workspace and returns the answer.
func (w *workspace) ask(t *testing.T, request string, tools ...string) string {
	t.Helper()
	ask := model.Request{Messages: []model.Message{
		{Role: model.RoleSystem, Content: "You are Redline."},
		{Role: model.RoleUser, Content: "rename nothing to anything"},
		{Role: model.RoleAssistant, Content: "I found nothing."},
		{Role: model.RoleUser, Content: request},
	}}
	for _, name := range tools {
		ask.Tools = append(ask.Tools, model.Tool{Name: name})
	}
	p := model.New(model.Config{})
	for w.requests = 1; w.requests <= 50; w.requests++ {
		reply, err := p.Complete(t.Context(), ask, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(reply.Calls) == 0 {
			return reply.Text
		}
		ask.Messages = append(ask.Messages, model.Message{Role: model.RoleAssistant, Content: reply.Text, Calls: reply.Calls})
		for _, c := range reply.Calls {
			if !slices.Contains(tools, c.Name) {
				t.Fatalf("called %s, which was not offered", c.Name)
			}
			ask.Messages = append(ask.Messages, model.Message{Role: model.RoleTool, CallID: c.ID, Content: w.run(t, c)})
		}
	}
	t.Fatal("the model does not come to an end")
	return ""
}

func (w *workspace) run(t *testing.T, c model.Call) string {
	var a struct {
		Path, Pattern, Glob, Content, Command string
		Regex                                 bool
		Old                                   string `json:"old_string"`
		New                                   string `json:"new_string"`
		NewPath                               string `json:"new_path"`
		Start                                 int    `json:"start_line"`
	}
	if err := json.Unmarshal([]byte(c.Arguments), &a); err != nil {
		t.Fatalf("%s: %v", c.Arguments, err)
	}
	text, exists := w.files[a.Path]
	switch c.Name {
	case "search":
		return w.search(a.Pattern, a.Glob, a.Regex)
	case "run_command":
		w.commands = append(w.commands, a.Command)
		return "staged: a command"
	case "try_command":
		w.tried = append(w.tried, a.Command)
		return w.trial
	case "write_file":
		w.files[a.Path] = a.Content
		return "staged: a file"
	}
	if !exists {
		return "error: there is no file " + a.Path + ".\nLook with list_files."
	}
	switch c.Name {
	case "definition":
		return cmp.Or(w.defined[a.Path], "error: no language server answers for "+a.Path+"; use search instead")
	case "rename_symbol":
		if w.symbols = append(w.symbols, c.Arguments); a.Path == w.readOnly {
			return "error: the name is taken.\nMore."
		}
		return "staged: rename_symbol " + a.Path + " line 3 (exact)\nstaged: rename_symbol use.go lines 4-9 (exact)\nIt adds nothing."
	case "read_file":
		lines := slices.Collect(strings.Lines(text))
		if a.Start == 0 && (w.readLines == 0 || len(lines) <= w.readLines) {
			return text
		}
		from := max(a.Start, 1)
		to := min(from+w.readLines-1, len(lines))
		return fmt.Sprintf("[lines %d-%d of %d]\n", from, to, len(lines)) + strings.Join(lines[from-1:to], "")
	case "edit_file":
		at := strings.Index(text, a.Old)
		switch {
		case a.Path == w.readOnly:
			return "error: it may not be changed."
		case a.Old == "" || at < 0:
			t.Errorf("edit of %s: %q is not in it", a.Path, a.Old)
			return "error: not found."
		case strings.Contains(text[at+1:], a.Old):
			t.Errorf("edit of %s: %q is in it several times", a.Path, a.Old)
			return "error: several places."
		case a.Old == a.New:
			t.Errorf("edit of %s changes nothing", a.Path)
		case w.edits[c.Arguments]:
			t.Errorf("the edit %s comes again", c.Arguments)
		}
		if w.edits == nil {
			w.edits = make(map[string]bool)
		}
		w.edits[c.Arguments] = true
		w.files[a.Path] = text[:at] + a.New + text[at+len(a.Old):]
	case "delete_file":
		delete(w.files, a.Path)
	case "rename_file":
		delete(w.files, a.Path)
		w.files[a.NewPath] = text
	}
	return "staged: " + c.Name
}

func (w *workspace) search(pattern, glob string, regex bool) string {
	if !regex {
		pattern = regexp.QuoteMeta(pattern)
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return "error: " + err.Error()
	}
	var out []string
	hits, last := 0, ""
	for _, name := range slices.Sorted(maps.Keys(w.files)) {
		if folder, ok := strings.CutSuffix(glob, "**"); ok && !strings.HasPrefix(name, folder) {
			continue
		} else if match, _ := path.Match(glob, name); !ok && glob != "" && !match {
			continue
		}
		n := 0
		for line := range strings.Lines(w.files[name]) {
			n++
			if line = strings.TrimRight(line, "\r\n"); re.MatchString(line) {
				if hits++; w.hits > 0 && hits > w.hits {
					continue
				}
				if name != last {
					out, last = append(out, name), name
				}
				out = append(out, fmt.Sprintf("%d: %s", n, line))
			}
		}
	}
	switch {
	case len(out) == 0:
		return "no matches"
	case w.hits > 0 && hits > w.hits:
		return strings.Join(out, "\n") + fmt.Sprintf("\n… %d more hits (narrow the search to see them):\n%s: 1 line", hits-w.hits, last)
	}
	return strings.Join(out, "\n")
}
