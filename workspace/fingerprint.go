package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Fingerprint names the state on the disk of all files that [Workspace.List] lists and for which counts returns true. It
// reads none of them.
func Fingerprint(ctx context.Context, w *Workspace, counts func(path string) bool) (string, error) {
	var mu sync.Mutex
	var files []string
	err := w.Visit(ctx, func(path string) {
		if !counts(path) {
			return
		}
		name, err := w.RealName(path)
		if err != nil {
			return
		}
		state, err := StateOf(name)
		if err != nil {
			return // it has just gone
		}
		mu.Lock()
		defer mu.Unlock()
		files = append(files, fmt.Sprintf("%q %d %d\n", path, state.Modified().UnixNano(), state.Changed().UnixNano()))
	})
	if err != nil {
		return "", err
	}
	slices.Sort(files)
	sum := sha256.Sum256([]byte(strings.Join(files, "")))
	return hex.EncodeToString(sum[:]), nil
}

// Follow records whether all changes of the disk since a time are known to this process, as far as they were reported: it has
// looked at the disk then, or has found it unchanged.
func Follow(w *Workspace, since time.Time, all bool) {
	c := &w.changes
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.followed == nil || len(c.followed) >= maxDiskChanges {
		c.followed = map[int64]bool{}
	}
	c.followed[since.UnixNano()] = all
}

// Follows returns what [Follow] was told about a time. known is false if it was told nothing.
func Follows(w *Workspace, since time.Time) (all, known bool) {
	c := &w.changes
	c.mu.Lock()
	defer c.mu.Unlock()
	all, known = c.followed[since.UnixNano()]
	return all, known
}
