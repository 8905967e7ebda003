package draft

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"redline/agent/plan"
	"redline/edits"
	"redline/edits/blame"
	"redline/edits/track"
)

// Part is the work of one of several specialists in a fork of a draft.
type Part struct {
	Draft *Draft
	Step  string // the step that its operations belong to
}

// Lost is an operation that could not be joined.
type Lost struct {
	Part      int // the index of its part
	Operation plan.Operation
	Same      bool   // an earlier part did the same, so nothing is missing
	Path      string // the file, "" for a command
	Why       string // the end of a sentence
	Diff      string // the missing lines, which begin with - and +, cut if there are many
}

// maxLost is how many lines of a lost edit are shown.
const maxLost = 40

// Join adds what several specialists have staged in forks of the draft, in the order of the
// parts. It takes the first part as it is. It stages an operation of a later part again on
// the result so far, but only if that gives exactly the text of its edit rebased there by
// lines. Join leaves out and returns an edit whose own lines another part has changed, or
// that would go to another place. replay stages an operation again; it must depend on the
// draft only. The forks must not be used any more.
func (draft *Draft) Join(parts []Part, replay Replay) []Lost {
	d, done := draft.open()
	defer done()
	j := &joining{level: d, replay: replay}
	var forks []*content
	for i, p := range parts {
		from := copyOf(p.Draft)
		forks = append(forks, from.clone())
		news := from.operations[from.begun:]
		for k := range news {
			news[k].Step = p.Step
		}
		if j.merged == nil {
			if len(news) > 0 || len(parts) == 1 {
				j.merged = from
			}
			continue
		}
		j.part = i
		j.join(from, news)
	}
	if j.merged == nil {
		j.merged = d.clone()
	}
	for _, f := range forks { // a file that a specialist has read stays as read
		j.pin(f)
	}
	d.refused = d.joinRefused(forks)
	d.become(j.merged)
	return j.lost
}

// joining is the state of one Join.
type joining struct {
	level  *content // the content when the forks began
	merged *content // the result so far, nil for none
	replay Replay
	part   int
	lost   []Lost
}

// join adds the operations of a fork to the result so far. It also stages them one by one in
// a separate draft, to find out what each has done in its fork.
func (j *joining) join(from *content, news []plan.Operation) {
	j.pin(from)
	beside := from.clone() // with its bases; otherwise as when the fork began
	beside.files, beside.notes = maps.Clone(j.level.files), slices.Clone(j.level.notes)
	beside.operations = slices.Clone(j.level.operations)
	beside.begun = len(beside.operations)
	for _, o := range news {
		before := beside.clone()
		staged, err := beside.restage(j.replay, o)
		if err != nil {
			j.lose(o, Lost{Path: o.Path, Why: "it could not be staged again: " + err.Error()})
			continue
		}
		j.one(o, staged, before, beside)
	}
}

// pin adds the bases of files that only a fork has looked at.
func (j *joining) pin(from *content) {
	for path, b := range from.bases {
		if _, known := j.merged.bases[path]; !known {
			j.merged.bases[path] = b
		}
	}
}

func (j *joining) lose(o plan.Operation, l Lost) {
	l.Part, l.Operation = j.part, o
	j.lost = append(j.lost, l)
}

// one joins one operation, which changed a path's file from before to after in its fork.
func (j *joining) one(o plan.Operation, staged []Staged, before, after *content) {
	want := map[string]state{}
	same := len(staged) > 0
	for _, path := range pathsOf(o, staged) {
		w, already, why := j.carry(path, before, after)
		if why != "" {
			j.lose(o, Lost{Path: path, Why: why, Diff: lostLines(path, before, after)})
			return
		}
		want[path], same = w, same && already
	}
	if same && (!o.IsCommand() || j.runs(o)) {
		j.lose(o, Lost{Path: o.Path, Same: true, Why: "another has done the same"})
		return
	}
	trial := j.merged.clone()
	if _, err := trial.restage(j.replay, o); err != nil {
		j.lose(o, Lost{Path: o.Path, Why: "what it goes by was changed by another: " + err.Error(), Diff: lostOf(want, before, after)})
		return
	}
	for path, w := range want {
		if text, exists, _ := trial.now(path); text != w.text || exists != w.exists {
			j.lose(o, Lost{Path: path, Why: "it would come to another place than it was made for", Diff: lostLines(path, before, after)})
			return
		}
	}
	j.merged = trial
}

// runs reports whether another part has staged the same command already.
func (j *joining) runs(o plan.Operation) bool {
	return slices.ContainsFunc(j.merged.operations[len(j.level.operations):], func(other plan.Operation) bool {
		return other.Command == o.Command && other.Step != o.Step && bytes.Equal(other.Args, o.Args)
	})
}

// pathsOf returns the paths that an operation has changed.
func pathsOf(o plan.Operation, staged []Staged) []string {
	var paths []string
	for _, s := range staged {
		for _, path := range []string{s.Path, s.NewPath} {
			if path != "" && !o.IsCommand() && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

type state struct {
	text   string
	exists bool
}

// carry returns the file that a path must have in the joined draft after an operation that
// changed it from before to after. already is true if it has that file; why is the reason if it
// cannot.
func (j *joining) carry(path string, before, after *content) (want state, already bool, why string) {
	var was, is, here state
	is.text, is.exists, _ = after.now(path)
	known := false
	if was.text, was.exists, known = before.now(path); !known {
		b := after.bases[path]
		was = state{b.text, b.exists}
	}
	if here.text, here.exists, known = j.merged.now(path); !known {
		b := after.bases[path]
		here, j.merged.bases[path] = state{b.text, b.exists}, b
	}
	switch {
	case here == is && was != is:
		return is, true, ""
	case here == was:
		return is, was == is, ""
	case !here.exists:
		return want, false, "another has taken the file away"
	case !was.exists:
		return want, false, "another has made a file of that name"
	case !is.exists:
		return want, false, "another has changed the file"
	}
	areas := blame.AreasOf(edits.Diff(was.text, is.text), blame.Source{})
	es, made, conflicts := track.Rebase(was.text, areas.Edits(is.text), here.text)
	if len(conflicts) > 0 {
		return want, false, "another has changed the same lines"
	}
	text, err := edits.Apply(here.text, es)
	if err != nil {
		return want, false, "another has changed the same lines"
	}
	return state{text, true}, len(es) == 0 && len(made) > 0, ""
}

// lostOf returns the lost lines of an operation in all its files.
func lostOf(paths map[string]state, before, after *content) string {
	var all []string
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		all = append(all, lostLines(path, before, after))
	}
	return strings.Join(all, "")
}

// lostLines returns the lines that an operation has changed in a file of its fork.
func lostLines(path string, before, after *content) string {
	was, _, known := before.now(path)
	if !known {
		was = after.bases[path].text
	}
	is, _, _ := after.now(path)
	var b strings.Builder
	left := maxLost
	write := func(sign, text string) {
		for line := range strings.Lines(text) {
			if left--; left >= 0 {
				b.WriteString(sign + strings.TrimRight(line, "\r\n") + "\n")
			}
		}
	}
	for _, e := range blame.AreasOf(edits.Diff(was, is), blame.Source{}).Edits(is) {
		write("-", was[e.Start:e.End])
		write("+", e.New)
	}
	if left < 0 {
		fmt.Fprintf(&b, "… %d more lines\n", -left)
	}
	return b.String()
}

// sameCommand reports whether two operations run the same command line in the same way. Calls
// of tool servers never count as the same: repeating one may be intended.
func sameCommand(a, b *plan.Operation) bool {
	return a.Tool == "run_command" && b.Tool == a.Tool && a.Step == b.Step && a.ID == "" && b.ID == "" &&
		a.IsCommand() && a.Command == b.Command && sameArgs(a.Args, b.Args)
}

// waits returns the id of the command of the plan that is the same as o and has not succeeded, so
// that it runs when the plan is approved; "" for none. The step does not matter.
func (d *content) waits(o *plan.Operation) string {
	for i := range d.operations[:d.begun] {
		was := &d.operations[i]
		if was.Tool == "run_command" && o.Tool == was.Tool && was.Command == o.Command && !d.ran[was.ID] && sameArgs(was.Args, o.Args, "step") {
			return was.ID
		}
	}
	return ""
}

// sameArgs reports whether two calls have the same arguments, except for those named.
func sameArgs(a, b json.RawMessage, but ...string) bool {
	var x, y map[string]json.RawMessage
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	for _, name := range but {
		delete(x, name)
		delete(y, name)
	}
	return maps.EqualFunc(x, y, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
}

// mergeable finds the last operation before o on the same file, if o replaces exactly
// its new text. It returns its index and the one edit that replaces both.
func mergeable(before []plan.Operation, o plan.Operation) (at int, merged plan.Operation, ok bool) {
	later, ok := editOf(o)
	if !ok {
		return 0, merged, false
	}
	for at = len(before) - 1; at >= 0; at-- {
		if p := before[at].Path; p == o.Path || p == "" && !before[at].IsCommand() {
			break
		}
	}
	if at < 0 || before[at].Step != o.Step || before[at].Path != o.Path {
		return 0, merged, false
	}
	first, ok := editOf(before[at])
	if !ok || later.Old != first.New {
		return 0, merged, false
	}
	first.New = later.New
	args, err := json.Marshal(first)
	if err != nil {
		return 0, merged, false // strings only
	}
	merged = before[at]
	merged.Args = args
	return at, merged, true
}

// changesNothing reports whether an edit replaces a text with the same text.
func changesNothing(o plan.Operation) bool {
	r, ok := editOf(o)
	return ok && r.Old == r.New
}

// replacement has the arguments of an edit_file that replaces one text.
type replacement struct {
	Path string `json:"path"`
	Old  string `json:"old_string"`
	New  string `json:"new_string"`
	Step string `json:"step,omitempty"`
}

// editOf reads the arguments of an operation that replaces one text by another.
func editOf(o plan.Operation) (replacement, bool) {
	var r replacement
	if o.Tool != "edit_file" || o.ID != "" {
		return r, false
	}
	d := json.NewDecoder(bytes.NewReader(o.Args))
	d.DisallowUnknownFields() // such as replace_all
	err := d.Decode(&r)
	return r, err == nil && r.Old != ""
}
