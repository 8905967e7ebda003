// Package brief gathers what a request to a model carries besides the user's own
// words: the place it was made at, the files and symbols that it mentions, the
// project's rule files, what is open in the editor, and an outline of the file
// in question. All of it is data, fenced so that nothing in it can pass for
// anything else, and counted against a budget; what is left out is said.
package brief

import (
	"context"
	"time"

	"redline/workspace"
)

// Files is what can be looked at of the user's files. It has no way to write.
type Files interface {
	Folders() []workspace.Folder
	Single() bool
	Clean(name string) (path string, err error)
	Secret(path string) bool
	Stat(path string) (exists, isDir bool, err error)
	Read(path string) (workspace.File, error)
	Buffer(path string) (*workspace.Buffer, bool)
	Buffers() []*workspace.Buffer
	List(ctx context.Context, dir, glob string, overlay workspace.Overlay, limit int) (paths []string, left int, err error)
	Search(ctx context.Context, q workspace.Query, overlay workspace.Overlay) (hits []workspace.Hit, left int, err error)
	Outline(name, text string) []workspace.Symbol
}

// Draft is the draft of the turn, through which every text is read that the
// model is shown: so it is what later edits are measured against.
type Draft interface {
	Read(path string) (text string, exists bool, err error)
	Overlay() workspace.Overlay
	Paths() []string
}

// Request is what a request says of itself.
type Request struct {
	Own       string                 // the user's own words: only in them a mention counts
	Path      string                 // workspace path of the place, "" for none
	Lines     *[2]int                // first and last line there, from 0; nil for the whole file
	Selection string                 // the selected text, "" for none
	Named     func(path string) bool // tells whether the user named the file: secret ones are shown only then; nil: none was
}

// DefaultTokens is how many tokens a brief may have unless it is set.
const DefaultTokens = 8000

// Limits bound what a brief holds and how long gathering it may take.
type Limits struct {
	Tokens  int           // about how many tokens it may have, see [Tokens]; the place and what was left out come on top
	NoRules bool          // rule files are not looked for
	Symbols time.Duration // how long the symbols that the user mentions are looked for, all together; 0 for a second
}

// Brief is what a request carries. It is never changed.
type Brief struct {
	sections []section
	left     []Omission
}

// section is one piece of a brief: a line of its own and a text below it.
type section struct {
	label string
	text  string // shown in a fence; "" for none
}

// Omission is something that a brief does not hold, or not whole.
type Omission struct {
	What  string // a path, or a mention as it was written
	Why   string // a clause: "it has no room"
	Asked bool   // the user has named it, or the project's rules are meant: they are told
	Room  bool   // a larger budget would have room for it
}

// Left returns what was left out, in the order in which it was met.
func (b Brief) Left() []Omission { return b.left }

// Gather makes the brief of a request. What cannot be read is left out and
// said; when ctx ends, the rest is left out.
func Gather(ctx context.Context, files Files, d Draft, r Request, l Limits) Brief {
	if l.Symbols <= 0 {
		l.Symbols = time.Second
	}
	g := &gatherer{ctx: ctx, files: files, draft: d, request: r, limits: l, room: l.Tokens, overlay: d.Overlay()}
	mentions := mentionsIn(r.Own)
	found := g.resolve(mentions)
	rules := g.findRules(g.inQuestion(found))
	g.place()
	g.showMentions(found, reserve(rules, l.Tokens/4))
	g.showRules(rules, l.Tokens/8)
	g.showOpen()
	g.showOutline()
	return Brief{g.sections, g.left}
}

// reserve is the room that is kept for rules, if there are any.
func reserve(rules ruleSet, room int) int {
	if len(rules.files) == 0 {
		return 0
	}
	return room
}

// gatherer is one Gather.
type gatherer struct {
	ctx     context.Context
	files   Files
	draft   Draft
	request Request
	limits  Limits
	overlay workspace.Overlay // of draft

	room     int // tokens that are left
	sections []section
	left     []Omission
}

// add takes a section that has its room already.
func (g *gatherer) add(label, text string) {
	g.sections = append(g.sections, section{label, text})
}

// fit returns as many lines of text as room has tokens for, and takes that room.
func (g *gatherer) fit(text string, room int) (cut string, lines int, whole bool) {
	cut, lines, whole = fit(text, min(room, g.room))
	g.room -= Tokens(cut)
	return cut, lines, whole
}

func (g *gatherer) omit(o Omission) { g.left = append(g.left, o) }

// hidden tells whether path may hold secrets and was not named.
func (g *gatherer) hidden(path string) bool {
	return g.files.Secret(path) && (g.request.Named == nil || !g.request.Named(path))
}

// inWorkspace tells whether path is a file that tools may look at: not "", and
// not one of Redline's own.
func (g *gatherer) inWorkspace(path string) bool {
	_, err := g.files.Clean(path)
	return err == nil
}

// there tells whether a file is there, in the draft, the editor or on disk. It
// leaves the draft as it is.
func (g *gatherer) there(path string) bool {
	if o, ok := g.overlay[path]; ok {
		return !o.Deleted
	}
	if _, open := g.files.Buffer(path); open {
		return true
	}
	exists, isDir, err := g.files.Stat(path)
	return err == nil && exists && !isDir
}

// inQuestion returns the files that a request is about.
func (g *gatherer) inQuestion(found []target) []string {
	var paths []string
	if g.inWorkspace(g.request.Path) {
		paths = append(paths, g.request.Path)
	}
	for _, t := range found {
		for _, p := range t.parts {
			paths = append(paths, p.path)
		}
	}
	return append(paths, g.draft.Paths()...)
}
