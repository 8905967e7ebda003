// Package language asks language servers about texts that are not on the disk: what a plan would
// leave, or what the editor has not saved.
//
// A server runs in a world (package workspace/world), since it starts programs of the repository. It
// sees each text twice: as an open document, and as a file of the world, which it hears of as
// a watched file. A [Client] is one server; an [Adapter] says how one is started, and when what it has reported is complete.
// What is not known to be complete is an error, never an empty list.
package language

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"redline/internal/phrase"
	"redline/workspace/world"
)

// Text is what a file has, or that there is none.
type Text struct {
	Gone bool
	Text string // otherwise; without a byte order mark
}

// Severity is how bad a problem is (LSP 3.18, "DiagnosticSeverity").
type Severity string

// The severities.
const (
	Error       Severity = "error"
	Warning     Severity = "warning"
	Information Severity = "information"
	Hint        Severity = "hint"
)

// Problem is a diagnostic of a language server.
type Problem struct {
	Path     string // absolute
	Start    Place
	End      Place
	Severity Severity
	Message  string // clipped to 2 KiB
	Source   string // what has found it: "compiler"
	Code     string // "UndeclaredName"

	// Hides says that the server may report others only once this one is fixed, see [Hidden].
	Hides bool
}

// Place is a position in a text.
type Place struct {
	Line   int // from 0
	Column int // bytes from the start of the line
}

func (p Problem) compare(q Problem) int {
	return cmp.Or(cmp.Compare(p.Path, q.Path), cmp.Compare(p.Start.Line, q.Start.Line), cmp.Compare(p.Start.Column, q.Start.Column), cmp.Compare(p.Message, q.Message))
}

// Compare returns the problems of after that before does not have, and how many of before are gone.
// A problem is the same in both if its file, source, code, severity and message are: its lines may
// have moved. One message several times counts as often.
func Compare(before, after []Problem) (added []Problem, fixed int) {
	type same struct {
		path, source, code, message string
		severity                    Severity
	}
	of := func(p Problem) same { return same{p.Path, p.Source, p.Code, p.Message, p.Severity} }
	left := map[same]int{}
	for _, p := range before {
		left[of(p)]++
	}
	// Where a message stands several times, those at the same place are the same.
	at := map[Problem]int{}
	for _, p := range before {
		at[p]++
	}
	var moved []Problem
	for _, p := range after {
		if at[p] > 0 {
			at[p]--
			left[of(p)]--
		} else {
			moved = append(moved, p)
		}
	}
	for _, p := range moved {
		if left[of(p)] > 0 {
			left[of(p)]--
		} else {
			added = append(added, p)
		}
	}
	for _, n := range left {
		fixed += n
	}
	slices.SortFunc(added, Problem.compare)
	return added, fixed
}

// Hidden returns nil if problems are all that there are, otherwise why they may not be: then a plan that adds
// none to them is not known to add none, and those that are gone may only be hidden. The error is a part
// of a sentence.
func Hidden(problems []Problem) error {
	for _, p := range problems {
		if p.Hides {
			return fmt.Errorf("it reports no more until this is fixed: %s", phrase.OneLine(phrase.StartBytes(p.Message, 200)))
		}
	}
	return nil
}

// Hiding returns the problems of before that hide others and that after does not have. What they have hidden may be
// among the problems of after, and look as if it were new.
func Hiding(before, after []Problem) (gone []Problem) {
	gone, _ = Compare(hides(after), hides(before))
	return gone
}

func hides(problems []Problem) (all []Problem) {
	for _, p := range problems {
		if p.Hides {
			all = append(all, p)
		}
	}
	return all
}

// StartAgainError is why a server has ended that would answer only after another start: it can be started at once.
type StartAgainError struct{ Why string }

func (e *StartAgainError) Error() string { return e.Why }

// Disk changes the files that a server sees; a [runner.Live] is one.
type Disk interface {
	Change(ctx context.Context, changes []world.Change) error
}
