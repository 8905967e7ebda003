package patch

import "strings"

// Fence is code in a fence of Markdown, with the name of a file.
type Fence struct {
	Path string // as written above the fence or after its marks
	Text string // the lines in the fence
}

// maxFences is how many fences are read.
const maxFences = 64

// Fences returns the code in closed fences of a text that have the name of a file.
func Fences(text string) []Fence {
	text = text[:min(len(text), MaxBytes)]
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	var all []Fence
	s := &scanner{lines: lines, whole: true}
	for s.at < len(lines) && len(all) < maxFences {
		first := s.at
		line := s.bare(first)
		inner := strings.TrimLeft(line, " \t")
		s.at++
		if !isFence(inner) {
			continue
		}
		s.at = first
		s.enter(inner, len(line)-len(inner))
		end := s.fenceEnd(first+1, len(lines))
		s.fence = ""
		if end == len(lines) {
			return all
		}
		path := fencePath(inner)
		if path == "" {
			path = s.blocks().above(first)
		}
		if path != "" {
			all = append(all, Fence{Path: path, Text: joined(lines[first+1 : end])})
		}
		s.at, s.after = end+1, end+1
	}
	return all
}
