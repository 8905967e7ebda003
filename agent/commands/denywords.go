package commands

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word is a word of a command, with what is known of it before the command runs.
type word struct {
	text  string // the known beginning; the whole word if sure
	sure  bool
	split bool // it may expand to several words, or none
}

func wordsOf(c *syntax.CallExpr) []word {
	var words []word
	for _, w := range c.Args {
		words = append(words, wordOf(w))
	}
	return words
}

func wordOf(w *syntax.Word) word {
	switch lit := w.Lit(); lit {
	case "[", "]", "{}", "!":
		return word{text: lit, sure: true}
	}
	text, why := literalText(withMarks(w))
	one := word{text: text, sure: why == ""}
	if one.sure {
		return one
	}
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			one.split = one.split || strings.ContainsAny(p.Value, "{$`")
		case *syntax.DblQuoted:
			one.split = one.split || slices.ContainsFunc(p.Parts, func(inner syntax.WordPart) bool {
				e, ok := inner.(*syntax.ParamExp)
				return ok && e.Param != nil && (e.Param.Value == "@" || e.Index != nil || e.Excl)
			})
		case *syntax.SglQuoted:
		default:
			one.split = true
		}
	}
	return one
}

// withMarks returns w with its {} quoted, which no shell expands.
func withMarks(w *syntax.Word) *syntax.Word {
	marked := &syntax.Word{Parts: slices.Clone(w.Parts)}
	for i, part := range marked.Parts {
		if lit, ok := part.(*syntax.Lit); ok && !strings.Contains(lit.Value, `\`) {
			marked.Parts[i] = &syntax.Lit{Value: strings.ReplaceAll(lit.Value, "{}", `\{\}`)}
		}
	}
	return marked
}

// call examines a simple command.
func (d *denier) call(c *syntax.CallExpr) { d.run(wordsOf(c)) }

// run examines the words of a command.
func (d *denier) run(words []word) {
	for {
		d.one(words)
		if len(words) < 2 || kindOf(words[0].text) != prefix || !words[1].sure || strings.HasPrefix(words[1].text, "-") && words[1].text != "-" {
			break
		}
		words = words[1:]
	}
	if len(words) == 0 || d.done() {
		return
	}
	switch k := kindOf(words[0].text); k {
	case prefix, runs, texts:
		name := path.Base(words[0].text)
		for i := 1; i < len(words) && !d.done(); i++ {
			if !words[i].sure {
				d.because(name + " is given something that is only known when it runs")
				continue
			}
			d.one(words[i:])
			d.textOf(words[i].text, k == texts)
		}
		if k == runs && slices.ContainsFunc(words[1:], func(w word) bool {
			return strings.HasPrefix(w.text, "-") && strings.Contains(w.text, "S") || strings.HasPrefix(w.text, "--split")
		}) && name == "env" {
			d.because("env splits a text into a command")
		}
	}
}

// textOf examines a word that a runner may run as a command line.
func (d *denier) textOf(text string, surely bool) {
	if !strings.ContainsAny(text, " \t\n;&|<>()$`\"'\\") {
		return
	}
	if surely {
		d.inner(text)
		return
	}
	// Most such words are not command lines, so only a rule's denial counts.
	found := refusal{}
	below := *d
	below.found, below.sure = &found, false
	below.inner(text)
	if found.rule != "" {
		d.found.rule = found.rule
	}
}

// one examines one reading of a command: whether a rule denies it, and its arguments if it
// runs them.
func (d *denier) one(words []word) {
	d.shared.looks += 1 + len(words)
	if len(words) == 0 || d.done() {
		return
	}
	if !words[0].sure {
		d.because("the name of a command in it is only known when it runs")
		return
	}
	for _, p := range d.deny {
		switch p.denies(words) {
		case yes:
			d.found.rule = p.text
			return
		case maybe:
			d.because("it may run " + p.text + ": that is only known when it runs")
		}
	}
	name, args := path.Base(words[0].text), words[1:]
	switch kindOf(name) {
	case shells:
		d.shell(name, args)
	case foreign:
		if len(args) == 0 || !args[0].sure || strings.HasPrefix(args[0].text, "-") || slices.Contains(streams, args[0].text) {
			d.because("it gives " + name + " commands that rules cannot read")
		}
	case evals:
		d.eval(name, args)
	case sources:
		if len(args) == 0 || !args[0].sure || isStream(args[0].text) {
			d.because(name + " reads commands from a place that is only known when it runs")
			return
		}
		d.one(args) // a rule may name the script
	case finds:
		d.find(args)
	case pipes:
		d.xargs(args)
	case ordinary:
		if name == "printf" && len(args) > 1 && strings.HasPrefix(args[0].text, "-v") {
			d.sets(strings.TrimPrefix(args[0].text, "-v") + args[1].text)
		}
	case unreadable:
		d.because(name + " changes which commands run")
	case variables:
		for _, a := range args {
			set, _, assigned := strings.Cut(a.text, "=")
			set = strings.TrimSuffix(set, "+")
			if cut := strings.IndexByte(set, '['); cut >= 0 {
				set = set[:cut]
			}
			switch {
			case name == "cd", name == "set", name == "pushd", name == "popd", name == "shopt":
			case a.sure || assigned:
				d.sets(set)
			default:
				d.because(name + " sets a variable whose name is only known when it runs")
			}
		}
	}
}

// answer says whether a rule denies words that may be partly unknown.
type answer int

const (
	no answer = iota
	maybe
	yes
)

// denies reports whether the pattern denies a command with the words. It compares the
// program's name with and without a folder, and ignores its case, as some file systems do.
func (p pattern) denies(words []word) answer {
	for i, w := range p.words {
		switch {
		case i == len(words):
			return no
		case words[i].split:
			return maybe
		case !words[i].sure:
			if i == 0 {
				return maybe
			}
			if !strings.HasPrefix(w, words[i].text) && w != "*" {
				return no
			}
			if w != "*" {
				return p.rest(words, i+1, maybe)
			}
		case i == 0:
			if !strings.EqualFold(w, words[i].text) && !strings.EqualFold(w, path.Base(words[i].text)) && !(strings.Contains(w, "/") && strings.EqualFold(path.Clean(w), path.Clean(words[i].text))) {
				return no
			}
		case w != words[i].text && w != "*":
			return no
		}
	}
	return p.end(words, yes)
}

// rest does what denies does, from a word on, after one that was unknown.
func (p pattern) rest(words []word, from int, most answer) answer {
	for i := from; i < len(p.words); i++ {
		switch {
		case i == len(words):
			return no
		case words[i].split:
			return maybe
		case words[i].sure && words[i].text != p.words[i] && p.words[i] != "*":
			return no
		}
	}
	return p.end(words, most)
}

// end does what denies does, for the words after those of the pattern.
func (p pattern) end(words []word, most answer) answer {
	if !p.whole || len(words) == len(p.words) {
		return most
	}
	for _, w := range words[len(p.words):] {
		if !w.split {
			return no
		}
	}
	return maybe
}
