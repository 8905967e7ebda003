package decidetest

import (
	"strings"

	"redline/edits"
)

// Open opens a file of the workspace in the editor.
func (s *Base) Open(name string) {
	s.t.Helper()
	s.Workspace.Open(s.Workspace.URI(name), "", 1, s.Read(name))
}

// TypeAt inserts text into an open file before the first occurrence of a mark.
func (s *Base) TypeAt(name, mark, text string) {
	s.t.Helper()
	at := strings.Index(s.Text(name), mark)
	if at < 0 {
		s.t.Fatalf("%s has no %q", name, mark)
	}
	e := edits.Edit{Span: edits.Span{Start: at, End: at}, New: text}
	s.update(name, e, []edits.Edit{e})
}

// Replace replaces a text that an open file has once.
func (s *Base) Replace(name, old, new string) {
	s.t.Helper()
	text := s.Text(name)
	if strings.Count(text, old) != 1 {
		s.t.Fatalf("%s has %q not once", name, old)
	}
	at := strings.Index(text, old)
	e := edits.Edit{Span: edits.Span{Start: at, End: at + len(old)}, New: new}
	s.update(name, e, edits.Refine(text, e))
}

// Retype makes text the text of an open file.
func (s *Base) Retype(name, text string) {
	s.t.Helper()
	was := s.Text(name)
	e := edits.Edit{Span: edits.Span{End: len(was)}, New: text}
	s.update(name, e, edits.Refine(was, e))
}

// Save writes an open file's text to disk, as its editor does.
func (s *Base) Save(name string) {
	s.t.Helper()
	s.Write(name, s.Text(name))
	s.Workspace.Saved(s.Workspace.URI(name), nil)
}

// Text returns the text of an open file.
func (s *Base) Text(name string) string {
	s.t.Helper()
	b, ok := s.Workspace.Buffer(name)
	if !ok {
		s.t.Fatalf("%s is not open", name)
	}
	return b.Lines.Text()
}

// update makes the edit e in an open file; the editor reports it as the given edits.
func (s *Base) update(name string, e edits.Edit, reported []edits.Edit) {
	s.t.Helper()
	b, _ := s.Workspace.Buffer(name)
	s.Must(s.Workspace.Update(b.URI, b.Version+1, b.Lines.Replace(e), reported))
}

// InBuffer makes a change in the open buffer, without saving. Use it, and the functions below,
// as the editor's OnApply.
func (s *Base) InBuffer(c edits.Change) (edits.Applied, bool) {
	text, err := edits.Apply(s.Text(c.Path), c.Edits)
	if err != nil {
		s.t.Error(err)
	}
	s.Retype(c.Path, text)
	return edits.Applied{Path: c.Path, Status: edits.Done, Text: text}, true
}

// Unanswered makes no change and does not answer.
func Unanswered(c edits.Change) (edits.Applied, bool) {
	return edits.Applied{Path: c.Path, Status: edits.Unknown, Reason: "no answer"}, true
}

// LandsUnanswered makes the change and does not answer.
func (s *Base) LandsUnanswered(c edits.Change) (edits.Applied, bool) {
	if _, err := s.Editor.Disk.Apply(s.Context(), []edits.Change{c}); err != nil {
		s.t.Error(err)
	}
	return Unanswered(c)
}
