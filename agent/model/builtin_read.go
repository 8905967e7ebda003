package model

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"redline/internal/lazyregexp"
)

// found is the search tool's result.
type found struct {
	files []string // with hits, each once, in order
	left  string   // what was left out, in the tool's words; "" for nothing
}

// hit matches the only hit of a file in the search tool's answer: path, line from 1, text. row
// matches one of several, below a line with the path.
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

// part matches the first line of an answer that holds only some lines of a file: from, to, and
// the total.
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
