package trial

import (
	"path"
	"slices"
	"strings"
)

const (
	// alike is the share of their lines that a removed and a new file have in common at least if one
	// is the other under a new name.
	alike = 0.6
	// maxLines is how many lines are compared, in all pairs of files together. Where there are more,
	// only files with the same name in two folders are pairs.
	maxLines = 5_000_000
)

// Moves returns the files that a command has moved: their old paths by the new ones. A file has moved
// if it is gone, and a new one has its text or most of its lines.
func Moves(files []CapturedFile) map[string]string {
	var gone, made []*CapturedFile
	for i := range files {
		switch f := &files[i]; {
		case f.Gone && f.Base.Text != "":
			gone = append(gone, f)
		case !f.Gone && !f.Base.Exists && f.Text != "":
			made = append(made, f)
		}
	}
	moves := map[string]string{}
	pair := func(fits func(from, to *CapturedFile) float64) {
		made = slices.DeleteFunc(made, func(to *CapturedFile) bool {
			best, share := -1, 0.0
			for i, from := range gone {
				if s := fits(from, to); sameForm(from, to) && s >= alike && s > share {
					best, share = i, s
				}
			}
			if best < 0 {
				return false
			}
			moves[to.Path] = gone[best].Path
			gone = slices.Delete(gone, best, best+1)
			return true
		})
	}
	byText := map[string]int{}
	for _, f := range gone {
		byText[f.Base.Text]++
	}
	pair(func(from, to *CapturedFile) float64 {
		if byText[to.Text] > 0 && from.Base.Text == to.Text {
			return 1
		}
		return 0
	})
	lines, many := map[string]map[string]int{}, len(made)*linesOf(gone)+len(gone)*linesOf(made) > maxLines
	pair(func(from, to *CapturedFile) float64 {
		if many && path.Base(from.Path) != path.Base(to.Path) {
			return 0
		}
		if lines[from.Path] == nil {
			lines[from.Path] = countLines(from.Base.Text)
		}
		if lines[to.Path] == nil {
			lines[to.Path] = countLines(to.Text)
		}
		return common(lines[from.Path], lines[to.Path])
	})
	return moves
}

// linesOf returns how many lines files have together.
func linesOf(files []*CapturedFile) (n int) {
	for _, f := range files {
		n += strings.Count(f.Base.Text, "\n") + strings.Count(f.Text, "\n") // one of them is empty
	}
	return n
}

// sameForm reports whether two files have the same permissions to run and the same byte order mark.
func sameForm(from, to *CapturedFile) bool {
	return from.Base.BOM == to.BOM && (from.Base.Mode^to.Mode)&0o100 == 0
}

func countLines(text string) map[string]int {
	count := map[string]int{}
	for line := range strings.Lines(text) {
		count[line]++
	}
	return count
}

// common returns the share of the lines of two texts that both have, from 0 to 1.
func common(a, b map[string]int) float64 {
	all, both := 0, 0
	for line, n := range a {
		all += n
		both += min(n, b[line])
	}
	for _, n := range b {
		all += n
	}
	if all == 0 {
		return 0
	}
	return 2 * float64(both) / float64(all)
}
