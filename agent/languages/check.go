package languages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"redline/agent/plan"
	"redline/agent/view"
	"redline/internal/phrase"
	"redline/workspace/language"
)

// touchedBy returns the files in which texts differ from those without a plan's edits.
func touchedBy(texts, without view.TriedTexts) []string {
	touched := slices.Collect(maps.Keys(texts.Beside(without)))
	for path := range without.Beside(texts) {
		if _, has := texts[path]; !has {
			touched = append(touched, path)
		}
	}
	return touched
}

// Check returns what language servers report about texts, less what they report without a plan's edits. It
// returns nil if no server is for any of the plan's files: none is installed, or none may run here. A server
// that has not answered when ctx ends is one whose report is not known, and no error.
func (l *Servers) Check(ctx context.Context, texts, without view.TriedTexts) (*plan.Problems, error) {
	if !l.on() {
		return nil, nil
	}
	touched := touchedBy(texts, without)
	if !slices.ContainsFunc(touched, func(path string) bool { a, _ := l.adapter(path); return a != nil }) || l.allowed(ctx) != nil {
		return nil, nil
	}
	files := map[*server][]string{}
	all := &plan.Problems{}
	for _, path := range touched {
		s, err := l.of(path, texts)
		none, is := errors.AsType[*noRoot](err)
		switch {
		case is:
			all.Checked = append(all.Checked, plan.Checked{Language: none.adapter.Knows(path), Server: none.adapter.Name, State: none.Error()})
		case errors.Is(err, errClosed):
			return nil, err
		case err != nil: // its folder may have been closed
			a, _ := l.adapter(path)
			all.Checked = append(all.Checked, plan.Checked{Language: a.Knows(path), Server: a.Name, State: a.Name + ": " + err.Error()})
		case s != nil:
			files[s] = append(files[s], path)
		}
	}
	var mu sync.Mutex
	var checks sync.WaitGroup
	for s, files := range files {
		checks.Go(func() {
			added, fixed, err := s.check(ctx, files, texts, without)
			mu.Lock()
			defer mu.Unlock()
			l.add(all, s, files, added, fixed, err)
		})
	}
	checks.Wait()
	slices.SortFunc(all.Checked, func(a, b plan.Checked) int {
		return cmp.Or(strings.Compare(a.Language, b.Language), strings.Compare(a.Server, b.Server), strings.Compare(a.State, b.State))
	})
	all.Checked = slices.Compact(all.Checked)
	return all, nil
}

// allowed returns nil if servers may run here, or the reason.
func (l *Servers) allowed(ctx context.Context) error {
	return l.trials.Allowed(ctx, l.options.Mode)
}

// add adds the report of a server.
func (l *Servers) add(all *plan.Problems, s *server, files []string, added []language.Problem, fixed int, err error) {
	state := plan.CheckedAll
	if err != nil {
		state = s.why(err)
	}
	for _, id := range s.languagesOf(files) {
		all.Checked = append(all.Checked, plan.Checked{Language: id, Server: s.adapter.Name, State: state})
	}
	all.Fixed += fixed
	for _, p := range added {
		path, inside := l.trials.PathOf(p.Path)
		if !inside {
			continue
		}
		all.Added = append(all.Added, plan.Problem{
			Path: path, Range: plan.Range{Start: placeOf(p.Start), End: placeOf(p.End)},
			Severity: plan.Severity(p.Severity), Message: p.Message, Source: p.Source, Code: p.Code,
		})
	}
}

func placeOf(p language.Place) plan.Place { return plan.Place{Line: p.Line, Column: p.Column} }

// why says in a part of a sentence why a server has not answered: "gopls was not ready".
func (s *server) why(err error) string {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		err = errNotReady
	}
	if rest, ok := strings.CutPrefix(err.Error(), "it "); ok {
		return s.adapter.Name + " " + rest
	}
	return s.adapter.Name + ": " + err.Error()
}

// check returns what the server reports about texts, less what it reports without a plan's edits. The
// error is a part of a sentence.
func (s *server) check(ctx context.Context, files []string, texts, without view.TriedTexts) (added []language.Problem, fixed int, err error) {
	type answer struct {
		added []language.Problem
		fixed int
	}
	answers := make(chan answer, 1) // use may return while the job still runs
	err = s.use(ctx, func(life context.Context, live Server) (err error) {
		if live, err = s.refresh(life, live); err != nil {
			return err
		}
		with, base := s.sides(texts, without)
		if err := s.shows(files, with, base); err != nil {
			return err
		}
		before, err := s.problems(ctx, life, live, base)
		if err != nil {
			return err
		}
		after, err := s.problems(ctx, life, live, with)
		if err != nil {
			return err
		}
		s.answered()
		added, fixed := language.Compare(before, after)
		added, old := s.withoutOld(added, language.Hiding(before, after), with, base)
		hidden := language.Hidden(after)
		if hidden != nil {
			fixed = 0 // those that are gone may be hidden
		}
		answers <- answer{added, fixed}
		if old == nil && slices.ContainsFunc(added, func(p language.Problem) bool { return p.Severity == language.Error }) {
			return nil
		}
		return cmp.Or(old, hidden)
	})
	select {
	case a := <-answers:
		return a.added, a.fixed, err
	default:
		return nil, 0, err
	}
}

// withoutOld returns the added problems without those that may have been there, hidden by others that are gone now; and
// why they are not known, nil if none was left out. In a line that the plan has written none was there.
func (s *server) withoutOld(added, gone []language.Problem, with, base map[string]language.Text) (own []language.Problem, why error) {
	if len(gone) == 0 {
		return added, nil
	}
	for _, p := range added {
		before, has := base[p.Path]
		line, written := lineOf(with[p.Path].Text, p.Start.Line), false
		if has && line != "" {
			written = before.Gone || !slices.Contains(strings.Split(before.Text, "\n"), line)
		}
		if written {
			own = append(own, p)
		} else {
			why = fmt.Errorf("it reported no more before this was fixed: %s", phrase.OneLine(phrase.StartBytes(gone[0].Message, 200)))
		}
	}
	return own, why
}

// lineOf returns a line of a text, "" if there is none.
func lineOf(text string, n int) string {
	lines := strings.Split(text, "\n")
	if n < 0 || n >= len(lines) {
		return ""
	}
	return lines[n]
}

// shows returns why a server is not shown one of the files that a plan changes: what it reports is not about the plan.
func (s *server) shows(files []string, with, base map[string]language.Text) error {
	for _, path := range files {
		name, err := s.owner.ws.RealName(path)
		_, after := with[name]
		_, before := base[name]
		if err != nil || !after && !before {
			return fmt.Errorf("it is not shown %s, which may hold secrets or is a link to another folder", path)
		}
	}
	return nil
}

// sides returns the texts that a server is shown with a plan's edits, and without. The same documents are open on
// both sides: servers report more about a package if one of its files is open. That is also why a file beside a new
// one is opened.
func (s *server) sides(texts, without view.TriedTexts) (with, base map[string]language.Text) {
	with, base = s.shown(texts), s.shown(without)
	for _, name := range slices.Sorted(maps.Keys(with)) {
		if _, has := base[name]; has {
			continue
		}
		original, err := s.read(name)
		if err != nil {
			continue
		}
		base[name] = original // also that it is not there: clangd then checks on both sides what includes it
		if original.Gone {
			s.openBeside(name, with, base)
		}
	}
	return with, base
}

// openBeside adds a file to both sides that is in the folder of a new one, if there is one and none is there.
func (s *server) openBeside(name string, with, base map[string]language.Text) {
	alike := func(other string) bool {
		return filepath.Dir(other) == filepath.Dir(name) && filepath.Ext(other) == filepath.Ext(name)
	}
	for other, text := range base {
		if !text.Gone && alike(other) {
			return
		}
	}
	first := ""
	for other := range s.files {
		if _, has := with[other]; !has && alike(other) && (first == "" || other < first) {
			first = other
		}
	}
	if text, err := s.read(first); first != "" && err == nil && !text.Gone {
		with[first], base[first] = text, text
	}
}
