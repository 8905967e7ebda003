package share

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"redline/agent/plan"
	"redline/edits"
	"redline/internal/modeline"
	"redline/workspace"
)

// With says what a document has beside the plan itself.
type With struct {
	By           string // the person who shares it, as in "Ada <ada@example.org>", "" if that is not known
	Conversation bool   // prompts and answers
	Output       bool   // what trials have printed
}

// Source is what a document is made from.
type Source struct {
	Plan      *plan.Plan
	Decisions []plan.Decision
	Exchanges []Exchange
	Kept      *Document                       // what is kept of the plan's earlier documents, without texts; nil if there was none
	Text      func(plan.Blob) (string, error) // the text of a blob; nil: the document has no texts
	Local     Local
	With      With
}

// Make returns the document of a plan. What was in an earlier document stays as it was there, so that its
// hashes stay. Make also returns the content hash of each revision by its number here. Its error is that of
// Text, or says what cannot be written as JSON.
func Make(src Source) (*Document, map[int]string, error) {
	p, local := src.Plan, src.Local
	src.With.By = name(src.With.By)
	d := &Document{
		Format: Format, Version: Version, ID: p.ID, Plan: p.Number, Goal: local.Words(p.Goal), State: string(p.State), Rating: p.Rating,
		Created: p.Created.UTC(), Updated: p.Updated.UTC(), Revisions: make([]Revision, len(p.Revisions)), Decisions: []Decision{}, Texts: []Text{},
	}
	if src.Kept != nil && src.Kept.Updated.After(d.Updated) {
		d.Updated = src.Kept.Updated
	}
	hashes := make(map[int]string, len(p.Revisions))
	m := &maker{Source: &src, numbers: map[int]int{}, names: map[int]naming{}}
	for i := range p.Revisions {
		r := &p.Revisions[i]
		made, err := m.revision(r)
		if err != nil {
			return nil, nil, err
		}
		m.numbers[r.Number] = i + 1
		made.Revision, made.Parent = i+1, m.numbers[r.Parent]
		parent := ""
		if made.Parent > 0 {
			parent = d.Revisions[made.Parent-1].Content
		}
		if made.Content == "" {
			if made.Content, err = contentOf(d.ID, parent, &made); err != nil {
				return nil, nil, fmt.Errorf("revision %d cannot be written as JSON: %w", r.Number, err)
			}
		}
		d.Revisions[i], hashes[r.Number] = made, made.Content
	}
	d.Current = m.numbers[p.Current]
	d.Progress = m.progress()
	if err := m.say(d); err != nil {
		return nil, nil, err
	}
	d, err := m.finish(d)
	return d, hashes, err
}

// finish merges the document of this place with what was kept, and adds the texts.
func (m *maker) finish(d *Document) (*Document, error) {
	out := d
	if m.Kept == nil {
		out.arrange()
	} else {
		merged, err := Merge(m.Kept.without(m.With), d)
		if err != nil {
			return nil, err
		}
		out = merged
		out.Plan, out.Goal, out.State, out.Rating, out.Progress = d.Plan, d.Goal, d.State, d.Rating, d.Progress
		out.Current = out.numbers()[d.Revisions[d.Current-1].Content]
	}
	if m.Text == nil {
		return out, nil
	}
	known := map[string]bool{}
	for i := range out.Revisions {
		for _, c := range out.Revisions[i].Changes {
			for _, blob := range []string{c.Base, c.Proposed} {
				if known[blob] {
					continue
				}
				known[blob] = true
				s, err := m.Text(plan.Blob(blob))
				if err != nil {
					return nil, err
				}
				out.Texts = append(out.Texts, Text{blob, linesOf(s)})
			}
		}
	}
	return out, nil
}

// without returns the document without what it may have only with that.
func (d *Document) without(with With) *Document {
	out := *d
	if !with.Conversation {
		out.Conversation = nil
	}
	if !with.Output {
		out.Trials = slices.Clone(d.Trials)
		for i := range out.Trials {
			out.Trials[i].Output = ""
		}
	}
	return &out
}

// Encode returns the document as a file: indented, or on one line. It escapes characters
// that a reader would not see, and what an editor would read as options.
func (d *Document) Encode(oneLine bool) ([]byte, error) {
	options := []jsonv2.Options{jsonv2.Deterministic(true)}
	if !oneLine {
		options = append(options, jsontext.WithIndent("  "))
	}
	data, err := jsonv2.Marshal(d, options...)
	if err != nil {
		return nil, fmt.Errorf("plan %d cannot be written as JSON: %w", d.Plan, err)
	}
	return []byte(modeline.BreakJSON(string(edits.VisibleJSON(data))) + "\n"), nil
}

func revisionOf(r *plan.Revision, local Local) (Revision, error) {
	out := Revision{
		Author: r.Author, Created: r.Created.UTC(), Note: local.Words(r.Note),
		Description: local.Words(r.Description), TextOnly: r.TextOnly, Predicted: r.Predicted,
		Steps: []plan.Step{}, Operations: []plan.Operation{}, Changes: []Change{},
	}
	if u := r.Unfinished; !u.None() {
		out.Unfinished = &plan.Unfinished{Stopped: local.Words(u.Stopped), NotTaken: local.Words(u.NotTaken)}
		for _, f := range u.Refused {
			out.Unfinished.Refused = append(out.Unfinished.Refused, plan.Refused{Path: local.Words(f.Path), Reason: local.Words(f.Reason), Tool: f.Tool})
		}
	}
	for _, s := range r.Steps {
		s.Description, s.Rationale, s.Risk = local.Words(s.Description), local.Words(s.Rationale), local.Words(s.Risk)
		out.Steps = append(out.Steps, s)
	}
	for _, o := range r.Operations {
		args, err := localArgs(o.Args, local.Name)
		if err != nil {
			return Revision{}, fmt.Errorf("the arguments of operation %s cannot be exported: %w", o.ID, err)
		}
		o.Args = args
		out.Operations = append(out.Operations, o)
	}
	for i := range r.Changes {
		c := &r.Changes[i]
		made := Change{
			Path: c.Path, NewPath: c.NewPath, Action: string(c.Action), Base: string(c.Base), Proposed: string(c.Proposed),
			BaseExists: c.BaseExists, Mode: c.Mode, BOM: c.BOM, Charset: string(c.Charset), Operations: append([]string{}, c.Operations...), MovedBy: c.MovedBy, Hunks: []Hunk{},
		}
		for _, h := range c.Hunks {
			made.Hunks = append(made.Hunks, Hunk{
				h.ID, [2]int{h.Old.Start, h.Old.End}, [2]int{h.New.Start, h.New.End}, h.Match, h.Operations,
			})
		}
		out.Changes = append(out.Changes, made)
	}
	return out, nil
}

// nameArgs are the arguments that name files and folders.
var nameArgs = map[string]bool{"path": true, "new_path": true, "cwd": true}

// localArgs returns args without names that would reveal something about this machine.
// Everything else keeps its meaning.
func localArgs(args json.RawMessage, local func(string) string) (json.RawMessage, error) {
	if len(args) == 0 {
		return json.RawMessage("{}"), nil
	}
	in, out := jsontext.NewDecoder(bytes.NewReader(args)), new(bytes.Buffer)
	to := jsontext.NewEncoder(out)
	for member := ""; ; {
		kind, read := in.StackIndex(in.StackDepth())
		top := in.StackDepth() == 1 && kind == '{'
		token, err := in.ReadToken()
		switch {
		case err != nil:
			return nil, err
		case token.Kind() != '"' || !top:
		case read%2 == 0: // names and values alternate
			member = token.String()
		case nameArgs[member]:
			token = jsontext.String(local(token.String()))
		}
		if err := to.WriteToken(token); err != nil {
			return nil, err
		}
		if in.StackDepth() == 0 {
			return json.RawMessage(bytes.TrimSpace(out.Bytes())), nil
		}
	}
}

// linesOf splits a text after each "\n": "a\nb" is "a\n" and "b".
func linesOf(text string) []string {
	if text == "" {
		return []string{}
	}
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// Local removes from a plan what only concerns this machine.
type Local struct {
	Words func(string) string // for text by users and the model
	Name  func(string) string // for an argument that names a file or folder

	Secret func(path string) bool // whether a file may hold secrets, whose problems stay here; nil: none does
}

// LocalTo returns a Local that removes the locations of the workspace's folders on this machine,
// which are private.
func LocalTo(ws *workspace.Workspace) Local {
	return Local{
		Words: func(s string) string { return withoutPlaces(ws, s) },
		Name:  func(name string) string { return pathOnly(ws, name) },

		Secret: ws.Secret,
	}
}

// pathOnly returns the workspace path of a file in the workspace, which does not show where the
// workspace is. From any other name it only removes the folders' names.
func pathOnly(ws *workspace.Workspace, name string) string {
	if filepath.IsAbs(name) || strings.HasPrefix(name, "file:") {
		if clean, err := ws.Clean(name); err == nil {
			return clean
		}
	}
	return withoutPlaces(ws, name)
}

// withoutPlaces makes the names of the workspace's folders in a text relative.
func withoutPlaces(ws *workspace.Workspace, s string) string {
	folders := slices.Clone(ws.Folders())
	slices.SortStableFunc(folders, func(x, y workspace.Folder) int { return len(y.Dir) - len(x.Dir) }) // one may contain another
	for _, f := range folders {
		name := ""
		if !ws.Single() {
			name = f.Name + "/"
		}
		for _, dir := range []string{"file://" + filepath.ToSlash(f.Dir), filepath.ToSlash(f.Dir), f.Dir} {
			s = withoutFolder(s, dir, name)
		}
	}
	return s
}

// withoutFolder replaces dir and the separator after it in s with name, which is "" or ends with
// a slash. dir stays if it is only a part of another name, as "/app" is of "src/app/x" and of
// "/app2".
func withoutFolder(s, dir, name string) string {
	if strings.TrimRight(dir, `/\`) != dir {
		return s // the root reveals nothing, and is in every name
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, dir)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		last, _ := utf8.DecodeLastRuneInString(b.String())
		next, size := utf8.DecodeRuneInString(after)
		second, _ := utf8.DecodeRuneInString(after[size:])
		switch {
		case b.Len() > 0 && (inName(last) || strings.ContainsRune(`./\`, last)),
			inName(next), next == '.' && inName(second):
			b.WriteString(dir)
		case next == '/' || next == filepath.Separator:
			b.WriteString(name)
			after = after[size:]
		default:
			b.WriteString(strings.TrimSuffix("./"+name, "/"))
		}
		s = after
	}
}

// inName reports whether r can be anywhere in the name of a file.
func inName(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-~", r)
}
