package trial

import (
	"fmt"
	"os"

	"redline/edits"
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
