package patch

import (
	"errors"
	"math"
	"strings"

	"redline/edits"
	"redline/edits/match"
)

// maxPlaces limits the places of all chunks together that settle orders. Beyond that, it
// refuses a chunk with several places.
const maxPlaces = 1 << 20

// stand is the position of a chunk's place among those of other chunks, in half bytes:
// another place is below it if it begins at or after end. Of two insertions at the same
// offset, neither is below the other.
type stand struct{ begin, end int }

// rising returns the places that each chunk can have if every chunk is below the one
// before. It returns nil if that is impossible.
func rising(chunks [][]stand) [][]int {
	highest := make([]int, len(chunks)) // where chunk i may begin, if the ones before are as far up as possible
	at := math.MinInt
	for i, places := range chunks {
		highest[i] = at
		end, ok := math.MaxInt, false
		for _, p := range places {
			if p.begin >= at {
				end, ok = min(end, p.end), true
			}
		}
		if !ok {
			return nil
		}
		at = max(at, end)
	}
	out := make([][]int, len(chunks))
	at = math.MaxInt
	for i := len(chunks) - 1; i >= 0; i-- {
		begin := math.MinInt
		for j, p := range chunks[i] {
			if p.begin >= highest[i] && p.end <= at {
				out[i] = append(out[i], j)
				begin = max(begin, p.begin)
			}
		}
		at = min(at, begin)
	}
	return out
}

// standOf returns where the lines that a chunk changes are if it is at place.
func (c *Chunk) standOf(text string, place edits.Span) stand {
	start, end := place.Start, place.End
	for range c.lead {
		if n := strings.IndexByte(text[start:end], '\n'); n >= 0 {
			start += n + 1
		}
	}
	for range c.tail {
		if body := strings.TrimSuffix(text[start:end], "\n"); body != "" || start < end {
			end = start + strings.LastIndexByte(body, '\n') + 1
		}
	}
	if start == end {
		return stand{2 * start, 2*start + 1}
	}
	return stand{2*start + 1, 2 * end}
}

// settle finds the places of chunks that could be in several: below the chunks before
// them and above those after, in the same part of the patch, if that leaves only one way.
// A chunk that changes nothing counts too if possible. The error is that of chunk i.
func settle(sites []site) (i int, err error) {
	for first := 0; first < len(sites); {
		end, open := first, -1
		for ; end < len(sites) && sites[end].chunk.part == sites[first].chunk.part; end++ {
			if open < 0 && len(sites[end].spans) > 1 {
				open = end
			}
		}
		if open >= 0 {
			part := sites[first:end]
			ways := waysOf(part, true)
			if ways == nil {
				ways = waysOf(part, false)
			}
			if ways == nil {
				return open, sites[open].err
			}
			if i, err := take(part, ways); err != nil {
				return first + i, err
			}
		}
		first = end
	}
	return 0, nil
}

// waysOf returns the possible places of each chunk of a part, nil for a chunk that is not
// ordered. It returns nil if there is no way to order them.
func waysOf(part []site, withNotes bool) [][]edits.Span {
	var stands [][]stand
	var of []int // the site of each of stands
	spans := make([][]edits.Span, len(part))
	total := 0
	for i := range part {
		s := &part[i]
		spans[i] = s.spans
		if s.chunk.changesNothing() {
			if spans[i] = nil; withNotes && s.chunk.says() {
				spans[i] = s.everywhere()
			}
		}
		if len(spans[i]) == 0 {
			continue
		}
		if total += len(spans[i]); total > maxPlaces {
			return nil
		}
		stands, of = append(stands, s.stands(spans[i])), append(of, i)
	}
	ways := rising(stands)
	if ways == nil {
		return nil
	}
	out := make([][]edits.Span, len(part))
	for k, way := range ways {
		for _, j := range way {
			out[of[k]] = append(out[of[k]], spans[of[k]][j])
		}
	}
	return out
}

// stands returns where places of a chunk are.
func (s *site) stands(places []edits.Span) []stand {
	out := make([]stand, len(places))
	for i, p := range places {
		if s.chunk.changesNothing() {
			out[i] = stand{2*p.End + 1, 2 * p.Start} // others may share its lines
		} else {
			out[i] = s.chunk.standOf(s.target.ended, p)
		}
	}
	return out
}

// says reports whether a chunk that changes nothing has words that show its place.
func (c *Chunk) says() bool { return strings.ContainsFunc(c.Old, isWordRune) }

// take makes the edits of those chunks of a part that had several places and have only
// one left.
func take(part []site, ways [][]edits.Span) (i int, err error) {
	for i := range part {
		s := &part[i]
		if len(s.spans) < 2 {
			continue
		}
		*s = s.target.look(s.chunk, func([]edits.Span) []edits.Span { return ways[i] })
		if s.err != nil {
			return i, s.err
		}
	}
	return 0, nil
}

// ErrInTurn means that another part of the patch for the file makes a part ambiguous.
var ErrInTurn error = reason("An earlier part of the patch for the same file puts the text to replace in another place too, so it is not clear which one is meant. Nothing was changed. Put all changes of the file below one header, with enough lines around each for it to be in one place only, or give the parts one after the other.")

// inTurn refuses a part of f that has another place, or several, in the result of the
// parts before it. found has the places of all chunks in text. A part without a place in
// that result can only mean text. The error is that of chunk i.
func (f *File) inTurn(text string, numbered bool, found []placed) (i int, err error) {
	for i := 0; i < len(f.Chunks); {
		part := f.Chunks[i].part
		end := i
		for end < len(f.Chunks) && f.Chunks[end].part == part {
			end++
		}
		if i > 0 {
			if err := clearAfter(text, numbered, found, f.Chunks, i, end); err != nil {
				return i, err
			}
		}
		i = end
	}
	return 0, nil
}

// clearAfter is inTurn for the chunks from first up to end.
func clearAfter(text string, numbered bool, found []placed, chunks []Chunk, first, end int) error {
	before, err := edits.Apply(text, editsBelow(found, first))
	if err != nil {
		return err
	}
	after, err := edits.Apply(text, editsBelow(found, end))
	if err != nil {
		return err
	}
	again, _, err := place(before, chunks[first:end], numbered)
	if err != nil {
		if r, ok := errors.AsType[*match.Refusal](err); ok && r.Reason == match.ReasonSeveral {
			return ErrInTurn
		}
		return nil
	}
	if made, err := edits.Apply(before, editsBelow(again, len(chunks))); err != nil || made != after {
		return ErrInTurn
	}
	return nil
}

// ofEarlier returns why chunk i has no place: err, or that only the chunks before it
// add its text to the file.
func (f *File) ofEarlier(text string, numbered bool, i int, err error) error {
	if r, ok := errors.AsType[*match.Refusal](err); !ok || r.Reason != match.ReasonNone || i < 1 {
		return err
	}
	found, _, failed := place(text, f.Chunks[:i], numbered)
	if failed != nil {
		return err
	}
	made, failed := edits.Apply(text, editsBelow(found, i))
	if failed != nil {
		return err
	}
	if _, _, failed := place(made, f.Chunks[i:i+1], numbered); failed != nil {
		return err
	}
	return reason("The text to replace is not in the file: an earlier part of the patch puts it there. All parts are looked for in the file as it is. Nothing was changed. Put both changes into one part, from the lines that the file has to those that it is to have in the end.")
}

// editsBelow returns the edits of the chunks below n.
func editsBelow(found []placed, n int) []edits.Edit {
	var es []edits.Edit
	for _, p := range found {
		if p.chunk < n {
			es = append(es, p.Edit)
		}
	}
	return es
}
