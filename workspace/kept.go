package workspace

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"redline/internal/smallfile"
)

// maxKept is how many bytes of what a process has found out the next one reads.
const maxKept = 16 << 20

// Keep keeps what this process has found out for the next one, in a file of the state directory. If that
// fails, the next one finds it out itself. The value is encoded by gob.
func (o *Own) Keep(name string, value any) {
	by := byUs()
	if o.w.stateDir == "" || by == "" {
		return
	}
	var text bytes.Buffer
	to := gob.NewEncoder(&text)
	if to.Encode(by) == nil && to.Encode(value) == nil && text.Len() <= maxKept {
		o.keepInState(name, text.Bytes())
	}
}

// Kept reads what an earlier process has kept by [Own.Keep]. It reports false if there is nothing, and
// if that was another program or another user.
func (o *Own) Kept(name string, value any) bool {
	us := byUs()
	if o.w.stateDir == "" || us == "" {
		return false
	}
	text, err := smallfile.Read(filepath.Join(o.w.stateDir, name), maxKept)
	if err != nil || len(text) > maxKept {
		return false
	}
	from, by := gob.NewDecoder(strings.NewReader(text)), ""
	return from.Decode(&by) == nil && by == us && from.Decode(value) == nil
}

// byUs identifies this program, whose rules count, and its user, who may read some folders and not others;
// "" if that is not known.
var byUs = sync.OnceValue(func() string {
	name, err := os.Executable()
	if err != nil {
		return ""
	}
	state, err := StateOf(name)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s %d %d", state, os.Geteuid(), os.Getegid())
})
