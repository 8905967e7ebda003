package tool_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"redline/agent/draft"
	"redline/agent/plan"
	"redline/agent/tool"
	"redline/edits"
	"redline/workspace"
)

var (
	historyOf      = flag.String("history", "", "the git repository whose commits TestHistory replays; this project's own newest ones when empty")
	historyCommits = flag.Int("commits", 0, "how many of the newest commits TestHistory replays; 0 for all")
)

// ownCommits is how many commits are replayed when no repository is named.
const ownCommits = 12

// TestHistory makes tool calls of what the commits of a git repository have
// changed, in every form that a model may use. It seals the draft, applies the
// hunks one by one in random order, and what comes of it must be what git has,
// byte for byte. What no call can say is counted by name.
func TestHistory(t *testing.T) {
	dir, n := *historyOf, *historyCommits
	if dir == "" {
		dir, n = ".", ownCommits
	}
	repo, err := openRepository(t, dir)
	if err != nil {
		if *historyOf == "" {
			t.Skipf("there is no history to replay: %v", err)
		}
		t.Fatal(err)
	}
	r := &replay{
		repo: repo, ws: workspace.New([]workspace.Folder{{Dir: t.TempDir()}}, workspace.Options{}),
		random: rand.New(rand.NewPCG(1, 2)), calls: map[string]int{}, equal: map[string]int{}, counted: map[string]int{},
	}
	for _, c := range repo.commits(t, n) {
		r.commit(t, c)
		if r.wrong >= 20 {
			t.Fatal("too much is wrong; the rest is left out")
		}
	}
	t.Log(r.report())
	if r.files == 0 {
		t.Error("no file of any commit was replayed")
	}
}

// replay is the replaying of one history.
type replay struct {
	repo   *repository
	ws     *workspace.Workspace
	random *rand.Rand

	commits, files, wrong int
	calls, equal          map[string]int // by form
	counted               map[string]int // by reason
}

// form is a way to say what a commit does. stage makes the calls.
type form struct {
	name  string
	stage func(*staging)
}

var forms = []form{
	{"pairs", func(s *staging) { s.each(s.files, s.pairs) }},
	{"whole files", func(s *staging) { s.each(s.files, s.whole) }},
	{unified, func(s *staging) {
		s.patches(s.files, func(files []fileChange) string { return s.repo.patch(s.t, s.id, files) })
	}},
	{"begin-patch", (*staging).beginPatches},
}

// unified is the one form that says the mode of a new file.
const unified = "unified diff"

// commit replays one commit in every form.
func (r *replay) commit(t *testing.T, c commit) {
	r.commits++
	var files []fileChange
	for _, f := range r.repo.changes(t, c) {
		if why := r.unsayable(f); why != "" {
			r.counted[why]++
			continue
		}
		if f.newMode != f.oldMode && f.oldMode != 0 && f.newMode != 0 {
			r.counted["a change of the mode besides that of the text"]++
		}
		files = append(files, f)
	}
	r.files += len(files)
	for _, form := range forms {
		s := r.newStaging(t, c, files)
		form.stage(s)
		r.calls[form.name] += s.called
		r.check(t, form.name, s)
	}
}

// unsayable names what no call can say, "" if a call can say it.
func (r *replay) unsayable(f fileChange) string {
	const large = 8 << 20
	switch {
	case f.oldMode == submodule || f.newMode == submodule:
		return "a submodule"
	case f.oldMode == symlink || f.newMode == symlink:
		return "a symbolic link"
	case !isText(f.old) || !isText(f.new):
		return "a binary file, or one that is not UTF-8"
	case len(f.old) > large || len(f.new) > large:
		return "a file larger than 8 MiB"
	case f.old == f.new && f.oldMode != f.newMode && f.oldMode != 0 && f.newMode != 0 && f.status != 'R':
		return "a change of the mode alone"
	}
	for _, path := range []string{f.path, f.newPath} {
		if _, err := r.ws.Clean(path); err != nil {
			return "a path that is not the agent's to change"
		}
	}
	return ""
}

// isText tells whether a file has text for an editor.
func isText(text string) bool {
	return utf8.ValidString(text) && !strings.Contains(text, "\x00")
}

// staging is a commit on its way through the tools in one form.
type staging struct {
	*replay
	t      *testing.T
	id     commit
	files  []fileChange
	env    *tool.Env
	called int
	note   map[string]string // by path: what the answers say besides
	failed map[string]string // by path: the refusal
}

// before is the parent's tree, as far as the commit changes it.
type before map[string]workspace.File

func (b before) Read(path string) (workspace.File, error) {
	if f, ok := b[path]; ok {
		return f, nil
	}
	return workspace.File{Path: path}, nil
}

func (b before) live(path string) (string, bool, uint32, error) {
	f := b[path]
	return f.Text, f.Exists, uint32(f.Mode), nil
}

func beforeOf(files []fileChange) before {
	b := before{}
	for _, f := range files {
		if f.oldMode != 0 {
			b[f.path] = workspace.File{Path: f.path, Exists: true, Text: f.old, Mode: fs.FileMode(f.oldMode & 0o777)}
		}
	}
	return b
}

func (r *replay) newStaging(t *testing.T, c commit, files []fileChange) *staging {
	return &staging{
		replay: r, t: t, id: c, files: files, note: map[string]string{}, failed: map[string]string{},
		env: &tool.Env{Draft: draft.New(beforeOf(files)), Workspace: r.ws, Named: func(string) bool { return true }},
	}
}

// call makes one call and reports whether it was staged. path is the file that
// it is about, as it is called after the commit.
func (s *staging) call(path, name string, arguments map[string]any) bool {
	found, ok := tool.Find(tool.All(), name)
	if !ok {
		s.t.Fatalf("no tool %q", name)
	}
	doc, err := json.Marshal(arguments)
	if err != nil {
		s.t.Fatal(err)
	}
	s.called++
	result := found.Run(s.t.Context(), s.env, doc)
	if result.IsError {
		s.failed[path] = result.Text
		return false
	}
	for _, staged := range result.Staged {
		s.note[path] += staged.Note
	}
	return true
}

// each makes the calls for all files: what goes away first, so that there is
// room for what comes.
func (s *staging) each(files []fileChange, change func(fileChange)) {
	for _, f := range files {
		if f.status == 'D' {
			s.call(f.newPath, "delete_file", map[string]any{"path": f.path})
		}
	}
	for _, f := range files {
		if f.status == 'R' {
			s.call(f.newPath, "rename_file", map[string]any{"path": f.path, "new_path": f.newPath})
		}
	}
	for _, f := range files {
		if f.status != 'D' && (f.old != f.new || f.status == 'A') {
			change(f)
		}
	}
}

// whole writes the whole file.
func (s *staging) whole(f fileChange) {
	s.call(f.newPath, "write_file", map[string]any{"path": f.newPath, "content": f.new})
}

// pairs replaces one hunk after the other, in any order, each with as many
// lines around it as make it the only such place. A file that has no text yet
// is written.
func (s *staging) pairs(f fileChange) {
	if f.old == "" {
		s.whole(f)
		return
	}
	text := f.old
	hunks := edits.EditsOf(edits.Diff(f.old, f.new))
	for len(hunks) > 0 {
		i := s.random.IntN(len(hunks))
		h := hunks[i]
		hunks = slices.Delete(hunks, i, i+1)
		old, new := unique(text, h, s.random.IntN(4))
		if !s.call(f.newPath, "edit_file", map[string]any{"path": f.newPath, "old_string": old, "new_string": new}) {
			return
		}
		text = text[:h.Start] + h.New + text[h.End:]
		for j := i; j < len(hunks); j++ {
			hunks[j].Start += len(h.New) - h.Len()
			hunks[j].End += len(h.New) - h.Len()
		}
	}
}

// unique returns the edit as a pair: a text that is in exactly one place, with
// at least so many lines around it, and what is to be there.
func unique(text string, e edits.Edit, least int) (old, new string) {
	start, end := around(text, e, least)
	return text[start:end], text[start:e.Start] + e.New + text[e.End:end]
}

// around returns the span of the edit with so many lines around it, and more
// until there is only one place with that text.
func around(text string, e edits.Edit, lines int) (start, end int) {
	start, end = e.Start, e.End
	for {
		for range lines {
			if start > 0 {
				start = strings.LastIndexByte(text[:start-1], '\n') + 1
			}
			if i := strings.IndexByte(text[end:], '\n'); i >= 0 {
				end += i + 1
			} else {
				end = len(text)
			}
		}
		old := text[start:end]
		if old != "" && strings.Index(text, old) == strings.LastIndex(text, old) {
			return start, end
		}
		lines = 1
	}
}

// patches makes a patch of every few files. Where one is refused, each of its
// files is given by itself, so that only those fail of which it is the fault.
func (s *staging) patches(files []fileChange, write func([]fileChange) string) {
	for len(files) > 0 {
		n := min(1+s.random.IntN(12), len(files))
		some := files[:n]
		files = files[n:]
		if s.callPatch(some[0].newPath, write(some)) {
			continue
		}
		delete(s.failed, some[0].newPath)
		for _, f := range some {
			s.callPatch(f.newPath, write([]fileChange{f}))
		}
	}
}

func (s *staging) callPatch(path, patch string) bool {
	return patch == "" || s.call(path, "apply_patch", map[string]any{"patch": patch})
}

// beginPatch returns what is done to the files as a "*** Begin Patch" text.
func (s *staging) beginPatch(files []fileChange) string {
	var b strings.Builder
	for _, f := range files {
		switch f.status {
		case 'D':
			fmt.Fprintf(&b, "*** Delete File: %s\n", f.path)
		case 'A':
			fmt.Fprintf(&b, "*** Add File: %s\n", f.path)
			rows(&b, '+', f.new)
		default:
			fmt.Fprintf(&b, "*** Update File: %s\n", f.path)
			if f.status == 'R' {
				fmt.Fprintf(&b, "*** Move to: %s\n", f.newPath)
			}
			s.chunks(&b, f)
		}
	}
	return "*** Begin Patch\n" + b.String() + "*** End Patch\n"
}

// beginPatches makes such patches of all files but those whose last line
// begins or ceases to have a line end, which the form cannot say: these are
// counted, and left to other calls.
func (s *staging) beginPatches() {
	var files, others []fileChange
	for _, f := range s.files {
		ends := strings.HasSuffix(f.new, "\n") || f.new == ""
		if f.status == 'A' && !ends || f.status != 'A' && f.status != 'D' && (f.old == "" && f.new != "" || ends != strings.HasSuffix(f.old, "\n")) {
			s.counted["a last line without a line end, which the form cannot say, as begin-patch"]++
			others = append(others, f)
		} else {
			files = append(files, f)
		}
	}
	s.patches(files, s.beginPatch)
	s.each(others, s.pairs)
}

// chunks writes the hunks of a file, each with as many lines around it as make
// it the only such place.
func (s *staging) chunks(b *strings.Builder, f fileChange) {
	hunks := edits.EditsOf(edits.Diff(f.old, f.new))
	for len(hunks) > 0 {
		n, start, end := 0, 0, 0
		for n < len(hunks) {
			from, to := around(f.old, hunks[n], s.random.IntN(4))
			if n > 0 && from >= end {
				break
			}
			if n == 0 || from < start {
				start = from
			}
			end = max(end, to)
			n++
		}
		b.WriteString("@@\n")
		at := start
		for _, h := range hunks[:n] {
			rows(b, ' ', f.old[at:h.Start])
			rows(b, '-', f.old[h.Start:h.End])
			rows(b, '+', h.New)
			at = h.End
		}
		rows(b, ' ', f.old[at:end])
		hunks = hunks[n:]
	}
}

// rows writes lines with a mark in front of each.
func rows(b *strings.Builder, mark byte, text string) {
	for line := range strings.Lines(text) {
		b.WriteByte(mark)
		b.WriteString(strings.TrimSuffix(line, "\n") + "\n")
	}
}

// check seals the draft, applies its hunks and compares with the commit.
func (r *replay) check(t *testing.T, form string, s *staging) {
	tree := beforeOf(s.files)
	sealed, err := s.env.Draft.Seal(tree.live)
	if err != nil {
		t.Fatal(err)
	}
	for i := range sealed.Changes {
		if why := r.apply(tree, &sealed, &sealed.Changes[i]); why != "" {
			r.wrong++
			t.Errorf("%s as %s: %s: %s", s.id.id, form, sealed.Changes[i].Path, why)
		}
	}
	for _, f := range s.files {
		got := tree[f.newPath]
		want := workspace.File{Path: f.newPath, Exists: f.newMode != 0, Text: f.new, Mode: got.Mode}
		if f.oldMode != 0 && f.newMode != 0 {
			want.Mode = fs.FileMode(f.oldMode & 0o777)
		}
		switch refused := s.failed[f.newPath]; {
		case refused == "" && got.Exists == want.Exists && got.Text == want.Text && got.Mode == want.Mode:
			r.equal[form]++
			switch executable := f.oldMode == 0 && f.newMode&0o111 != 0; {
			case executable && form != unified:
				r.counted["a new file that is executable, as "+form]++
			case executable && got.Mode&0o111 == 0:
				r.wrong++
				t.Errorf("%s as %s: %s: the new file is not executable", s.id.id, form, f.newPath)
			}
		case byDesign(f, got.Text, refused, s.note[f.newPath]) != "":
			r.counted[byDesign(f, got.Text, refused, s.note[f.newPath])+", as "+form]++
		default:
			r.wrong++
			t.Errorf("%s as %s: %s: %s%s", s.id.id, form, f.newPath, refused, difference(want, got))
		}
		delete(tree, f.path)
		delete(tree, f.newPath)
	}
	for path := range tree {
		r.wrong++
		t.Errorf("%s as %s: %s is left over", s.id.id, form, path)
	}
}

// byDesign names the difference if it is one that the tools make and say, ""
// otherwise: a file keeps its kind of line ends.
func byDesign(f fileChange, got, refused, note string) string {
	if plain(f.old) == plain(f.new) && strings.Contains(refused, "nothing to change") {
		return "a change of nothing but line ends, the last one or the byte order mark"
	}
	if refused == "" && note != "" && plain(got) == plain(f.new) {
		return "line ends, the last one or the byte order mark kept as in the file"
	}
	return ""
}

// plain is a text without what byDesign is about.
func plain(text string) string {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	return strings.TrimSuffix(text, "\n")
}

// apply carries out one change on the tree: its hunks one by one, in random
// order, each where it is in the text of the moment. It returns what is wrong.
func (r *replay) apply(tree before, sealed *draft.Sealed, c *plan.Change) string {
	base, proposed := sealed.Texts[c.Base], sealed.Texts[c.Proposed]
	file, path := tree[c.Path], c.Path
	if file.Text != base || file.Exists != c.BaseExists || c.BaseExists && uint32(file.Mode) != c.Mode {
		return "its base is not the file"
	}
	switch c.Action {
	case plan.Delete:
		delete(tree, c.Path)
		return ""
	case plan.Create:
		tree[c.Path] = workspace.File{Path: c.Path, Exists: true, Text: proposed, Mode: fs.FileMode(c.Mode)}
		return ""
	case plan.Rename:
		if tree[c.NewPath].Exists {
			return "there is a file at the new path"
		}
		path = c.NewPath
		delete(tree, c.Path)
	}
	applied := map[string]bool{}
	for i := range c.Hunks {
		c.Hunks[i].ID = fmt.Sprint(i)
	}
	for _, i := range r.random.Perm(len(c.Hunks)) {
		ref, pieces := plan.Reference(base, proposed, c.Hunks, func(id string) bool { return applied[id] })
		span, ok := edits.Place(ref, pieces, file.Text).At(i)
		e := edits.Edit{Span: span, New: proposed[c.Hunks[i].New.Start:c.Hunks[i].New.End]}
		if !ok || !edits.KeepsLines(file.Text, e) {
			return fmt.Sprintf("hunk %d of %d has no place", i+1, len(c.Hunks))
		}
		text, err := edits.Apply(file.Text, []edits.Edit{e})
		if err != nil {
			return err.Error()
		}
		file.Text, applied[c.Hunks[i].ID] = text, true
	}
	file.Path = path
	tree[path] = file
	return ""
}

// difference says how two files differ.
func difference(want, got workspace.File) string {
	if want.Exists != got.Exists {
		return fmt.Sprintf(" exists: %v, want %v", got.Exists, want.Exists)
	}
	if want.Text == got.Text {
		return fmt.Sprintf(" mode %v, want %v", got.Mode, want.Mode)
	}
	diff := edits.Unified("want", "got", want.Text, got.Text, 1)
	return fmt.Sprintf("\n%.2000s", strings.ReplaceAll(diff, "\r", "␍"))
}

// report is what was replayed and what came of it.
func (r *replay) report() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d commits, %d files\n", r.repo.dir, r.commits, r.files)
	for _, f := range forms {
		fmt.Fprintf(&b, "%-12s %6d calls, %6d of %d files equal\n", f.name, r.calls[f.name], r.equal[f.name], r.files)
	}
	for _, why := range slices.Sorted(maps.Keys(r.counted)) {
		fmt.Fprintf(&b, "counted: %d times %s\n", r.counted[why], why)
	}
	return b.String()
}
