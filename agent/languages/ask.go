package languages

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"sync"
	"time"

	"redline/agent/plan"
	"redline/agent/tool"
	"redline/agent/view"
	"redline/workspace"
	"redline/workspace/language"
)

var _ tool.Languages = (*Servers)(nil)

// standing remembers for a while what [Servers.Answers] needs to know.
type standing struct {
	mu      sync.Mutex
	allowed bool
	at      time.Time
	ends    map[string]bool // the ends of the names of all files; nil if they are not known
	listed  time.Time
	listing bool
}

const (
	allowedFor = 2 * time.Second // the user may allow trials in another process
	listedFor  = time.Minute
)

// Answers implements [tool.Languages].
func (l *Servers) Answers(file string) bool {
	if !l.on() || l.session.Over() {
		return false
	}
	if file != "" {
		a, _ := l.adapter(file)
		return a != nil && l.mayRun()
	}
	return slices.ContainsFunc(l.options.Adapters, func(a *language.Adapter) bool {
		return l.programs.of(a.Command[0]) != "" && l.hasFiles(a)
	}) && l.mayRun()
}

// mayRun is [Servers.allowed], remembered for a while.
func (l *Servers) mayRun() bool {
	s := &l.standing
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at.IsZero() || time.Since(s.at) > allowedFor {
		s.allowed, s.at = l.allowed(l.session.Context()) == nil, time.Now()
	}
	return s.allowed
}

// forget forgets whether servers may run.
func (s *standing) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = time.Time{}
}

// hasFiles reports whether the workspace has files of an adapter's languages, as far as that is known: which files there
// are is listed in the background.
func (l *Servers) hasFiles(a *language.Adapter) bool {
	for _, f := range l.ws.Folders() {
		top := "."
		if !l.ws.Single() {
			top = f.Name
		}
		if slices.ContainsFunc(a.Roots, func(name string) bool { return l.there(path.Join(top, name)) }) {
			return true
		}
	}
	s := &l.standing
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.listing && (s.ends == nil || time.Since(s.listed) > listedFor) && !l.session.Over() {
		s.listing = true
		l.session.Spawn(l.list)
	}
	for end := range a.Languages {
		if s.ends[end] {
			return true
		}
	}
	return false
}

// list lists the ends of the names of all files.
func (l *Servers) list() {
	ends := map[string]bool{}
	var mu sync.Mutex
	err := l.ws.Visit(l.session.Context(), func(name string) {
		mu.Lock()
		defer mu.Unlock()
		ends[path.Ext(name)] = true
	})
	s := &l.standing
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listing, s.listed = false, time.Now(); err == nil {
		s.ends = ends
	}
}

// there reports whether the disk has a file.
func (l *Servers) there(name string) bool {
	exists, isDir, err := l.ws.Stat(name)
	return err == nil && exists && !isDir
}

// over returns the texts of a draft over open documents.
func (l *Servers) over(texts workspace.Overlay) view.TriedTexts {
	all := view.UnsavedTexts(l.ws)
	for path, o := range texts {
		all[path] = view.TriedText{Gone: o.Deleted, Text: o.Text}
	}
	return all
}

// Added implements [tool.Languages].
func (l *Servers) Added(ctx context.Context, texts, without workspace.Overlay) (*plan.Problems, error) {
	return l.Check(ctx, l.over(texts), l.over(without))
}

// ask asks the server for a file, once it sees texts. The error is a part of a sentence that names the server.
func (l *Servers) ask(ctx context.Context, texts workspace.Overlay, file string, question func(live Server, name string) error) error {
	if !l.on() {
		return errors.New("language servers are switched off")
	}
	if err := l.allowed(ctx); err != nil {
		return err
	}
	tried := l.over(texts)
	s, err := l.of(file, tried)
	switch {
	case err != nil:
		return err
	case s == nil:
		return fmt.Errorf("no language server is installed for %s", file)
	}
	name, err := l.ws.RealName(file)
	if err != nil {
		return err
	}
	err = s.use(ctx, func(life context.Context, live Server) error {
		live, err := s.refresh(life, live)
		if err != nil {
			return err
		}
		if err := s.show(life, live, s.shown(tried)); err != nil {
			return err
		}
		if err := question(live, name); err != nil {
			return err
		}
		s.answered()
		return nil
	})
	if err != nil {
		return errors.New(s.why(err))
	}
	return nil
}

// References implements [tool.Languages].
func (l *Servers) References(ctx context.Context, texts workspace.Overlay, at tool.Place) (found []tool.Location, err error) {
	var places []language.Location
	err = l.ask(ctx, texts, at.Path, func(live Server, name string) (err error) {
		places, err = live.References(ctx, name, language.Place{Line: at.Line, Column: at.Column})
		return err
	})
	if err != nil {
		return nil, err
	}
	return l.locations(places), nil
}

// Definition implements [tool.Languages].
func (l *Servers) Definition(ctx context.Context, texts workspace.Overlay, at tool.Place) (found []tool.Location, err error) {
	var places []language.Location
	err = l.ask(ctx, texts, at.Path, func(live Server, name string) (err error) {
		places, err = live.Definition(ctx, name, language.Place{Line: at.Line, Column: at.Column})
		return err
	})
	if err != nil {
		return nil, err
	}
	return l.locations(places), nil
}

// locations returns places with workspace paths.
func (l *Servers) locations(places []language.Location) (all []tool.Location) {
	for _, p := range places {
		one := tool.Location{Place: tool.Place{Path: p.Path, Line: p.Start.Line, Column: p.Start.Column}, Outside: true}
		if path, inside := l.trials.PathOf(p.Path); inside {
			one.Path, one.Outside = path, false
		}
		all = append(all, one)
	}
	return all
}

// Rename implements [tool.Languages].
func (l *Servers) Rename(ctx context.Context, texts workspace.Overlay, at tool.Place, name string) (map[string]string, error) {
	var renamed map[string]language.Text
	err := l.ask(ctx, texts, at.Path, func(live Server, file string) (err error) {
		renamed, err = live.Rename(ctx, file, language.Place{Line: at.Line, Column: at.Column}, name)
		return err
	})
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, file := range slices.Sorted(maps.Keys(renamed)) {
		path, inside := l.trials.PathOf(file)
		if !inside {
			return nil, fmt.Errorf("the rename would change %s, which is not in the workspace", file)
		}
		all[path] = renamed[file].Text
	}
	return all, nil
}

// Symbols implements [tool.Languages].
func (l *Servers) Symbols(ctx context.Context, texts workspace.Overlay, file string) (all []workspace.Symbol, err error) {
	var symbols []language.Symbol
	err = l.ask(ctx, texts, file, func(live Server, name string) (err error) {
		symbols, err = live.Symbols(ctx, name)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, s := range symbols {
		all = append(all, workspace.Symbol{Name: s.Name, Kind: s.Kind, Line: s.Start.Line + 1, End: s.End.Line + 1, Depth: s.Depth})
	}
	return all, nil
}
