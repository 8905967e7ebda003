package recall

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"redline/edits"
	"redline/internal/lazyregexp"
)

// Read has what a turn has read of files, without the texts. The zero value is empty.
type Read struct{ Files []ReadFile }

// ReadFile has the lines of one file that were read, in pieces, so that a change in one place
// leaves the others known.
type ReadFile struct {
	Path   string  `json:"path"`
	Of     int     `json:"of"` // how many lines the file had
	Pieces []Piece `json:"pieces"`
}

// Piece is some lines of a file, counted from 1, and the beginning of the hash of their text.
type Piece struct {
	First int    `json:"first"`
	Last  int    `json:"last"`
	Hash  string `json:"hash"`
}

const (
	pieceLines = 40  // how many lines a piece has at most
	maxFiles   = 50  // how many files are remembered of a turn
	maxPieces  = 500 // how many pieces
	hashDigits = 12  // hexadecimal digits
)

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:hashDigits]
}

// Add notes that the lines first to last of a file with a text were read.
func (r *Read) Add(path, text string, first, last int) {
	lines := edits.NewLines(text)
	first, last = max(first, 1), min(last, lineCount(lines))
	pieces := 0
	for _, f := range r.Files {
		pieces += len(f.Pieces)
	}
	i := slices.IndexFunc(r.Files, func(f ReadFile) bool { return f.Path == path })
	if i < 0 {
		if len(r.Files) >= maxFiles {
			return
		}
		i, r.Files = len(r.Files), append(r.Files, ReadFile{Path: path})
	}
	f := &r.Files[i]
	if f.Of != lineCount(lines) { // the turn has changed it since: its last look counts
		f.Of, f.Pieces = lineCount(lines), nil
	}
	for ; first <= last && pieces < maxPieces; pieces++ {
		end := min(last, (first-1)/pieceLines*pieceLines+pieceLines) // the same lines, however they are asked for
		p := Piece{first, end, hashOf(textOf(lines, first, end))}
		if !slices.Contains(f.Pieces, p) {
			f.Pieces = append(f.Pieces, p)
		}
		first = end + 1
	}
}

// Known is lines of a file that a turn has read and that are still the same, perhaps elsewhere.
type Known struct {
	Path            string
	First, Last, Of int    // the lines now, counted from 1, and how many the file has
	Hash            string // of their text
	Text            string
	Whole           string // the text of the file
}

// String formats the place and the hash: "a.go 1-80 of 200 (12ab34cd56ef)".
func (k Known) String() string {
	return fmt.Sprintf("%s %d-%d of %d (%s)", k.Path, k.First, k.Last, k.Of, k.Hash)
}

// In returns the lines that were read and are still in the files, ordered by file as they were
// read, then by line. now returns the current text of a file, ok false for one that cannot or must
// not be shown.
func (r Read) In(now func(path string) (text string, ok bool)) (all []Known) {
	for _, f := range r.Files {
		text, ok := now(f.Path)
		if !ok {
			continue
		}
		lines := edits.NewLines(text)
		count := lineCount(lines)
		var same [][2]int
		for _, p := range f.Pieces {
			for _, moved := range []int{0, count - f.Of} { // above a change, and below it
				first, last := p.First+moved, p.Last+moved
				if first >= 1 && last <= count && hashOf(textOf(lines, first, last)) == p.Hash {
					same = append(same, [2]int{first, last})
					break
				}
			}
		}
		slices.SortFunc(same, func(a, b [2]int) int { return a[0] - b[0] })
		from := len(all)
		for _, s := range same {
			if n := len(all); n > from && s[0] <= all[n-1].Last+1 {
				all[n-1].Last = max(all[n-1].Last, s[1])
			} else {
				all = append(all, Known{Path: f.Path, First: s[0], Last: s[1], Of: count})
			}
		}
		for i := from; i < len(all); i++ {
			all[i].Text = textOf(lines, all[i].First, all[i].Last)
			all[i].Hash, all[i].Whole = hashOf(all[i].Text), text
		}
	}
	return all
}

// Read returns what the turns of the memory have read, the newest first; of a file that several
// have read, what the newest of them has.
func (m Memory) Read() (all Read) {
	for _, e := range slices.Backward(m.Exchanges) {
		for _, f := range DecodeRead(e.Read).Files {
			if !slices.ContainsFunc(all.Files, func(has ReadFile) bool { return has.Path == f.Path }) {
				all.Files = append(all.Files, f)
			}
		}
	}
	return all
}

// Encode returns what was read as JSON, "" for nothing.
func (r Read) Encode() string {
	if len(r.Files) == 0 {
		return ""
	}
	data, err := json.Marshal(r.Files)
	if err != nil {
		return ""
	}
	return string(data)
}

// DecodeRead is the reverse of Encode. It returns nothing for a text that it cannot read.
func DecodeRead(text string) (r Read) {
	if json.Unmarshal([]byte(text), &r.Files) != nil {
		return Read{}
	}
	return r
}

func lineCount(lines *edits.Lines) int {
	n := lines.Count()
	if lines.Line(n-1).Len() == 0 {
		n--
	}
	return n
}

// textOf returns the lines first to last, counted from 1.
func textOf(lines *edits.Lines, first, last int) string {
	if last < first {
		return ""
	}
	return lines.Text()[lines.Line(first-1).Start:lines.Line(last-1).End]
}

// candidates matches plans by number, addresses, text in backticks or quotation marks, and words:
// "plan 3", "https://example.org/a", "`go test`", "sum.go".
var candidates = lazyregexp.New("(?i:\\bplans? [0-9]+)|[a-zA-Z][a-zA-Z0-9+.-]*://[^\\s<>\"'`]+|`[^`\n]+`|\"[^\"\n]+\"|[^\\s`\"]+")

// Words returns the parts of a text that must not be reworded when it is shortened: addresses,
// paths, names and numbers, each once, in order: the first max of them, or all if max is 0.
func Words(text string, max int) []string {
	var out []string
	found := map[string]bool{}
	for _, word := range candidates().FindAllString(text, -1) {
		switch {
		case word[0] == '`' || word[0] == '"':
			word = word[1 : len(word)-1]
		case strings.Contains(word, "://"):
			word = trimAddress(word)
		case strings.Contains(word, " "): // the number of a plan
		default:
			word = strings.Trim(word, ".,;:!?()[]{}<>'’“”„‘«»*")
			if !isIdentifier(word) {
				continue
			}
		}
		if word = strings.TrimSpace(word); word == "" || found[word] {
			continue
		}
		if max > 0 && len(out) == max {
			break
		}
		found[word] = true
		out = append(out, word)
	}
	return out
}

// trimAddress removes punctuation of the sentence around an address.
func trimAddress(address string) string {
	for {
		short := strings.TrimRight(address, ".,;:!?*")
		if strings.HasSuffix(short, ")") && !strings.Contains(short, "(") {
			short = strings.TrimSuffix(short, ")")
		}
		if short == address {
			return address
		}
		address = short
	}
}

// isIdentifier reports whether a word is an identifier: it has a digit, a character that
// ordinary words do not have, or a capital letter after a small one.
func isIdentifier(word string) bool {
	small := false
	for i, c := range word {
		switch {
		case unicode.IsDigit(c), strings.ContainsRune(`/\_@#=$%:.+~^&|`, c) && len(word) > 1:
			return true
		case c == '-' && i == 0 && len(word) > 1:
			return true
		case unicode.IsUpper(c) && small:
			return true
		}
		small = small || unicode.IsLower(c)
	}
	return false
}

// HasWord reports whether a text contains a word as a whole: 12 is not in 120, nor an address in a
// longer one.
func HasWord(text, word string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		i += at
		before, after := text[:i], text[i+len(word):]
		if !joins(before, word, true) && !joins(after, word, false) {
			return true
		}
		at = i + 1
	}
}

// joins reports whether the text next to a word continues it.
func joins(next, word string, before bool) bool {
	is := func(c byte) bool {
		return c == '_' || c == '/' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	if next == "" {
		return false
	}
	if before {
		return is(next[len(next)-1]) && is(word[0])
	}
	if strings.Contains(word, "://") && strings.IndexByte("?&=#%", next[0]) >= 0 {
		return true
	}
	return is(next[0]) && is(word[len(word)-1])
}
