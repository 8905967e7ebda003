// Package brief gathers the context of a request to a model, and has the prompts.
//
// [Gather] finds the place where the request was made, the files and symbols that it mentions, the
// project's rule files, the facts of the project, the open documents, and an outline of the file
// that the request is about. All of it is data, in fences so that it cannot pass for anything else.
// A budget limits it, and the [Brief] lists what is left out.
//
// [Project] gathers the facts, [FindChecks] finds the commands that test a project, and [Prompts]
// has the system prompts.
package brief

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"redline/internal/fence"
	"redline/internal/phrase"
	"redline/workspace"
)

// Files reads the user's files. It cannot write.
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
	Ignored(ctx context.Context, dir string) (n int, more bool, err error)
	Search(ctx context.Context, q workspace.Query, overlay workspace.Overlay) (workspace.Matches, error)
	Outline(name, text string) []workspace.Symbol
}

// Draft is the turn's draft. The model sees every text through it, so that later edits apply to
// the same text.
type Draft interface {
	Read(path string) (text string, exists bool, err error)
	Overlay() workspace.Overlay
	Paths() []string
}

// Request describes a request.
type Request struct {
	Own       string                 // the user's own words, the only ones in which mentions count
	Path      string                 // workspace path of the place, "" for none
	Lines     *[2]int                // first and last line there, from 0; nil for the whole file
	Selection string                 // the selected text, "" for none
	Output    string                 // what a command printed, already shortened; "" for none
	Facts     []string               // facts of the project, see [Facts]: each one line, whatever names it contains
	Read      []string               // lines that the conversation has read and that are still the same: each one line
	Named     func(path string) bool // reports whether the user named the file, without which a secret one is not shown; nil if none is named
}

// DefaultTokens is how many tokens a brief may have if no setting says it.
const DefaultTokens = 8000

// Limits limit the size of a brief and the time to gather it.
type Limits struct {
	Tokens  int           // about how many tokens it may have, see [Tokens], apart from the place, the facts and the list of what is left out
	NoRules bool          // leave rule files out
	Symbols time.Duration // the time limit for finding all mentioned symbols together; 0 for a second
}

// Brief is the context of a request. It is immutable.
type Brief struct {
	sections []section
	left     []Omission
}

// section is one piece of a brief: a line, and a text below it.
type section struct {
	label string
	text  string // printed in a fence; "" for none
	facts bool   // facts of the project
}

// Omission is something that is left out of a brief, or cut.
type Omission struct {
	What  string // a path, or a mention as written
	Why   string // a clause: "it has no room"
	Asked bool   // the user mentioned it, or it is a rule of the project, so the user gets a notice
	Room  bool   // it would fit in a larger budget
}

// Gather makes the brief of a request. It leaves out what cannot be read, and if ctx ends, all
// that is still missing.
func Gather(ctx context.Context, files Files, d Draft, r Request, l Limits) Brief {
	if l.Symbols <= 0 {
		l.Symbols = time.Second
	}
	g := &gatherer{ctx: ctx, files: files, draft: d, request: r, limits: l, room: l.Tokens, overlay: d.Overlay()}
	mentions := mentionsIn(r.Own)
	found := g.resolve(mentions)
	rules := g.findRules(g.inQuestion(found))
	g.place()
	g.showOutput()
	g.showMentions(found, reserve(rules, l.Tokens/4))
	g.showRules(rules, l.Tokens/8)
	g.showRead()
	g.showFacts()
	g.showOpen()
	g.showOutline()
	return Brief{g.sections, g.left}
}

// reserve returns the room to reserve for rules: room, or 0 if there are no rules.
func reserve(rules ruleSet, room int) int {
	if len(rules.files) == 0 {
		return 0
	}
	return room
}

// gatherer is the state of one [Gather].
type gatherer struct {
	ctx     context.Context
	files   Files
	draft   Draft
	request Request
	limits  Limits
	overlay workspace.Overlay // the texts of draft

	room     int // remaining tokens
	sections []section
	left     []Omission
}

// add adds a section. The caller has subtracted its room.
func (g *gatherer) add(label, text string) {
	g.sections = append(g.sections, section{label: label, text: text})
}

// fit returns as many lines of text as fit in room tokens, and subtracts their size.
func (g *gatherer) fit(text string, room int) (cut string, lines int, whole bool) {
	cut, lines, whole = fit(text, min(room, g.room))
	g.room -= Tokens(cut)
	return cut, lines, whole
}

func (g *gatherer) omit(o Omission) { g.left = append(g.left, o) }

// hidden reports whether path may hold secrets and the user did not name it.
func (g *gatherer) hidden(path string) bool {
	return g.files.Secret(path) && (g.request.Named == nil || !g.request.Named(path))
}

// inWorkspace reports whether path is a file that tools may read: not "", and not one of
// Redline's own files.
func (g *gatherer) inWorkspace(path string) bool {
	_, err := g.files.Clean(path)
	return err == nil
}

// exists reports whether a file exists in the draft, the editor or on disk. It does not add
// the file to the draft.
func (g *gatherer) exists(path string) bool {
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

// maxSelection is how many bytes of a selection a request contains.
const maxSelection = 16 << 10

// place adds the place of the request, and the selection in up to half of the room.
func (g *gatherer) place() {
	r := g.request
	if r.Path == "" {
		return
	}
	g.add("file: "+shown(r.Path), "")
	if r.Lines != nil {
		g.add(fmt.Sprintf("lines: %d-%d", r.Lines[0]+1, r.Lines[1]+1), "")
	}
	if r.Selection == "" {
		return
	}
	if g.hidden(r.Path) {
		g.omit(Omission{What: "the selection", Why: r.Path + " may hold secrets and is shown only if you name it in your request", Asked: true})
		return
	}
	room := min(g.limits.Tokens/2, maxSelection/4)
	text, lines, whole := g.fit(r.Selection, room)
	switch {
	case whole:
		g.add("selection:", text)
	case lines == 0:
		g.omit(Omission{What: "the selection", Why: "its first line has no room", Asked: true, Room: true})
	default:
		g.add(fmt.Sprintf("selection, its first %d lines:", lines), text)
		g.omit(Omission{What: "the rest of the selection", Why: "it has no room", Asked: true, Room: true})
	}
}

// showOutput adds what a command printed. It is shown whole, since the request is about it.
func (g *gatherer) showOutput() {
	if text := g.request.Output; text != "" {
		g.add("output of a command:", text)
		g.room = max(0, g.room-Tokens(text))
	}
}

// showRead adds what the conversation has read before.
func (g *gatherer) showRead() {
	if len(g.request.Read) > 0 {
		g.sections = append(g.sections, section{label: "read before:\n  " + strings.Join(g.request.Read, "\n  ")})
	}
}

// showFacts adds the facts of the project, which do not count against the brief's room.
func (g *gatherer) showFacts() {
	if len(g.request.Facts) > 0 {
		g.sections = append(g.sections, section{label: "project:\n  " + strings.Join(g.request.Facts, "\n  "), facts: true})
	}
}

// WithoutFacts returns the brief without the facts of the project, which change from one moment
// to the next even for equal requests.
func (b Brief) WithoutFacts() Brief {
	return Brief{slices.DeleteFunc(slices.Clone(b.sections), func(s section) bool { return s.facts }), b.left}
}

// maxOpen is how many open documents are listed.
const maxOpen = 50

// showOpen lists the documents that are open in the editor, and which of them are unsaved.
func (g *gatherer) showOpen() {
	var names []string
	left := 0
	for _, b := range g.files.Buffers() {
		if !g.inWorkspace(b.Path) || g.hidden(b.Path) {
			continue // outside the workspace, Redline's own, or secret
		}
		name := shown(b.Path)
		if b.Dirty {
			name += " (unsaved)"
		}
		if n := Tokens(name) + 1; len(names) == maxOpen || n > g.room {
			left++
		} else {
			names = append(names, name)
			g.room -= n
		}
	}
	if len(names) > 0 {
		g.add("open in the editor:\n  "+strings.Join(names, "\n  "), "")
	}
	if left > 0 {
		g.omit(Omission{What: fmt.Sprintf("%d documents that are open", left), Why: "they have no room", Room: true})
	}
}

// showOutline adds an outline of the file at the place of the request, in the remaining room.
func (g *gatherer) showOutline() {
	path := g.request.Path
	if !g.inWorkspace(path) || g.ctx.Err() != nil || g.room <= 0 || g.hidden(path) || !g.exists(path) {
		return
	}
	text, exists, err := g.draft.Read(path)
	if err != nil || !exists {
		return // if the model reads the file, the tool says why
	}
	symbols := g.files.Outline(path, text)
	if len(symbols) == 0 {
		return
	}
	rows, lines, whole := g.fit(outlineRows(symbols), g.room)
	if lines > 0 {
		g.add("outline of "+shown(path)+":", rows)
	}
	if !whole {
		g.omit(Omission{What: "the outline of " + path, Why: fmt.Sprintf("%d of its %d symbols have no room; use the outline tool", len(symbols)-lines, len(symbols)), Room: true})
	}
}

func outlineRows(symbols []workspace.Symbol) string {
	var b strings.Builder
	for _, s := range symbols {
		fmt.Fprintf(&b, "%d: %s%s %s\n", s.Line, strings.Repeat("  ", min(s.Depth, 20)), shown(s.Kind), shown(phrase.StartBytes(s.Name, 200)))
	}
	return b.String()
}

// maxLeft is how many omissions are listed.
const maxLeft = 20

// Text formats the brief for the end of a request: one fenced block, in which each text has its
// own fence. Nothing in a fence can close it, since it is longer than every run of backticks
// there. The text of an empty brief is "".
func (b Brief) Text() string {
	if len(b.sections) == 0 && len(b.left) == 0 {
		return ""
	}
	left, nested := b.leftLines(), false
	inside := []string{left}
	for _, s := range b.sections {
		inside = append(inside, s.label, s.text)
		nested = nested || s.text != ""
	}
	inner := fence.Around(inside...)
	outer := inner
	if nested {
		outer += "`"
	}
	var out strings.Builder
	out.WriteString(outer + "context\n")
	for _, s := range b.sections {
		out.WriteString(s.label + "\n")
		if s.text == "" {
			continue
		}
		out.WriteString(inner + "\n" + s.text)
		if !strings.HasSuffix(s.text, "\n") {
			out.WriteString("\n")
		}
		out.WriteString(inner + "\n")
	}
	out.WriteString(left + outer)
	return out.String()
}

// leftLines lists what was left out.
func (b Brief) leftLines() string {
	if len(b.left) == 0 {
		return ""
	}
	var out strings.Builder
	out.WriteString("left out:\n")
	for i, o := range b.left {
		if i == maxLeft {
			fmt.Fprintf(&out, "- … %d more\n", len(b.left)-i)
			break
		}
		fmt.Fprintf(&out, "- %s: %s\n", shown(o.What), shown(o.Why))
	}
	return out.String()
}

// Notice returns a message to the user about requested files, symbols and project rules that
// were left out, "" if there are none.
func (b Brief) Notice() string {
	var parts []string
	more, room := 0, false
	for _, o := range b.left {
		switch {
		case !o.Asked:
			continue
		case len(parts) == 5:
			more++
		default:
			parts = append(parts, fmt.Sprintf("%s (%s)", shown(o.What), shown(o.Why)))
		}
		room = room || o.Room
	}
	if len(parts) == 0 {
		return ""
	}
	text := "The model was not shown: " + strings.Join(parts, ", ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	if room {
		return text + ". The setting context.tokens makes room for more."
	}
	return text + "."
}

// shown returns a name for a line: quoted if it has characters that cannot be seen.
func shown(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}

// Tokens estimates how many tokens a text has: one for four bytes of ASCII, one for each
// other character. Models differ; the estimate is too high for prose and about right for
// code.
func Tokens(text string) int {
	ascii, others := 0, 0
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			ascii++
			i++
			continue
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
		others++
	}
	return (ascii+3)/4 + others
}

// fit returns the lines at the beginning of text that fit in room tokens, how many they are, and
// whether they are the whole text. It never cuts a line.
func fit(text string, room int) (cut string, lines int, whole bool) {
	used, end := 0, 0
	for line := range strings.Lines(text) {
		n := Tokens(line)
		if used+n > room {
			return text[:end], lines, false
		}
		used += n
		end += len(line)
		lines++
	}
	return text, lines, true
}
