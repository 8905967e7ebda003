package plan

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"redline/internal/phrase"
)

// Problems are what the languages' own servers report about the texts that a revision would leave,
// compared with their report about the texts without it.
type Problems struct {
	Added   []Problem `json:"added,omitempty"` // what only the texts with the revision have, errors first
	More    int       `json:"more,omitempty"`  // how many more were added than are kept in Added
	Fixed   int       `json:"fixed,omitempty"` // how many only the texts without it have
	Checked []Checked `json:"checked"`         // which servers were asked, by language

	Basis Basis `json:"basis,omitzero"` // the texts that the report is about; Board.AddProblems sets it
}

// Basis says which texts a report is about: that of a trial, or of language servers.
type Basis struct {
	Texts   []TriedText `json:"texts,omitempty"`
	Applied []string    `json:"applied,omitempty"` // the plan's hunks, by id, and moves, by path, that were applied when it began
	Began   time.Time   `json:"began"`
	Disk    string      `json:"disk,omitempty"`  // names the state of these files before it began, see [workspace.Fingerprint]
	Reads   []string    `json:"reads,omitempty"` // the other files on the disk that it depends on, by name or ending; nil for all
}

// DependsOn reports whether a report may be another once a file of the disk has changed.
func (b *Basis) DependsOn(file string) bool {
	if slices.ContainsFunc(b.Texts, func(was TriedText) bool { return was.Path == file }) {
		return false // its text is compared
	}
	return b.Reads == nil || slices.Contains(b.Reads, path.Base(file)) || slices.Contains(b.Reads, path.Ext(file))
}

// Problem is one report of a language server. Its path may be one that the plan does not touch.
type Problem struct {
	Path     string   `json:"path"`             // workspace path
	Range    Range    `json:"range"`            // where it is in the text that the plan would leave
	Severity Severity `json:"severity"`         // how bad it is
	Message  string   `json:"message"`          // one line
	Source   string   `json:"source,omitempty"` // what has found it: "compiler"
	Code     string   `json:"code,omitempty"`   // "UndeclaredName"
}

// Range is a piece of a text.
type Range struct {
	Start Place `json:"start"`
	End   Place `json:"end"`

	// The texts of the lines before start and end, from which columns are counted in other units; "" for ASCII.
	// Board.AddProblems sets them.
	BeforeStart string `json:"beforeStart,omitempty"`
	BeforeEnd   string `json:"beforeEnd,omitempty"`
}

// Place is a position in a text.
type Place struct {
	Line   int `json:"line"`   // from 0
	Column int `json:"column"` // bytes from the start of the line
}

// Severity is how bad a problem is, as LSP names it.
type Severity string

// The severities.
const (
	SeverityError       Severity = "error"
	SeverityWarning     Severity = "warning"
	SeverityInformation Severity = "information"
	SeverityHint        Severity = "hint"
)

// Checked says whether a language server has reported everything about the texts.
type Checked struct {
	Language string `json:"language"` // its language, `go`
	Server   string `json:"server"`   // its name, `gopls`
	State    string `json:"state"`    // `checked`, or why its report is not known, as a part of a sentence: `gopls was not ready`
}

// CheckedAll is the state of a server that has reported everything.
const CheckedAll = "checked"

// maxProblems is how many added problems are kept, and maxProblemPath how many bytes the path of one may have.
const (
	maxProblems    = 100
	maxProblemPath = 4096
)

// Bounded returns p fit to be kept and shown, whatever a server has reported: at most 100 problems, errors first,
// and each message on one line, without control characters and clipped. Without a severity a problem is an error. It returns nil for nil.
func (p *Problems) Bounded() *Problems {
	if p == nil {
		return nil
	}
	b := &Problems{Added: make([]Problem, 0, len(p.Added)), More: max(p.More, 0), Fixed: max(p.Fixed, 0), Basis: p.Basis}
	for _, one := range p.Added {
		if len(one.Path) > maxProblemPath || strings.ContainsFunc(one.Path, unicode.IsControl) {
			b.More++ // nobody could open it
			continue
		}
		one.Message, one.Range = plainLine(one.Message, 300), one.Range.sane()
		one.Source, one.Code = plainLine(one.Source, 40), plainLine(one.Code, 60)
		if rank(one.Severity) < 0 {
			one.Severity = SeverityError
		}
		b.Added = append(b.Added, one)
	}
	slices.SortStableFunc(b.Added, func(x, y Problem) int {
		return cmp.Or(rank(x.Severity)-rank(y.Severity), strings.Compare(x.Path, y.Path), x.Range.Start.Line-y.Range.Start.Line, x.Range.Start.Column-y.Range.Start.Column)
	})
	if over := len(b.Added) - maxProblems; over > 0 {
		b.Added, b.More = b.Added[:maxProblems:maxProblems], b.More+over
	}
	for _, c := range p.Checked[:min(len(p.Checked), 20)] {
		b.Checked = append(b.Checked, Checked{Language: plainLine(c.Language, 40), Server: plainLine(c.Server, 60), State: plainLine(c.State, 200)})
	}
	return b
}

// sane returns the range without numbers that no text has.
func (r Range) sane() Range {
	place := func(p Place) Place {
		return Place{Line: max(p.Line, 0), Column: max(p.Column, 0)}
	}
	r.Start, r.End = place(r.Start), place(r.End)
	if r.End.Line < r.Start.Line || r.End.Line == r.Start.Line && r.End.Column < r.Start.Column {
		r.End, r.BeforeEnd = r.Start, r.BeforeStart
	}
	return r
}

func rank(s Severity) int {
	return slices.Index([]Severity{SeverityError, SeverityWarning, SeverityInformation, SeverityHint}, s)
}

// plainLine returns text on one line, without control and formatting characters, in at most limit characters.
// It reads no further than that can need, of a text of any size: a server may report a megabyte.
func plainLine(text string, limit int) string {
	text = phrase.StartBytes(text, 64*limit)
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return phrase.Clip(phrase.OneLine(text), limit)
}

// Errors returns how many of the added problems are errors.
func (p *Problems) Errors() (n int) {
	if p == nil {
		return 0
	}
	for i := range p.Added {
		if p.Added[i].Severity == SeverityError {
			n++
		}
	}
	return n
}

// Adds says how many errors the revision adds: "adds 2 errors". It is "" if it adds none, or nothing is known.
// Only errors count.
func (p *Problems) Adds() string {
	switch n := p.Errors(); {
	case n == 0:
		return ""
	case n == len(p.Added) && p.More > 0:
		return fmt.Sprintf("adds more than %s", phrase.Count(n, "error"))
	default:
		return "adds " + phrase.Count(n, "error")
	}
}

// Adds says what the problem is, with the word that [Problems.Adds] has: "adds an error".
func (p *Problem) Adds() string {
	switch p.Severity {
	case SeverityError:
		return "adds an error"
	case SeverityInformation:
		return "adds a remark"
	}
	return "adds a " + string(p.Severity)
}

// Fixes says how many problems the revision fixes: "fixes 1". It is "" for none.
func (p *Problems) Fixes() string {
	if p == nil || p.Fixed == 0 {
		return ""
	}
	return fmt.Sprintf("fixes %d", p.Fixed)
}

// NotChecked says which servers' reports are not known, and why: "not checked: gopls was not ready". It is "" if all are.
func (p *Problems) NotChecked() string {
	if p == nil {
		return ""
	}
	var why []string
	for _, c := range p.Checked {
		if c.State != CheckedAll && !slices.Contains(why, c.State) {
			why = append(why, c.State)
		}
	}
	if len(why) == 0 {
		return ""
	}
	return "not checked: " + strings.Join(why, "; ")
}

// Words says all that is known, in a part of a sentence: "adds 2 errors, fixes 1". It is "" if there is nothing to say.
func (p *Problems) Words() string {
	return strings.Join(slices.DeleteFunc([]string{p.Adds(), p.Fixes(), p.NotChecked()}, func(s string) bool { return s == "" }), ", ")
}
