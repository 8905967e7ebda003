package loop

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"redline/agent/model"
	"redline/edits/patch"
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
