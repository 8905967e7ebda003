package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"redline/agent/draft"
	"redline/edits"
	"redline/edits/patch"
	"redline/internal/phrase"
	"redline/workspace"
)

// renamePatch is the argument of a recorded operation that has the edits which a language server has
// found, as a patch: the operation can be staged again without the server. It is not in the schema
// that models get.
const renamePatch = "patch"

var renameSymbol = define(Tool{
	Name:     "rename_symbol",
	Buffered: true,
	language: true,
	params: buffered(symbolParams(
		param{name: "new_name", kind: stringKind, required: true, also: []string{"to", "new_symbol", "new"}},
		param{name: renamePatch, kind: stringKind, hidden: true},
	)...),
	run: func(ctx context.Context, env *Env, c call) Result {
		what := spaced(phrase.ClipBytes("rename "+c.text("symbol")+" to "+c.text("new_name"), 200))
		o := c.operation()
		text := c.text(renamePatch)
		if !env.Again {
			ctx, cancel := context.WithTimeout(ctx, maxServerWait)
			defer cancel()
			r := &renaming{env: env, from: lastName(c.text("symbol")), to: c.text("new_name")}
			err := r.ask(ctx, c)
			if err == nil {
				text, err = r.patch()
			}
			if err == nil {
				err = r.check(ctx)
			}
			if err == nil {
				o.Args, err = withArg(o.Args, renamePatch, text)
			}
			if err != nil {
				return failure(what, err)
			}
			if c.said = strings.TrimSpace(r.note + "\n" + c.said); r.note != "" {
				env.checks().leaveOpen()
			}
		}
		files, err := patch.Parse(text)
		if err == nil {
			err = cleanAll(env, files)
		}
		if err != nil {
			return failure(what, err)
		}
		all, err := env.Draft.Patch(files, o)
		if err != nil {
			return failure(what, err)
		}
		r := stagedAll(c, all)
		r.Summary = what + " in " + phrase.Count(len(all), "file")
		for _, s := range all {
			r.Summary += fmt.Sprintf(", %s +%d −%d", shown(s.Path), s.Added, s.Removed)
		}
		r.Summary = phrase.ClipBytes(r.Summary, 400)
		return r
	},
})

// withArg returns arguments with one more, or with another value for one.
func withArg(raw json.RawMessage, name, value string) (json.RawMessage, error) {
	var args map[string]json.RawMessage
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, err
	}
	doc, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	args[name] = doc
	return json.Marshal(args)
}

// cleanAll cleans the paths of a patch.
func cleanAll(env *Env, files []patch.File) error {
	for i := range files {
		if err := cleanPatch(env, &files[i]); err != nil {
			return err
		}
	}
	return nil
}

// renaming is a symbol that gets another name.
type renaming struct {
	env      *Env
	from, to string
	at       Place
	texts    map[string]string // the files with the new name, by path
	before   map[string]string // the same files in the draft
	note     string            // for the model
}

// ask asks the language server for the texts with the new name, and refuses what is no renaming of
// files that may be changed.
func (r *renaming) ask(ctx context.Context, c call) (err error) {
	switch {
	case !isName(r.to):
		return fmt.Errorf("%s is not a name: give letters, digits and _, without a digit at the start", inQuotes(r.to))
	case r.from == r.to:
		return &draft.Refusal{Reason: "the symbol has that name already, so there is nothing to change", Idle: true}
	}
	if r.at, err = symbolPlace(ctx, r.env, c); err != nil {
		return err
	}
	if r.texts, err = r.env.Languages.Rename(ctx, r.env.Draft.Overlay(), r.at, r.to); err != nil {
		if ctx.Err() != nil {
			return errors.New("the language server did not answer in time; edit the files, or try again later")
		}
		return fmt.Errorf("the language server refuses it: %w", err)
	}
	r.before = map[string]string{}
	for _, path := range slices.Sorted(maps.Keys(r.texts)) {
		if err := r.env.keeps(path); err != nil {
			return fmt.Errorf("it would change a file that you may not change: %w. Nothing was changed", err)
		}
		text, exists, err := r.env.Draft.Read(path)
		switch {
		case err != nil:
			return fmt.Errorf("it would change a file that you may not change: %w. Nothing was changed", err)
		case !exists:
			return fmt.Errorf("it would create %s, which no renaming does. Nothing was changed", shown(path))
		case text == r.texts[path]:
			delete(r.texts, path)
			continue
		}
		for _, e := range edits.EditsOf(edits.Diff(text, r.texts[path])) {
			if !hasName(e.Span.Of(text), r.from) || !hasName(e.New, r.to) {
				return fmt.Errorf("line %d of %s would be changed in another way. Nothing was changed. Read the file and edit it", edits.LineOf(text, e.Start)+1, shown(path))
			}
		}
		r.before[path] = text
	}
	if len(r.texts) == 0 {
		return errors.New("the language server found nothing to rename; edit the files")
	}
	return nil
}

// hasName reports whether a text has a name as a whole word.
func hasName(text, name string) bool { return len(occurrences(text, "", name)) > 0 }

// contexts are how many lines around each change a patch has: as many as it needs for its places to
// be the only ones. With all lines of a file they are.
var contexts = []int{3, 10, 50, 1 << 30}

// patch returns the patch that makes the texts of those in the draft. Its places are found without
// line numbers.
func (r *renaming) patch() (string, error) {
	var b strings.Builder
	for _, path := range slices.Sorted(maps.Keys(r.texts)) {
		text, ok := patchOf(path, r.before[path], r.texts[path])
		if !ok {
			return "", fmt.Errorf("the change of %s cannot be staged; edit the files", shown(path))
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// patchOf returns a patch that makes a text of another, without line numbers deciding anything.
func patchOf(path, before, after string) (string, bool) {
	for _, around := range contexts {
		text := edits.Unified("a/"+path, "b/"+path, before, after, around)
		files, err := patch.Parse(text)
		if err != nil || len(files) != 1 || files[0].Path != path {
			return "", false
		}
		es, _, err := files[0].Edits(before, false)
		if err != nil {
			continue
		}
		if made, err := edits.Apply(before, es); err == nil && made == after {
			return text, true
		}
	}
	return "", false
}

// check refuses a name that is taken: one that adds errors, or makes the symbol another one
// somewhere. What is not known, it notes for the model.
func (r *renaming) check(ctx context.Context) error {
	without := r.env.Draft.Overlay()
	texts := maps.Clone(without)
	if texts == nil {
		texts = workspace.Overlay{}
	}
	for path, text := range r.texts {
		texts[path] = workspace.Overlaid{Text: text}
	}
	added, err := r.env.Languages.Added(ctx, texts, without)
	switch {
	case err != nil:
		r.note = fmt.Sprintf("Whether the name is taken was not checked: %s.", spaced(phrase.ClipBytes(err.Error(), 200)))
	case added.Errors() > 0:
		rows := r.env.errorRows(added)
		return fmt.Errorf("the name %s is taken, or not possible here. Nothing was changed. With it there are new errors:\n%s", r.to, strings.Join(rows, "\n"))
	case added.NotChecked() != "":
		r.note = fmt.Sprintf("Whether the name is taken was %s.", spaced(added.NotChecked()))
	}
	return r.sameUses(ctx, without, texts)
}

// sameUses refuses a name with which other lines use the symbol than before: where something else of
// that name is nearer, no server reports an error.
func (r *renaming) sameUses(ctx context.Context, without, texts workspace.Overlay) error {
	at, ok := r.moved()
	if !ok {
		return nil
	}
	was, err := r.env.Languages.References(ctx, without, r.at)
	if err != nil {
		return nil // it is refused for what is known only
	}
	is, err := r.env.Languages.References(ctx, texts, at)
	if err != nil {
		return nil
	}
	lines := func(found []Location) (all []string) {
		for _, l := range found {
			all = append(all, fmt.Sprintf("line %d of %s", l.Line+1, shown(l.Path)))
		}
		slices.Sort(all)
		return all
	}
	before, after := lines(was), lines(is)
	if slices.Equal(before, after) {
		return nil
	}
	differs := func(line string) bool { return !slices.Contains(before, line) || !slices.Contains(after, line) }
	i := slices.IndexFunc(append(before, after...), differs)
	where := ""
	if i >= 0 {
		where = ", as on " + append(before, after...)[i]
	}
	return fmt.Errorf("the name %s is taken: the symbol would be mixed up with another of that name%s. Nothing was changed", r.to, where)
}

// moved returns the place of the symbol once it has the new name.
func (r *renaming) moved() (Place, bool) {
	after, changed := r.texts[r.at.Path]
	if !changed {
		return Place{}, false
	}
	here := occurrences(after, r.at.Path, r.to)
	first := 0 // how many of the old name come before it on the line
	for _, at := range onLine(occurrences(r.before[r.at.Path], r.at.Path, r.from), r.at.Line) {
		if at.Column < r.at.Column {
			first++
		}
	}
	for ; first >= 0; first-- {
		at := r.at
		at.Column += first * (len(r.to) - len(r.from))
		if slices.Contains(here, at) {
			return at, true
		}
	}
	return Place{}, false
}

// inQuotes shows a text of a model in a sentence.
func inQuotes(text string) string {
	return fmt.Sprintf("%q", phrase.ClipBytes(text, 60))
}
