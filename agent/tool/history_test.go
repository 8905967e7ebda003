package tool_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"redline/agent/draft"
	"redline/agent/plan"
	"redline/agent/tool"
	"redline/edits"
	"redline/edits/track"
	"redline/workspace"
)

var (
	historyOf      = flag.String("history", "", "the git repositories whose commits TestHistory replays, as a list of folders like PATH; this project's own newest ones when empty")
	historyCommits = flag.Int("commits", 0, "how many of the newest commits TestHistory replays; 0 for all")
)

// ownCommits is the number of commits replayed if no repository is named.
const ownCommits = 12

// TestHistory turns the commits of a git repository into tool calls, in every form that a
// model may use. It seals the draft and applies the hunks one by one in random order: the
// result must equal git's, byte for byte. Changes that no call can express are counted by
// name.
func TestHistory(t *testing.T) {
	dirs, n := filepath.SplitList(*historyOf), *historyCommits
	if len(dirs) == 0 {
		dirs, n = []string{"."}, ownCommits
	}
	all := newReplay(t, nil)
	for _, dir := range dirs {
		repo, err := openRepository(t, dir)
		if err != nil {
			if *historyOf == "" {
				t.Skipf("there is no history to replay: %v", err)
			}
			t.Fatal(err)
		}
		r := replayed(t, repo, n)
		t.Log(r.report())
		all.add(r)
	}
	if *historyOf != "" {
		t.Logf("all %d together: %s", len(dirs), all.shares())
		all.checkShares(t)
	}
	if all.files == 0 {
		t.Error("no file of any commit was replayed")
	}
}

// replayed replays the newest n commits of a repository; n = 0 means all.
func replayed(t *testing.T, repo *repository, n int) *replay {
	r := newReplay(t, repo)
	for _, c := range repo.commits(t, n) {
		r.commit(t, c)
		if r.wrong >= 20 {
			t.Fatal("too much is wrong; the rest is left out")
		}
	}
	return r
}

// newReplay returns an empty replay.
func newReplay(t *testing.T, repo *repository) *replay {
	return &replay{
		repo: repo, ws: workspace.New([]workspace.Folder{{Dir: t.TempDir()}}, workspace.Options{}),
		random: rand.New(rand.NewPCG(1, 2)), calls: map[string]int{}, equal: map[string]int{},
		unsaid: map[string]int{}, counted: map[string]int{}, named: map[string][]string{},
	}
}

// replay replays one history.
type replay struct {
	repo   *repository
	ws     *workspace.Workspace
	random *rand.Rand

	commits, files, wrong int
	calls, equal          map[string]int      // by form
	unsaid                map[string]int      // by form: files that the form cannot express, which other calls handled
	counted               map[string]int      // by reason
	named                 map[string][]string // by reason: the files
}

// count counts a file under a reason.
func (r *replay) count(why string, f fileChange) {
	r.counted[why]++
	r.named[why] = append(r.named[why], f.newPath)
}

// commit replays one commit in every form.
func (r *replay) commit(t *testing.T, c commit) {
	r.commits++
	var files []fileChange
	for _, f := range r.repo.changes(t, c) {
		if why := r.unsayable(f); why != "" {
			r.count(why, f)
			continue
		}
		if f.newMode != f.oldMode && f.oldMode != 0 && f.newMode != 0 {
			r.count("a change of the mode besides that of the text", f)
		}
		if f.oldMode != 0 && f.newMode != 0 && hasBOM(f.old) != hasBOM(f.new) {
			r.count("a change of the byte order mark besides that of the text", f)
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

// unsayable returns why no call can express a change, or "".
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
	case f.oldMode != 0 && f.newMode != 0 && f.status != 'R' && f.old != f.new && withoutBOM(f.old) == withoutBOM(f.new):
		return "a change of the byte order mark alone"
	}
	for _, path := range []string{f.path, f.newPath} {
		if _, err := r.ws.Clean(path); err != nil {
			return "a path that is not the agent's to change"
		}
	}
	return ""
}

// hasBOM reports whether a file has a byte order mark. It is not part of the text: it
// stays as it is, and only a new file gets one.
func hasBOM(file string) bool { return withoutBOM(file) != file }

func withoutBOM(file string) string {
	text, _ := edits.CutBOM(file)
	return text
}

// isText reports whether a file is text for an editor.
func isText(text string) bool {
	return utf8.ValidString(text) && !strings.Contains(text, "\x00")
}

// staging is one commit, staged with the tools in one form.
type staging struct {
	*replay
	t      *testing.T
	id     commit
	files  []fileChange
	env    *tool.Env
	called int
	note   map[string]string // by path: the notes of the answers
	failed map[string]string // by path: the refusal
	staged map[string]bool   // by path: staged by the last call
}

// before is the parent's tree, limited to the files that the commit changes.
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
			b[f.path] = workspace.File{Path: f.path, Exists: true, Text: withoutBOM(f.old), BOM: hasBOM(f.old), Mode: fs.FileMode(f.oldMode & 0o777)}
		}
	}
	return b
}

func (r *replay) newStaging(t *testing.T, c commit, files []fileChange) *staging {
	return &staging{
		replay: r, t: t, id: c, files: files, note: map[string]string{}, failed: map[string]string{}, staged: map[string]bool{},
		env: &tool.Env{Draft: draft.New(beforeOf(files)), Workspace: r.ws, Named: func(string) bool { return true }},
	}
}

// call makes one call and reports whether all of it was staged. path is the file's name
// after the commit.
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
	for _, staged := range result.Staged {
		s.note[staged.NewPath] += staged.Note
		s.note[staged.Path] += staged.Note
		s.staged[staged.Path] = true
	}
	if result.IsError || result.Refused > 0 {
		s.failed[path] = result.Text
		return false
	}
	return true
}

// check seals the draft, applies its hunks and compares the result with the commit.
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
		want := workspace.File{Path: f.newPath, Exists: f.newMode != 0, Text: withoutBOM(f.new), BOM: hasBOM(f.new), Mode: got.Mode}
		if f.oldMode != 0 && f.newMode != 0 {
			want.Mode, want.BOM = fs.FileMode(f.oldMode&0o777), hasBOM(f.old)
		}
		switch refused := s.failed[f.newPath]; {
		case refused == "" && got.Exists == want.Exists && got.Text == want.Text && got.BOM == want.BOM && got.Mode == want.Mode:
			r.equal[form]++
			switch executable := f.oldMode == 0 && f.newMode&0o111 != 0; {
			case executable && !saysMode[form]:
				r.count("a new file that is executable, as "+form, f)
			case executable && got.Mode&0o111 == 0:
				r.wrong++
				t.Errorf("%s as %s: %s: the new file is not executable", s.id.id, form, f.newPath)
			}
		case byDesign(f, got.Text, refused, s.note[f.newPath]) != "":
			r.count(byDesign(f, got.Text, refused, s.note[f.newPath])+", as "+form, f)
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

// placeholderLike is the reason for a line that looks like a placeholder, and is none.
const placeholderLike = "a line that looks like a placeholder"

// byDesign returns the reason if the difference is intended: the tools keep a file's kind
// of line ends, and calls have limits. Else it returns "".
func byDesign(f fileChange, got, refused, note string) string {
	if strings.Contains(refused, "The patch is larger than 8 MiB") {
		return "a patch larger than 8 MiB"
	}
	if strings.Contains(refused, "stands for lines that it leaves out") {
		return placeholderLike
	}
	if plain(f.old) == plain(f.new) && strings.Contains(refused, "nothing to change") {
		return "a change of nothing but line ends or the last one"
	}
	if refused == "" && note != "" && plain(got) == plain(f.new) {
		return "line ends or the last one kept as in the file"
	}
	return ""
}

// plain returns a text without line-end differences and byte order mark.
func plain(text string) string {
	text = strings.ReplaceAll(withoutBOM(text), "\r\n", "\n")
	return strings.TrimSuffix(text, "\n")
}

// apply applies one change to the tree, hunk by hunk in random order, each at its place
// in the current text. It returns an error text, or "".
func (r *replay) apply(tree before, sealed *draft.Sealed, c *plan.Change) string {
	base, proposed := sealed.Texts[c.Base], sealed.Texts[c.Proposed]
	file, path := tree[c.Path], c.Path
	if file.Text != base || file.Exists != c.BaseExists || c.BaseExists && uint32(file.Mode) != c.Mode || c.Action == plan.Delete && file.BOM != c.BOM {
		return "its base is not the file"
	}
	switch c.Action {
	case plan.Delete:
		delete(tree, c.Path)
		return ""
	case plan.Create:
		tree[c.Path] = workspace.File{Path: c.Path, Exists: true, Text: proposed, BOM: c.BOM, Mode: fs.FileMode(c.Mode)}
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
		span, ok := track.Place(ref, pieces, file.Text).At(i)
		e := edits.Edit{Span: span, New: proposed[c.Hunks[i].New.Start:c.Hunks[i].New.End]}
		if !ok || !track.KeepsLines(file.Text, e) {
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

// difference describes how two files differ.
func difference(want, got workspace.File) string {
	if want.Exists != got.Exists {
		return fmt.Sprintf(" exists: %v, want %v", got.Exists, want.Exists)
	}
	if want.BOM != got.BOM {
		return fmt.Sprintf(" byte order mark: %v, want %v", got.BOM, want.BOM)
	}
	if want.Text == got.Text {
		return fmt.Sprintf(" mode %v, want %v", got.Mode, want.Mode)
	}
	diff := edits.Unified("want", "got", want.Text, got.Text, 1)
	return fmt.Sprintf("\n%.2000s", strings.ReplaceAll(diff, "\r", "␍"))
}
