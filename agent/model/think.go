package model

import "strings"

// thinking separates the thoughts at the start of a reply, between <think> and </think>, from
// the reply. Later marks are part of the reply, since they may be in code. The zero value is
// ready to use.
type thinking struct {
	state thinkState
	held  string // text that may be the start of a mark
	mark  string // the mark that ends the thought
}

type thinkState int

const (
	thinkMaybe  thinkState = iota // only spaces and line ends have come so far
	thinkInside                   // between the marks
	thinkAfter                    // skips the spaces after the closing mark
	thinkOver
)

// thinkMarks are pairs of marks that open and close a thought.
var thinkMarks = [][2]string{{"<think>", "</think>"}, {"<thinking>", "</thinking>"}}

// next splits a fragment, together with the text that was held back, into thoughts and reply.
func (t *thinking) next(fragment string) (thought, said string) {
	if t.state == thinkOver {
		return "", fragment
	}
	text := t.held + fragment
	t.held = ""
	if t.state == thinkMaybe {
		start := strings.TrimLeft(text, " \t\r\n")
		for _, mark := range thinkMarks {
			if rest, ok := strings.CutPrefix(start, mark[0]); ok {
				t.state, t.mark, text = thinkInside, mark[1], rest
				break
			}
			if strings.HasPrefix(mark[0], start) { // or only spaces
				t.held = text
			}
		}
		if t.state == thinkMaybe {
			if t.held != "" || text == "" {
				return "", ""
			}
			t.state = thinkOver
			return "", text
		}
		t.held = ""
	}
	if t.state == thinkInside {
		before, after, found := strings.Cut(text, t.mark)
		if !found {
			hold := min(len(text), len(t.mark)-1)
			for !strings.HasSuffix(text, t.mark[:hold]) {
				hold--
			}
			t.held = text[len(text)-hold:]
			return text[:len(text)-hold], ""
		}
		thought, text, t.state = before, after, thinkAfter
	}
	if said = strings.TrimLeft(text, " \t\r\n"); said != "" {
		t.state = thinkOver
	}
	return thought, said
}

// rest returns what was held back, once no more fragments come.
func (t *thinking) rest() (thought, said string) {
	held := t.held
	t.held = ""
	if t.state == thinkInside {
		return held, ""
	}
	return "", held
}
