package preview

import "redline/internal/phrase"

// unparsedHeading begins the part of a preview on proposed files that do not parse.
const unparsedHeading = "## Does not parse"

// maxUnparsed is how many files that do not parse are named.
const maxUnparsed = 100

// unparsed names the proposed files that do not parse. why has the reasons, by the path of the
// change. Read skips this part.
func (w *writer) unparsed(why map[string]string) {
	shown := 0
	for i := range w.revision.Changes {
		c := &w.revision.Changes[i]
		problem, ok := why[c.Path]
		if !ok {
			continue
		}
		if shown++; shown == 1 {
			w.line(unparsedHeading + "\n")
			w.line("With all of these edits, as they were when this page was written.\n")
		}
		name := c.Path
		if c.NewPath != "" {
			name = c.NewPath
		}
		if shown <= maxUnparsed {
			w.line("- %s: %s", displayPath(name), phrase.OneLine(problem))
		}
	}
	if more := shown - maxUnparsed; more > 0 {
		w.line("- %s", phrase.Count(more, "more file"))
	}
	if shown > 0 {
		w.line("")
	}
}
