package workspace

import (
	"bytes"
	"maps"
	"time"
)

// keptFolder is the names in a folder of the workspace, on the disk for the next process: to read a thousand
// folders takes much longer than to see that they are the same. What the names mean is judged each time.
type keptFolder struct {
	State        []byte // of the folder
	Names, Kinds string // see folderText
}

const (
	// foldersFile has the folders of the large workspace that was looked through last.
	foldersFile = "folders.names"
	// leastKept is how many folders a workspace must have for them to be kept.
	leastKept = 100
	// keptAnew is the share of them that must have been read for all to be kept anew: one in so many.
	keptAnew = 20
)

// loadFolders returns the folders that the last process has kept.
func loadFolders(o *Own) (kept map[string]keptFolder) {
	if !o.Kept(foldersFile, &kept) {
		return nil
	}
	maps.DeleteFunc(kept, func(_ string, f keptFolder) bool { return !folderText{f.Names, f.Kinds}.whole() })
	return kept
}

// keepFolders keeps folders for the next process. now is a time before they were read: what has changed just
// before it may have changed again without another state.
func keepFolders(o *Own, folders map[string]Listed, now time.Time) {
	kept := make(map[string]keptFolder, len(folders))
	for dir, f := range folders {
		if !f.partly && now.Sub(f.State.Changed()) >= sameTime && now.Sub(f.State.Modified()) >= sameTime {
			kept[dir] = keptFolder{f.State.append(nil), f.all.names, f.all.kinds}
		}
	}
	if len(kept) >= leastKept {
		o.Keep(foldersFile, kept)
	}
}

// textOf returns the names in a folder of the workspace, of which now is the stamp. partly reports that some of
// them, or all, cannot be read.
func (s *secretWalk) textOf(abs string, now Stamp) (text folderText, partly bool) {
	if kept, known := s.index.kept[abs]; known {
		if state, ok := now.state(); ok && bytes.Equal(kept.State, state.append(nil)) {
			return folderText{kept.Names, kept.Kinds}, false
		}
	}
	s.read.Add(1)
	text, err := readNames(abs)
	return text, err != nil
}
