package trial

import (
	"fmt"
	"os"
	"slices"

	"redline/edits"
	"redline/workspace/world"
)

// fits reports whether a file, with its byte order mark, is within a limit.
func (x *capture) fits(size, limit int64) bool { return size <= limit+int64(len(edits.BOM)) }

func (x *capture) tooLarge(path string, size int64) {
	if limit := x.ignoring.Limit(path); limit > x.ws.MaxFile() {
		x.refuse(path, fmt.Sprintf("it has %d bytes, and at most %d of a file that git tracks are carried", size, limit))
		return
	}
	x.refuse(path, fmt.Sprintf("it has %d bytes, and at most %d of a file that git does not track are read (limits.max_file)", size, x.ws.MaxFile()))
}

// losesLarge reports whether the command has removed a file that is larger than others may be: a new one
// may be that one under another name.
func (x *capture) losesLarge() bool {
	for path := range x.gone {
		if info, err := os.Lstat(x.absolute(path)); err == nil && info.Size() > x.ws.MaxFile() && x.fits(info.Size(), x.ignoring.Limit(path)) {
			return true
		}
	}
	return false
}

// roomFor returns how many of the large entries can be read beside those that are wanted: if there are more, none
// is.
func roomFor(left []world.Entry, wanted, large []int) (n int) {
	room := int64(world.MaxCaptured)
	for _, i := range wanted {
		room -= left[i].Size
	}
	for ; n < len(large) && left[large[n]].Size <= room; n++ {
		room -= left[large[n]].Size
	}
	return n
}

// carryLarge names the new files that are larger than others may be, unless the command has moved them there, and
// lets the workspace read those that are carried.
func (x *capture) carryLarge() {
	isLarge := func(f CapturedFile) bool {
		return !f.Gone && !f.Base.Exists && !x.fits(int64(len(f.Text)), x.ignoring.Limit(f.Path))
	}
	if slices.ContainsFunc(x.found.Files, isLarge) {
		moves := Moves(x.found.Files)
		x.found.Files = slices.DeleteFunc(x.found.Files, func(f CapturedFile) bool {
			if _, moved := moves[f.Path]; moved || !isLarge(f) {
				return false
			}
			x.tooLarge(f.Path, int64(len(f.Text)))
			return true
		})
	}
	for _, f := range x.found.Files {
		x.ws.Carry(f.Path, f.Base.Text, f.Text)
	}
}
