package languages

import (
	"context"

	"redline/agent/view"
	"redline/workspace/language"
)

// Prepare implements [tool.Languages]. It also finds out what a new server reports about the files as they are: that is
// compared with what it reports about the first edit. Nothing is to be done for a server that runs, or starts.
func (l *Servers) Prepare(files []string) {
	if !l.on() || l.session.Over() {
		return
	}
	var some []string
	for _, path := range files {
		if a, _ := l.adapter(path); a != nil {
			some = append(some, path)
		}
	}
	if len(some) > 0 {
		l.session.Spawn(func() { l.prepare(some) })
	}
}

// prepare starts the servers for files, unless they may not run.
func (l *Servers) prepare(files []string) {
	if l.allowed(l.session.Context()) != nil {
		return
	}
	unsaved := view.UnsavedTexts(l.ws)
	of := map[*server][]string{}
	for _, path := range files {
		if s, err := l.of(path, unsaved); err == nil && s != nil && !s.room.Load() {
			of[s] = append(of[s], path)
		}
	}
	for s, files := range of {
		l.session.Spawn(func() { s.prepare(files, unsaved) })
	}
}

// prepare starts the server, and asks it about files as they are. Who else wants to use it need not wait for its answer.
func (s *server) prepare(files []string, unsaved view.TriedTexts) {
	ctx, cancel := context.WithTimeout(s.owner.session.Context(), checkWithin)
	defer cancel()
	_ = s.use(ctx, func(life context.Context, live Server) error { // who needs the server hears why it does not start
		if len(s.known) > 0 {
			return nil // somebody was faster
		}
		s.preparing.Store(&cancel)
		defer s.preparing.Store(nil)
		live, err := s.refresh(life, live)
		if err != nil {
			return err
		}
		if _, err := s.problems(ctx, life, live, s.asTheyAre(files, unsaved)); err != nil {
			return err
		}
		s.answered()
		return nil
	})
}

// asTheyAre returns texts to show: files without a plan, over what is not saved.
func (s *server) asTheyAre(files []string, unsaved view.TriedTexts) map[string]language.Text {
	texts := s.shown(unsaved)
	for _, path := range files {
		name, err := s.owner.ws.RealName(path)
		if err != nil {
			continue
		}
		if _, has := texts[name]; !has {
			if original, err := s.read(name); err == nil && !original.Gone {
				texts[name] = original
			}
		}
	}
	return texts
}
