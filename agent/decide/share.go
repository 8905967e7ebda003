package decide

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"redline/agent/board"
	"redline/agent/plan"
	"redline/agent/refusal"
	"redline/agent/session"
	"redline/agent/share"
	"redline/agent/state"
	"redline/agent/tool"
	"redline/workspace"
)

// Export returns a plan as a document that others can import, see package
// share. A plan of a file that may hold secrets is refused, since its texts
// would go with it.
func (ds *Decisions) Export(ctx context.Context, n int) (*share.Document, error) {
	if _, err := ds.board.Find(ctx, n); err != nil { // which finds out what has become of it
		return nil, err
	}
	p, err := ds.store.Plan(ctx, ds.workspaceKey(), n)
	if err != nil {
		return nil, board.NoSuchPlan(n, err)
	}
	for i := range p.Revisions {
		for _, c := range p.Revisions[i].Changes {
			for _, path := range []string{c.Path, c.NewPath} {
				if path != "" && ds.ws.Secret(path) {
					return nil, refusal.New(refusal.NotAllowed, "Plan %d cannot be exported: it has the text of %s, which may hold secrets.", n, path)
				}
			}
		}
	}
	decisions, err := ds.store.Decisions(ctx, ds.workspaceKey(), n)
	if err != nil {
		return nil, err
	}
	text := func(b plan.Blob) (string, error) { return ds.store.Text(ctx, b) }
	return share.Make(p, decisions, text, share.Local{Words: ds.withoutPlaces, Name: ds.pathOnly})
}

// pathOnly returns the name of a file as its path in the workspace, so that it
// does not say where that is on this machine. What is none stays.
func (ds *Decisions) pathOnly(name string) string {
	if filepath.IsAbs(name) || strings.HasPrefix(name, "file:") {
		if clean, err := ds.ws.Clean(name); err == nil {
			return clean
		}
	}
	return ds.withoutPlaces(name)
}

// withoutPlaces returns words with names of this workspace's folders made
// relative: where it is on this machine is nobody else's business.
func (ds *Decisions) withoutPlaces(s string) string {
	folders := slices.Clone(ds.ws.Folders())
	slices.SortStableFunc(folders, func(x, y workspace.Folder) int { return len(y.Dir) - len(x.Dir) }) // one may be in another
	for _, f := range folders {
		name := ""
		if !ds.ws.Single() {
			name = f.Name + "/"
		}
		for _, dir := range []string{"file://" + filepath.ToSlash(f.Dir), filepath.ToSlash(f.Dir), f.Dir} {
			s = withoutFolder(s, dir, name)
		}
	}
	return s
}

// withoutFolder returns s with name, which is "" or ends with a slash, for dir
// and the separator after it. Where the letters of dir are in another name,
// as "/app" is in "src/app/x" and in "/app2", they stay.
func withoutFolder(s, dir, name string) string {
	if strings.TrimRight(dir, `/\`) != dir {
		return s // the root: it says nothing, and is in every name
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

// inName tells whether r goes on with the name of a file, wherever it stands.
func inName(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-~", r)
}

// cleanForTools is [workspace.Workspace.Clean] that also refuses what no tool may touch.
func (ds *Decisions) cleanForTools(name string) (path string, err error) {
	if path, err = ds.ws.Clean(name); err == nil {
		err = ds.ws.OffLimits(path)
	}
	return path, err
}

// Import makes a new plan of this workspace of a file that Export has
// made, here or elsewhere: its current revision, with nothing decided. What of
// it does not fit the files as they are now is stale. name is what the file is
// called in a refusal.
func (ds *Decisions) Import(ctx context.Context, name string, data []byte) (state.Plan, error) {
	in, err := share.Read(data, share.Rules{
		Clean: ds.cleanForTools, Secret: ds.ws.Secret, MaxText: ds.ws.MaxFile(),
		Tool: func(name string) bool {
			t, ok := tool.Find(tool.All(), name)
			return ok && t.Stages()
		},
	})
	if err != nil {
		return state.Plan{}, refusal.New(refusal.Invalid, "%s %s.", name, strings.TrimSuffix(err.Error(), "."))
	}
	if err := ds.board.Refresh(ctx); err != nil {
		return state.Plan{}, err
	}
	h, err := ds.storeImported(ctx, in)
	if err != nil {
		return state.Plan{}, err
	}
	ds.board.WritePreview(h)
	ds.board.Announce(h, "")
	return ds.board.StateOf(h), nil
}

func (ds *Decisions) storeImported(ctx context.Context, in *share.Imported) (*board.Held, error) {
	now := ds.now().UTC()
	p := &plan.Plan{
		Conversation: session.NewID("c"), Goal: in.Goal, State: plan.Drafting, Created: now, Updated: now,
		NextOperation: in.NextOperation,
	}
	r := in.Revision
	r.Created, r.Note = now, noteImported
	p.Add(r, func(b plan.Blob) string { return in.Texts[b] })
	if err := p.Apply(plan.PlanCreated); err != nil {
		return nil, err
	}
	return ds.board.Import(ctx, p, in.Texts)
}

// noteImported is how the first revision of an imported plan came about.
const noteImported = "imported"
