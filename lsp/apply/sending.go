package apply

import (
	"context"
	"fmt"
	"slices"
	"time"

	"redline/agent/editor"
	"redline/edits"
	"redline/edits/landed"
	"redline/internal/phrase"
	"redline/workspace"
)

// sending is one change on its way into the editor's text.
type sending struct {
	change edits.Change
	uri    string // of the file as it is now
	open   *workspace.Buffer
	onDisk bool // the server makes it, not the client

	existed bool         // whether there was such a file when it was sent
	before  string       // its text then
	bom     bool         // it had a byte order mark
	edits   []edits.Edit // the change to that text; of a deletion, what empties a text that is nowhere else
	already []int        // indices in change.Edits of what that text has already

	plan  int                   // of a review
	hunks []editor.ProposedHunk // of a review: what the edits are called

	answered *workspace.Buffer // the open text when the client had accepted the change

	after *string // before with the edits made, once it is needed

	witness *witness // what became of the text since it was sent; nil if that is not followed
	resent  int      // how often it was sent before
	depth   int      // 0 for a change, 1 for one that takes back what the editor made of it, and so on

	unmake func() // takes away the folders that were made for it; nil for none

	settled bool
	result  edits.Applied
}

func (s *sending) refuse(reason string) *sending {
	s.settle(edits.Applied{Status: edits.Refused, Reason: sentence(reason)})
	return s
}

func (s *sending) settle(r edits.Applied) {
	r.Path = s.change.Path
	s.settled, s.result = true, r
}

// path is where the file is after the change.
func (s *sending) path() string {
	if s.change.Kind == edits.Rename {
		return s.change.NewPath
	}
	return s.change.Path
}

// look says what became of the change as a whole, by the text of file: landed
// if something of it is there and nothing is missing, absent if nothing of it
// is there.
func (s *sending) look(file workspace.File) edits.Landing {
	switch s.change.Kind {
	case edits.Delete:
		return landing(!file.Exists)
	case edits.Create, edits.Rename:
		if !file.Exists {
			return edits.Absent
		}
	}
	if len(s.edits) == 0 || s.change.Kind == edits.Create && s.change.Text == "" {
		return edits.Landed
	}
	if s.misplaced() != nil {
		return edits.Unclear
	}
	var landed, absent int
	landings := s.landings(file.Text)
	for _, l := range landings {
		switch l {
		case edits.Landed:
			landed++
		case edits.Absent:
			absent++
		}
	}
	switch {
	case landed > 0 && absent == 0:
		return edits.Landed
	case absent == len(landings):
		return edits.Absent
	case s.arrived():
		return edits.Landed
	}
	return edits.Unclear
}

// landings says what became of each edit of the change, by the text as it is
// now. Mostly that is just the text that was asked for, and it is looked at
// several times.
func (s *sending) landings(text string) []edits.Landing {
	if s.after == nil {
		after, err := edits.Apply(s.before, s.edits)
		if err != nil {
			return make([]edits.Landing, len(s.edits)) // unclear
		}
		s.after = &after
	}
	if text != *s.after {
		return landed.Of(s.before, s.edits, text)
	}
	return slices.Repeat([]edits.Landing{edits.Landed}, len(s.edits))
}

func landing(ok bool) edits.Landing {
	if ok {
		return edits.Landed
	}
	return edits.Absent
}

// settleLanded records what file shows, when something of the change is there.
func (s *sending) settleLanded(file workspace.File) {
	r := edits.Applied{Status: edits.Done, Text: file.Text}
	if s.change.Kind != edits.Delete {
		r.Landings = landed.WithMade(s.landings(file.Text), s.already)
	}
	if s.look(file) != edits.Landed {
		r.Status = edits.Half
		r.Reason = s.change.Path + " was changed while the edit was made, so that it cannot be told whether all of it is there, in the right lines: look at the file, and undo the edit in the editor if it is not."
	}
	s.settle(r)
}

// verify records what the text shows of a change that the client accepted.
func (a *Applier) verify(ctx context.Context, s *sending) {
	file := a.see(s)
	switch landed := s.look(file); {
	case landed == edits.Unclear && s.inPart(file.Text):
		a.settleFailed(ctx, s, fmt.Sprintf("The editor says that it changed %s, but it made only a part of that: %d of %s.", s.path(), len(s.made(file.Text)), phrase.Count(len(s.edits), "edit")))
	case landed != edits.Absent:
		s.settleLanded(file)
	case file.Buffer == nil && s.change.Kind != edits.Delete && (s.change.Kind != edits.Rename || a.half(s) == ""):
		// A client may hold the text where it shows it to nobody (a hidden
		// buffer that no server is attached to, in Neovim).
		s.settle(edits.Applied{Status: edits.Unverified, Text: file.Text,
			Reason: "The editor says that it changed " + s.path() + ", but neither it nor the disk shows that: look at the file, and save it."})
	default:
		a.settleFailed(ctx, s, "The editor says that it changed "+s.path()+", but its text is as it was.")
	}
}

// await waits until the file shows the whole change, or shows it in the wrong
// lines, or has a text that came after the client's answer and does not have it:
// what a client does it tells in order.
func (a *Applier) await(ctx context.Context, s *sending) bool {
	if s.change.Kind == edits.Update || s.change.Kind == edits.Create {
		landed := false
		a.workspace.AwaitText(ctx, s.path(), func(f workspace.File) bool {
			landed = s.look(f) == edits.Landed
			return landed || s.misplaced() != nil ||
				s.answered != nil && f.Buffer != s.answered && a.leftOut(s, f) && s.explained(f.Text)
		})
		return landed
	}
	// Where files go is seen on the disk: a client may keep a buffer open.
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for s.look(a.see(s)) != edits.Landed {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
	return true
}

// see reads the file that shows the change. A deleted file is gone when the
// disk has it no more and no buffer shows a text that was only there; the old
// name of a renamed one is gone when the disk has it no more.
func (a *Applier) see(s *sending) workspace.File {
	file, err := a.workspace.Read(s.path())
	if err != nil {
		file = workspace.File{Path: s.path()}
	}
	switch s.change.Kind {
	case edits.Delete:
		if exists, _, err := a.workspace.Stat(s.path()); err == nil {
			file.Exists = exists || len(s.edits) > 0 && !edits.Blank(file.Text)
		}
	case edits.Rename:
		if a.isThere(s.change.Path, s.change.NewPath) {
			file.Exists = false
		}
	}
	return file
}

// tidy takes away the folders that were made for what was then refused.
func tidy(sent []*sending) {
	for _, s := range sent {
		if s.unmake != nil && s.settled && s.result.Status == edits.Refused {
			s.unmake()
		}
	}
}

// stopped tells whether a change did not come about as a whole, so that no
// further one may be begun.
func stopped(sent []*sending) bool {
	for _, s := range sent {
		if s.settled && s.result.Status != edits.Done {
			return true
		}
	}
	return false
}

func unsettled(sent []*sending) []*sending {
	var out []*sending
	for _, s := range sent {
		if !s.settled {
			out = append(out, s)
		}
	}
	return out
}

// results returns what came of each change. One that was sent and could not be
// looked at any more is unknown.
func results(sent []*sending) []edits.Applied {
	out := make([]edits.Applied, len(sent))
	for i, s := range sent {
		out[i] = s.result
		if !s.settled {
			out[i] = edits.Applied{Path: s.change.Path, Status: edits.Unknown,
				Reason: "The editor is gone: what is in the file will show whether the change was made."}
		}
	}
	return out
}
