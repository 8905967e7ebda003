package edits

import "unicode"

// Move is a block of lines that were removed in one place and added in another.
type Move struct {
	From, To MovePlace
	Lines    int
}

// MovePlace is the first line of a moved block: the index of the run that has it, and its index there.
type MovePlace struct{ Run, Line int }

// Limits of a move. Shorter blocks, and blocks of little but braces, are often equal by chance.
const (
	leastMoved   = 3  // lines
	leastLetters = 12 // letters and digits in the first of these lines together
	maxPlaces    = 16 // places that are compared for one block
)

// Moves finds the blocks that moved, in order of the places where they are now. removed and added have
// the runs of lines that are removed and added together. A line is part of one move at most.
func Moves(removed, added [][]string) []Move {
	places := map[[leastMoved]string][]MovePlace{}
	used := make([][]bool, len(removed))
	for r, lines := range removed {
		used[r] = make([]bool, len(lines))
		for i := range len(lines) - leastMoved + 1 {
			key := [leastMoved]string(lines[i:])
			if len(places[key]) < maxPlaces && tells(key) {
				places[key] = append(places[key], MovePlace{r, i})
			}
		}
	}
	if len(places) == 0 {
		return nil
	}
	var out []Move
	for a, lines := range added {
		for i := 0; i+leastMoved <= len(lines); {
			best := Move{To: MovePlace{a, i}}
			for _, from := range places[[leastMoved]string(lines[i:])] {
				was, n := removed[from.Run], 0
				for i+n < len(lines) && from.Line+n < len(was) && !used[from.Run][from.Line+n] && was[from.Line+n] == lines[i+n] {
					n++
				}
				if n >= leastMoved && n > best.Lines {
					best.From, best.Lines = from, n
				}
			}
			if best.Lines == 0 {
				i++
				continue
			}
			for n := range best.Lines {
				used[best.From.Run][best.From.Line+n] = true
			}
			out = append(out, best)
			i += best.Lines
		}
	}
	return out
}

// tells reports whether lines have enough letters not to be equal by chance.
func tells(lines [leastMoved]string) bool {
	n := 0
	for _, line := range lines {
		for _, r := range line {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				if n++; n >= leastLetters {
					return true
				}
			}
		}
	}
	return false
}
