package agent

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/share"
	"redline/agent/tool"
	"redline/edits"
	"redline/workspace"
)

// Export returns a plan as a document that others can import, see package
// share. A plan of a file that may hold secrets is refused, since its texts
// would go with it.
func (a *Agent) Export(ctx context.Context, n int) (*share.Document, error) {
	if _, err := a.board.find(ctx, n); err != nil { // which finds out what has become of it
		return nil, err
	}
	p, err := a.store.Plan(ctx, a.workspaceKey(), n)
	if err != nil {
		return nil, noSuchPlan(n, err)
	}
	for i := range p.Revisions {
		for _, c := range p.Revisions[i].Changes {
			for _, path := range []string{c.Path, c.NewPath} {
				if path != "" && a.ws.Secret(path) {
					return nil, refuse(NotAllowed, "Plan %d cannot be exported: it has the text of %s, which may hold secrets.", n, path)
				}
			}
		}
	}
	decisions, err := a.store.Decisions(ctx, a.workspaceKey(), n)
	if err != nil {
		return nil, err
	}
	text := func(b plan.Blob) (string, error) { return a.store.Text(ctx, b) }
	return share.Make(p, decisions, text, share.Local{Words: a.withoutPlaces, Name: a.pathOnly})
}

// pathOnly returns the name of a file as its path in the workspace, so that it
// does not say where that is on this machine. What is none stays.
func (a *Agent) pathOnly(name string) string {
	if filepath.IsAbs(name) || strings.HasPrefix(name, "file:") {
		if clean, err := a.ws.Clean(name); err == nil {
			return clean
		}
	}
	return a.withoutPlaces(name)
}

// withoutPlaces returns words with names of this workspace's folders made
// relative: where it is on this machine is nobody else's business.
func (a *Agent) withoutPlaces(s string) string {
	folders := slices.Clone(a.ws.Folders())
	slices.SortStableFunc(folders, func(x, y workspace.Folder) int { return len(y.Dir) - len(x.Dir) }) // one may be in another
	for _, f := range folders {
		name := ""
		if !a.ws.Single() {
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
func (a *Agent) cleanForTools(name string) (path string, err error) {
	if path, err = a.ws.Clean(name); err == nil {
		err = a.ws.OffLimits(path)
	}
	return path, err
}

// Import makes a new plan of this workspace of a file that [Agent.Export] has
// made, here or elsewhere: its current revision, with nothing decided. What of
// it does not fit the files as they are now is stale. name is what the file is
// called in a refusal.
func (a *Agent) Import(ctx context.Context, name string, data []byte, enc edits.Encoding) (PlanState, error) {
	in, err := share.Read(data, share.Rules{
		Clean: a.cleanForTools, Secret: a.ws.Secret, MaxText: a.ws.MaxFile(),
		Tool: func(name string) bool {
			t, ok := tool.Find(tool.All(), name)
			return ok && t.Stages()
		},
	})
	if err != nil {
		return PlanState{}, refuse(Invalid, "%s %s.", name, strings.TrimSuffix(err.Error(), "."))
	}
	if err := a.board.fresh(ctx); err != nil {
		return PlanState{}, err
	}
	h, err := a.storeImported(ctx, in)
	if err != nil {
		return PlanState{}, err
	}
	a.board.writePreview(h)
	a.board.announce(h, "")
	a.board.mu.Lock()
	defer a.board.mu.Unlock()
	return a.board.planState(h, enc), nil
}

func (a *Agent) storeImported(ctx context.Context, in *share.Imported) (*heldPlan, error) {
	now := a.now().UTC()
	p := &plan.Plan{
		Number: a.board.leastNumber(), Conversation: session.NewID("c"), Goal: in.Goal, State: plan.Drafting, Created: now, Updated: now,
		NextOperation: in.NextOperation,
	}
	p.Progress.Folders = namedFolders(a.ws.Folders())
	r := in.Revision
	r.Created, r.Note = now, noteImported
	p.Add(r, func(b plan.Blob) string { return in.Texts[b] })
	if err := p.Apply(plan.PlanCreated); err != nil {
		return nil, err
	}
	defer a.board.adding()()
	if err := a.store.ImportPlan(ctx, a.workspaceKey(), p, in.Texts); err != nil {
		return nil, err
	}
	defer a.board.lockNumber(p.Number)()
	return a.board.hold(ctx, p)
}

// noteImported is how the first revision of an imported plan came about.
const noteImported = "imported"
