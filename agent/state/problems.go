package state

import "redline/agent/plan"

// Problems are what the languages' own servers report about the files as the plan would leave them, compared with the
// files without it.
type Problems struct {
	Added   []Problem      `json:"added"`          // what the plan adds, errors first; at most 100
	Fixed   int            `json:"fixed"`          // how many the plan fixes
	Checked []plan.Checked `json:"checked"`        // the language servers that were asked
	More    int            `json:"more,omitempty"` // how many more the plan adds than `added` has

	Report *plan.Problems `json:"-"` // what it was made from, which has the words
}

// Problem is one report of a language server. Its path may be one that the plan does not touch.
type Problem struct {
	Path     string `json:"path"`     // the file, as the plan would leave it
	URI      string `json:"uri"`      // its URI in the editor
	Range    Range  `json:"range"`    // where it is in that file's text, encoded like the ranges of hunks
	Severity string `json:"severity"` // `error`, `warning`, `information` or `hint`
	Message  string `json:"message"`  // one line, not Markdown
	Source   string `json:"source"`   // what has found it, `compiler`; "" if the server does not say
	Code     string `json:"code"`     // its name there, `UndeclaredName`; "" if it has none

	In plan.Range `json:"-"` // the range, from which the sender of the plan makes Range
}

// NewProblems describes problems to clients; uri returns the URI of a path. It returns nil for nil.
func NewProblems(p *plan.Problems, uri func(path string) string) *Problems {
	if p == nil {
		return nil
	}
	s := &Problems{Added: make([]Problem, 0, len(p.Added)), Fixed: p.Fixed, Checked: append([]plan.Checked{}, p.Checked...), More: p.More, Report: p}
	for _, one := range p.Added {
		s.Added = append(s.Added, Problem{
			Path: one.Path, URI: uri(one.Path), Severity: string(one.Severity), Message: one.Message, Source: one.Source, Code: one.Code, In: one.Range,
		})
	}
	return s
}
