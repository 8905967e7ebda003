// Package written reads what a model writes into its reply where it would call
// tools: a plan, as a JSON array of calls with an answer at its end, wrapped in
// whatever the model wraps it in. Text in, calls out.
package written

import (
	"encoding/json"
	"slices"
	"strings"

	"redline/internal/fence"
)

// Call is a call of a tool that stands in a reply.
type Call struct {
	Tool string
	Args json.RawMessage // an object
	Note string          // why, in the model's words; "" for nothing
}

// Plan is what a reply asks for.
type Plan struct {
	Calls  []Call // in the order in which they stand there
	Final  bool   // there is an answer with them
	Answer string // that, when Final
	Prose  string // the reply without the plan, and without the fences around it
}

// Reader says how a reply is to be read.
type Reader struct {
	// Asked says that the model was asked to write its calls so. Then a plan counts
	// wherever it stands in the reply, and several are one, in their order. Of
	// another model it counts only if it is the whole reply and calls nothing but
	// tools that there are: all else is taken for an explanation.
	Asked bool
	Known func(tool string) bool // tells whether there is a tool of that name
	// Shown is what the model was shown: a plan of which a call stands there is a
	// quotation of what somebody else has written, and no plan.
	Shown []string
}

// Verdict is what a reply is.
type Verdict int

// The verdicts.
const (
	Prose  Verdict = iota // no plan: the reply is what it says
	Found                 // a plan
	Broken                // what was meant as a plan, by a model that was asked for one, and cannot be read in one way only
	Quoted                // no plan but one that the model was shown
)

// Read returns the plan in a reply.
func (r Reader) Read(reply string) (Plan, Verdict) {
	var p Plan
	var taken []span
	shown := lazily(r.Shown)
	verdict := Prose
	values, broken := find(reply)
	for i, v := range values {
		items, ok := r.items(v.raw)
		switch {
		case !ok:
			continue
		case isMarked(reply, v.span), slices.ContainsFunc(items, func(it item) bool { return it.call != nil && shown.has(it.raw) }):
			verdict = Quoted
			continue
		}
		taken = append(taken, v.span)
		if i > 0 && string(values[i-1].raw) == string(v.raw) {
			continue // said twice
		}
		for _, it := range items {
			if it.call != nil {
				p.Calls = append(p.Calls, *it.call)
			} else {
				p.Final, p.Answer = true, it.answer
			}
		}
	}
	switch {
	case broken && r.Asked:
		return Plan{}, Broken
	case len(taken) == 0:
		return Plan{}, verdict
	}
	p.Prose = without(reply, taken)
	if !r.Asked && p.Prose != "" {
		return Plan{}, Prose
	}
	return p, Found
}

// isMarked tells whether what stands at a place is set apart as a quotation: in a
// line that begins with ">", or between single backticks.
func isMarked(reply string, s span) bool {
	line := strings.TrimSpace(reply[strings.LastIndexByte(reply[:s.start], '\n')+1 : s.start])
	before, after := reply[:s.start], reply[s.end:]
	inline := strings.HasSuffix(before, "`") && strings.HasPrefix(after, "`") && !strings.HasSuffix(before, "```")
	return strings.HasPrefix(line, ">") || inline
}

// without returns the reply without what stands at places, which ascend, and
// without the fences and tags around them.
func without(reply string, places []span) string {
	var b strings.Builder
	at := 0
	for _, s := range places {
		b.WriteString(trimOpening(reply[at:s.start]))
		b.WriteString("\n")
		rest := reply[s.end:]
		at = len(reply) - len(trimClosing(rest))
	}
	b.WriteString(reply[at:])
	return strings.TrimSpace(b.String())
}

// trimOpening takes away a fence, or a tag, that is opened at the end of text.
func trimOpening(text string) string {
	trimmed := strings.TrimRight(text, " \t\r\n")
	line := trimmed[strings.LastIndexByte(trimmed, '\n')+1:]
	bare := strings.TrimSpace(line)
	_, info, opens := fence.Open(bare)
	switch {
	case opens:
		if !strings.ContainsAny(info, "~ {[") {
			return trimmed[:len(trimmed)-len(line)]
		}
	case strings.HasSuffix(bare, openTag):
		return strings.TrimSuffix(trimmed, openTag)
	case bare == "json" || bare == "JSON": // of a fence that somebody has taken away
		return trimmed[:len(trimmed)-len(line)]
	}
	return text
}

// trimClosing takes away a fence, or a tag, that is closed at the start of text.
func trimClosing(text string) string {
	trimmed := strings.TrimLeft(text, " \t\r\n")
	for _, mark := range []string{"```", "~~~", closeTag} {
		if rest, ok := strings.CutPrefix(trimmed, mark); ok {
			return strings.TrimLeft(rest, "`~")
		}
	}
	return text
}

// The tags that some models are trained to put around a call.
const (
	openTag  = "<tool_call>"
	closeTag = "</tool_call>"
)

// seen are texts in which something is looked for, blanks apart.
type seen struct {
	texts []string
	bare  []string // without blanks; nil until it is wanted
}

func lazily(texts []string) *seen { return &seen{texts: texts} }

func (s *seen) has(raw json.RawMessage) bool {
	if s.bare == nil {
		for _, text := range s.texts {
			s.bare = append(s.bare, bare(text))
		}
	}
	want := bare(string(raw))
	return slices.ContainsFunc(s.bare, func(text string) bool { return strings.Contains(text, want) })
}

// bare is a text without blanks.
func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\r\n", r) {
			return -1
		}
		return r
	}, text)
}
