package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"time"

	"redline/internal/stable"
)

// Underway is a turn that a process works on.
type Underway struct {
	Began   time.Time `json:"began"`
	Request string    `json:"request"` // its first line
}

// Undertake records that a turn is under way. If this process ends before it calls end, the next
// one finds the turn with CutOff. Nothing else depends on Undertake: if it fails, the turn is
// only missing there.
func (pr *presence) Undertake(workspace string, u Underway) (end func(), err error) {
	n := &marker{dir: pr.underwayDir(workspace)}
	text, err := json.Marshal(u)
	if err == nil {
		err = n.say(text)
	}
	return n.end, err
}

// CutOff returns the turns of a workspace whose process ended before they did, oldest first,
// each only once.
func (pr *presence) CutOff(workspace string) []Underway {
	var cut []Underway
	(&marker{dir: pr.underwayDir(workspace)}).others(nil, func(text []byte) {
		var u Underway
		if json.Unmarshal(text, &u) == nil {
			cut = append(cut, u)
		}
	})
	stable.Sort(cut, func(a, b Underway) int { return a.Began.Compare(b.Began) })
	return cut
}

func (pr *presence) underwayDir(workspace string) string {
	sum := sha256.Sum256([]byte(workspace))
	return filepath.Join(pr.root, "turns", hex.EncodeToString(sum[:8]))
}
