package model

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"redline/internal/lazyregexp"
	"redline/internal/phrase"
)

// everywhere changes all places that match, in all files or in those that a glob matches.
type everywhere struct {
	what  string // the change as the user reads it: "rename a to b"
	query args   // the search tool's pattern; it finds every line that may have a place
	glob  string // "" for all files
	spans func(text string) []span
}

// maxRounds is how often the search is repeated if it left out hits.
const maxRounds = 5

func (e everywhere) run(s *script) (string, error) {
	if err := s.need("search", "read_file", "edit_file"); err != nil {
		return "", err
	}
	var t tally
	seen := make(map[string]bool)
	for range maxRounds {
		found, err := s.search(e.query, e.glob)
		if err != nil {
			return "", err
		}
		fresh := slices.DeleteFunc(found.files, func(f string) bool { return seen[f] })
		before := t.places
		if err := e.change(s, fresh, &t); err != nil {
			return "", err
		}
		t.left = found.left
		if found.left == "" || t.places == before {
			break // the same search would find the same again
		}
		for _, f := range fresh {
			seen[f] = true
		}
	}
	return t.report(e.what, e.glob)
}

// change stages the edits of some files.
func (e everywhere) change(s *script, paths []string, t *tally) error {
	files, err := s.read(paths...)
	if err != nil {
		return err
	}
	var (
		wishes []wish
		of     []int // the file of each wish
	)
	places := make([]int, len(files))
	for i, f := range files {
		if f.refused != "" {
			t.refuse(f.path, f.refused)
			continue
		}
		spans := e.spans(f.text)
		places[i] = len(spans)
		for _, edit := range edits(f.text, spans) {
			wishes = append(wishes, wish{"edit_file", args{"path": f.path, "old_string": edit.old, "new_string": edit.new}})
			of = append(of, i)
		}
	}
	results, err := s.do(wishes...)
	if err != nil {
		return err
	}
	refused := make(map[int]bool)
	for i, result := range results {
		if why, no := refusal(result); no && !refused[of[i]] {
			refused[of[i]] = true
			t.refuse(files[of[i]].path, why)
		}
	}
	for _, i := range slices.Compact(of) {
		if !refused[i] {
			t.places += places[i]
			t.files = append(t.files, files[i].path)
		}
	}
	return nil
}

// tally is the result of a change in many files.
type tally struct {
	places  int
	files   []string // all changes of these are staged
	refused []string // "path: why", for the others
	left    string   // what the last search left out
}

func (t *tally) refuse(path, why string) {
	t.refused = append(t.refused, fmt.Sprintf("%s: %s", path, why))
}

func (t *tally) report(what, glob string) (string, error) {
	scope := ""
	if glob != "" {
		scope = " in " + glob
	}
	var report string
	if t.places > 0 {
		report = fmt.Sprintf("I planned to %s%s: %s in %s (%s).", what, scope,
			phrase.Count(t.places, "place"), phrase.Count(len(t.files), "file"), list(t.files))
	}
	switch {
	case len(t.refused) > 0:
		return report, problem(fmt.Sprintf("Not everything could be planned to %s%s: %s.", what, scope, list(t.refused)))
	case t.left != "":
		return report, problem(fmt.Sprintf("The search left something out (%s): apply this plan and ask again, or name fewer files with \"in GLOB\".", t.left))
	case t.places == 0:
		return "", problem(fmt.Sprintf("I found nothing to %s%s, so I planned nothing.", what, scope))
	}
	return report, nil
}

// list names the first few of many.
func list(names []string) string {
	const most = 10
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

// asciiWord matches names at whose ends a regular expression's \b surely matches.
var asciiWord = lazyregexp.New(`^\w+$`)

// renameOf replaces a whole identifier.
func renameOf(from, to, glob string) everywhere {
	query := args{"pattern": from}
	if asciiWord().MatchString(from) {
		query = args{"pattern": `\b` + from + `\b`, "regex": true}
	}
	return everywhere{
		what:  fmt.Sprintf("rename %s to %s", from, to),
		query: query,
		glob:  glob,
		spans: func(text string) []span {
			return spansOf(text, from, to, func(at int) bool {
				before, _ := utf8.DecodeLastRuneInString(text[:at])
				after, _ := utf8.DecodeRuneInString(text[at+len(from):])
				return !isWord(before) && !isWord(after)
			})
		},
	}
}

// isWord reports whether r can be part of an identifier.
func isWord(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// replaceOf replaces text, which may have several lines.
func replaceOf(from, to, glob string) everywhere {
	longest := slices.MaxFunc(strings.Split(from, "\n"), func(a, b string) int { return len(a) - len(b) })
	return everywhere{
		what:  fmt.Sprintf("replace %q with %q", from, to),
		query: args{"pattern": strings.TrimSuffix(longest, "\r")},
		glob:  glob,
		spans: func(text string) []span {
			return spansOf(text, withEndsOf(text, from), withEndsOf(text, to), func(int) bool { return true })
		},
	}
}

// spansOf returns spans that replace from with to at each good offset, in order and without
// overlaps.
func spansOf(text, from, to string, good func(at int) bool) []span {
	var spans []span
	for _, at := range occurrences(text, from) {
		if good(at) && (len(spans) == 0 || at >= spans[len(spans)-1].end) {
			spans = append(spans, span{at, at + len(from), to})
		}
	}
	return spans
}

// replacePattern replaces each match of a regular expression within a line.
func replacePattern(re *regexp.Regexp, to, glob string) everywhere {
	return everywhere{
		what:  fmt.Sprintf("replace /%s/ with %q", re, to),
		query: args{"pattern": re.String(), "regex": true},
		glob:  glob,
		spans: func(text string) []span {
			var spans []span
			to := withEndsOf(text, to)
			start := 0
			for line := range strings.Lines(text) {
				content := strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
				for _, m := range re.FindAllStringSubmatchIndex(content, -1) {
					spans = append(spans, span{start + m[0], start + m[1], string(re.ExpandString(nil, to, content, m))})
				}
				start += len(line)
			}
			return spans
		},
	}
}

// found is the search tool's result.
type found struct {
	files []string // with hits, each once, in order
	left  string   // what was left out, in the tool's words; "" for nothing
}

// hit matches the only hit of a file in the search tool's answer, "a.go:12: return sum". row matches
// one of several, "12: return sum", below a line with the path.
var (
	hit = lazyregexp.New(`^(.+?):\d+:(?: |$)`)
	row = lazyregexp.New(`^\d+:(?: |$)`)
)

// nothing starts the answer of a search without a hit, which may go on with other hits.
const nothing = "no matches"

// leftOut starts the last line of an incomplete answer.
const leftOut = "… "

func (s *script) search(query args, glob string) (found, error) {
	query = maps.Clone(query)
	if glob != "" {
		query["glob"] = glob
	}
	results, err := s.do(wish{"search", query})
	if err != nil {
		return found{}, err
	}
	if why, refused := refusal(results[0]); refused {
		return found{}, problem(fmt.Sprintf("The search failed: %s.", why))
	}
	return hitsIn(results[0]), nil
}

// hitsIn reads the search tool's answer.
func hitsIn(answer string) (f found) {
	if strings.HasPrefix(answer, nothing) {
		return f
	}
	seen := make(map[string]bool)
	add := func(path string) {
		if path != "" && !seen[path] {
			seen[path] = true
			f.files = append(f.files, path)
		}
	}
	path := "" // the last line that is no hit; a hit below it is of that file
	for line := range strings.Lines(answer) {
		line = strings.TrimRight(line, "\r\n")
		if left, ok := strings.CutPrefix(line, leftOut); ok {
			f.left = strings.TrimRight(left, ".:")
			break // what follows counts the hits that are left out
		}
		if row().MatchString(line) {
			add(path)
		} else if m := hit().FindStringSubmatch(line); m != nil {
			add(m[1])
		} else if path = line; strings.HasPrefix(line, `"`) {
			if unquoted, err := strconv.Unquote(line); err == nil {
				path = unquoted
			}
		}
	}
	return f
}

// file is a file in the form that the read tool returns.
type file struct {
	path    string
	text    string
	refused string // why it could not be read; "" if text is complete
}

// part matches the first line of an answer that holds only some lines of a file: "[lines 1-200 of
// 950]".
var part = lazyregexp.New(`^\[lines (\d+)-(\d+) of (\d+)(?:; [^\]\n]*)?\]\n`)

// maxParts is how many pieces a file is read in at most.
const maxParts = 30

// read returns whole files. A file that is too long for one answer is read in parts.
func (s *script) read(paths ...string) ([]file, error) {
	files := make([]file, len(paths))
	next := make([]int, len(paths)) // the line to continue from; 0 if the file is complete
	for i, p := range paths {
		files[i].path, next[i] = p, 1
	}
	for range maxParts {
		var (
			wishes []wish
			of     []int
		)
		for i, f := range files {
			if next[i] == 0 {
				continue
			}
			a := args{"path": f.path}
			if next[i] > 1 {
				a["start_line"] = next[i]
			}
			wishes, of = append(wishes, wish{"read_file", a}), append(of, i)
		}
		if len(wishes) == 0 {
			return files, nil
		}
		results, err := s.do(wishes...)
		if err != nil {
			return nil, err
		}
		for j, result := range results {
			next[of[j]] = files[of[j]].add(result, next[of[j]])
		}
	}
	for i := range files {
		if next[i] != 0 {
			files[i].refused = "it is too long for me"
		}
	}
	return files, nil
}

// firstLines returns the first n lines of a text.
func firstLines(text string, n int) string {
	end := 0
	for line := range strings.Lines(text) {
		if n--; n < 0 {
			break
		}
		end += len(line)
	}
	return text[:end]
}

// add adds an answer that starts at a line, and returns the line to continue from, or 0.
func (f *file) add(result string, from int) (next int) {
	if why, refused := refusal(result); refused {
		f.refused = why
		return 0
	}
	m := part().FindStringSubmatch(result)
	if m == nil {
		if from > 1 {
			f.refused = "it could not be read to its end"
			return 0
		}
		f.text = result
		return 0
	}
	text := result[len(m[0]):]
	numbers := make([]int, 0, 3)
	for _, digits := range m[1:] {
		n, err := strconv.Atoi(digits)
		if err != nil {
			f.refused = "its length is not known"
			return 0
		}
		numbers = append(numbers, n)
	}
	first, last, total := numbers[0], numbers[1], numbers[2]
	text = firstLines(text, last-first+1) // after the beginning of a long file comes an outline of the rest
	lines := len(slices.Collect(strings.Lines(text)))
	if first != from || lines != last-first+1 || (last < total && !strings.HasSuffix(text, "\n")) {
		f.refused = "it could not be read to its end"
		return 0
	}
	f.text += text
	if last >= total {
		return 0
	}
	return last + 1
}
