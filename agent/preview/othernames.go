package preview

import "redline/internal/phrase"

// otherNamesHeading begins the part of a preview on files that have other names.
const otherNamesHeading = "## Hard links"

// maxOtherNames is how many files with other names are listed.
const maxOtherNames = 100

// otherNames names the files that have other names on disk. n has their numbers, by the path of the
// change. Read skips this part.
func (w *writer) otherNames(n map[string]int) {
	shown := 0
	for i := range w.revision.Changes {
		path := w.revision.Changes[i].Path
		if n[path] == 0 {
			continue
		}
		if shown++; shown == 1 {
			w.line(otherNamesHeading + "\n")
			w.line("The other names of these files keep their text, unless your editor saves through the link.\n")
		}
		if shown <= maxOtherNames {
			w.line("- %s: %s", displayPath(path), phrase.Count(n[path], "other name"))
		}
	}
	if more := shown - maxOtherNames; more > 0 {
		w.line("- %s", phrase.Count(more, "more file"))
	}
	if shown > 0 {
		w.line("")
	}
}
