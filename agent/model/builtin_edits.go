package model

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"redline/internal/fence"
)

// span is a range of a text, in bytes, and its replacement.
type span struct {
	start, end int
	new        string
}

// edit is one replacement in the form that the edit tool takes.
type edit struct{ old, new string }

// maxEdits is how many edits one file may have; with more places, an edit covers several.
const maxEdits = 100

// edits returns the replacements that, applied one after the other, replace every span. The
// spans are in order and do not overlap. Each old text is whole lines, as many as it needs to
// occur in exactly one place when it is applied, so that places in different lines stay apart.
// If a text repeats itself so much that two edits would be equal, one edit covers all of it: a
// model that repeats the same call is treated as stuck.
func edits(text string, spans []span) []edit {
	all := blocks(text, spans)
	out := editsOf(text, all)
	for i, e := range out {
		if slices.Contains(out[:i], e) {
			return editsOf(text, []block{join(all)})
		}
	}
	return out
}

// editsOf returns an edit for each block.
func editsOf(text string, all []block) []edit {
	var out []edit
	current, shift := text, 0
	for _, b := range all {
		fresh := b.apply(text)
		old := text[b.start:b.end]
		if fresh == old {
			continue
		}
		start, end := b.start+shift, b.end+shift
		from, to := widen(current, start, end)
		changed := current[from:start] + fresh + current[end:to]
		out = append(out, edit{current[from:to], changed})
		current = current[:from] + changed + current[to:]
		shift += len(fresh) - len(old)
	}
	return out
}

// block is a range of whole lines, without the last line's ending, and the spans in it.
type block struct {
	start, end int
	spans      []span
}

// apply returns the block's text with its spans replaced.
func (b block) apply(text string) string {
	var out strings.Builder
	at := b.start
	for _, s := range b.spans {
		out.WriteString(text[at:s.start])
		out.WriteString(s.new)
		at = s.end
	}
	out.WriteString(text[at:b.end])
	return out.String()
}

// blocks groups spans by their lines; adjacent lines form one block.
func blocks(text string, spans []span) []block {
	var all []block
	for _, s := range spans {
		start, end := lineStart(text, s.start), lineEnd(text, s.end)
		if n := len(all); n > 0 && start <= all[n-1].end+1 {
			all[n-1].end = max(end, all[n-1].end)
			all[n-1].spans = append(all[n-1].spans, s)
			continue
		}
		all = append(all, block{start, end, []span{s}})
	}
	together := (len(all) + maxEdits - 1) / maxEdits
	if together < 2 {
		return all
	}
	var fewer []block
	for i := 0; i < len(all); i += together {
		fewer = append(fewer, join(all[i:min(i+together, len(all))]))
	}
	return fewer
}

// join makes one block of several, in order, with the text between them.
func join(all []block) block {
	one := block{start: all[0].start, end: all[len(all)-1].end}
	for _, b := range all {
		one.spans = append(one.spans, b.spans...)
	}
	return one
}

// widen adds lines before and after text[from:to] until it occurs only once.
func widen(text string, from, to int) (int, int) {
	for lines := 1; from == to || !once(text, text[from:to]); lines *= 2 {
		if from == 0 && to == len(text) {
			break
		}
		for range lines {
			from = lineStart(text, max(from-1, 0))
			to = lineEnd(text, min(to+1, len(text)))
		}
	}
	return from, to
}

// lineStart returns the offset where the line that holds an offset starts.
func lineStart(text string, at int) int {
	return strings.LastIndexByte(text[:at], '\n') + 1
}

// lineEnd returns the offset where the line that holds an offset ends, before its line ending.
func lineEnd(text string, at int) int {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(text)
}

// once reports whether piece occurs in text in exactly one place.
func once(text, piece string) bool {
	at := strings.Index(text, piece)
	return at >= 0 && !strings.Contains(text[at+1:], piece)
}

// occurrences returns the offsets where piece, which is not empty, occurs in text, including
// occurrences that overlap.
func occurrences(text, piece string) []int {
	var places []int
	for at := 0; ; at++ {
		i := strings.Index(text[at:], piece)
		if i < 0 {
			return places
		}
		at += i
		places = append(places, at)
	}
}

// linesOf returns the line numbers, from 1, of offsets in text.
func linesOf(text string, places []int) string {
	var names []string
	line, counted := 1, 0
	for _, at := range places {
		line += strings.Count(text[counted:at], "\n")
		counted = at
		if name := fmt.Sprint(line); len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
	}
	return list(names)
}

// withEndsOf converts the line endings of s to those of text, if text has only one kind.
func withEndsOf(text, s string) string {
	crlf := strings.Count(text, "\r\n")
	if crlf == 0 || crlf != strings.Count(text, "\n") {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
}

// instruction is one thing to do. run returns a sentence on what was planned. Its error is
// errWaiting or a [problem]; with a problem the sentence may also be set.
type instruction interface {
	run(*script) (report string, err error)
}

// insert inserts text next to an anchor that occurs once in a file.
type insert struct {
	text   string
	after  bool
	anchor string
	file   string
}

func (in insert) run(s *script) (string, error) {
	if err := s.need("read_file", "edit_file"); err != nil {
		return "", err
	}
	files, err := s.read(in.file)
	if err != nil {
		return "", err
	}
	file := files[0]
	if file.refused != "" {
		return "", problem(fmt.Sprintf("I could not read %s: %s.", in.file, file.refused))
	}
	anchor, text := withEndsOf(file.text, in.anchor), withEndsOf(file.text, in.text)
	switch places := occurrences(file.text, anchor); len(places) {
	case 1:
	case 0:
		return "", problem(fmt.Sprintf("I found %q nowhere in %s, so I planned nothing there.", in.anchor, in.file))
	default:
		return "", problem(fmt.Sprintf("I found %q in %s in several places (lines %s); name a longer piece of text.",
			in.anchor, in.file, linesOf(file.text, places)))
	}
	where, changed := "before", text+anchor
	if in.after {
		where, changed = "after", anchor+text
	}
	return s.stage(fmt.Sprintf("an insertion %s %q in %s", where, in.anchor, in.file),
		wish{"edit_file", args{"path": in.file, "old_string": anchor, "new_string": changed}})
}

// create makes a new file.
type create struct{ file, text string }

func (c create) run(s *script) (string, error) {
	if err := s.need("read_file", "write_file"); err != nil {
		return "", err
	}
	results, err := s.do(wish{"read_file", args{"path": c.file}})
	if err != nil {
		return "", err
	}
	if _, refused := refusal(results[0]); !refused {
		return "", problem(fmt.Sprintf("%s exists already, so I did not replace it.", c.file))
	}
	return s.stage("the new file "+c.file, wish{"write_file", args{"path": c.file, "content": c.text}})
}

// remove deletes a file.
type remove struct{ file string }

func (r remove) run(s *script) (string, error) {
	return s.stage("to delete "+r.file, wish{"delete_file", args{"path": r.file}})
}

// move moves a file to another path; a path that ends in a slash is a folder.
type move struct{ from, to string }

func (m move) run(s *script) (string, error) {
	to := m.to
	if strings.HasSuffix(to, "/") {
		to += path.Base(m.from)
	}
	return s.stage(fmt.Sprintf("to move %s to %s", m.from, to),
		wish{"rename_file", args{"path": m.from, "new_path": to}})
}

// command runs a shell command after the approval.
type command struct{ line string }

func (c command) run(s *script) (string, error) {
	return s.stage("to run "+c.line, wish{"run_command", args{"command": c.line}})
}

// attempt tries a shell command now.
type attempt struct{ line string }

func (a attempt) run(s *script) (string, error) {
	if !s.offered["try_command"] {
		return "", problem("I could not try " + a.line + ": trials are not possible here, or you have not allowed them (`redline trials status` says which).")
	}
	results, err := s.do(wish{"try_command", args{"command": a.line}})
	if err != nil {
		return "", err
	}
	if why, refused := refusal(results[0]); refused {
		return "", problem(fmt.Sprintf("I could not try %s: %s.", a.line, why))
	}
	ended, output, _ := strings.Cut(strings.TrimSpace(results[0]), "\n")
	marks := fence.Around(output)
	return fmt.Sprintf("I tried %s: %s.\n\n%s\n%s\n%s", a.line, ended, marks, output, marks), nil
}

// stage makes a single call that stages something.
func (s *script) stage(what string, w wish) (string, error) {
	results, err := s.do(w)
	if err != nil {
		return "", err
	}
	if why, refused := refusal(results[0]); refused {
		return "", problem(fmt.Sprintf("I could not plan %s: %s.", what, why))
	}
	return fmt.Sprintf("I planned %s.", what), nil
}
