package board_test

import (
	"testing"

	"redline/agent/view"
)

// An applied and saved change is pending again once the user undoes it in the editor and saves
// that. A program that restores the old file undoes nothing.
func TestAnUndoOfTheEditorCountsWhenItIsSaved(t *testing.T) {
	back := func(s *session) { s.Replace("shop.go", "func Add(", "func Total(") }
	write := func(s *session) {
		b, _ := s.Workspace.Buffer("shop.go")
		s.Write("shop.go", b.Lines.Text())
	}
	found := func(s *session) { // the editor read the file again
		b, _ := s.Workspace.Buffer("shop.go")
		s.Workspace.FoundSaved(b.URI, b.Lines.Text())
	}
	saved := func(s *session) {
		b, _ := s.Workspace.Buffer("shop.go")
		s.Workspace.Saved(b.URI, nil)
	}
	again := func(s *session) { s.Replace("shop.go", "func Total(", "func Add(") }
	typed := func(s *session) { s.TypeAt("shop.go", "package", "// typed\n") }
	restart := func(s *session) { s.Restart() }
	for name, c := range map[string]struct {
		acts []func(*session)
		want string
	}{
		"not saved yet":                         {[]func(*session){back}, "applied"},
		"saved":                                 {[]func(*session){back, write, saved}, "pending"},
		"saved, and looked at in between":       {[]func(*session){back, write, found, saved}, "pending"},
		"saved after more typing":               {[]func(*session){back, typed, write, saved, typed}, "pending"},
		"made again before it is saved":         {[]func(*session){back, again, write, saved}, "applied"},
		"made again after it was saved":         {[]func(*session){back, write, saved, again, write, saved}, "applied"},
		"read again":                            {[]func(*session){back, write, found}, "applied"},
		"read again, then typed in and saved":   {[]func(*session){back, write, found, typed, write, saved}, "applied"},
		"read again, and saved after a restart": {[]func(*session){back, write, found, restart, typed, write, saved}, "applied"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, map[string]string{"shop.go": shop})
			p := s.PlanRename()
			if r := s.MustApprove(view.Request{Plan: 1, Hash: p.Hash}); r.State != "completed" { // on disk: no editor shows it
				t.Fatalf("the plan is %s", r.State)
			}
			s.Open("shop.go")
			for _, act := range c.acts {
				act(s)
				if _, open := s.Workspace.Buffer("shop.go"); !open {
					s.Open("shop.go")
				}
			}
			s.End()
			s.Must(s.Board.Reconciler.Leave(s.Context())) // reconciles what is left
			s.Restart()
			s.WantHunks(1, c.want, "applied")
			want := "completed"
			if c.want == "pending" {
				want = "awaiting_approval"
			}
			if got := s.PlanNow(1).State; got != want {
				t.Errorf("the plan is %s, want %s", got, want)
			}
		})
	}
}
