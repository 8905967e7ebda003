package gitrepo

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1" //nolint:gosec // Git names objects by it
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
)

// LeftOut is the text that Git shows in the place of a replaced one.
const LeftOut = "(a file that may hold secrets is left out)\n"

// Replaced returns the files to add to the repository so that Git shows [LeftOut] in the
// place of objects, which are named by their hashes: a map from file name to content. Git
// does so in each of its commands, unless it is told not to (git-replace(1)).
func (r Repository) Replaced(objects []string) map[string][]byte {
	files := map[string][]byte{}
	for _, o := range objects {
		name, empty := objectName(len(o), LeftOut), objectName(len(o), "")
		if o == name || o == empty || len(o) < 40 {
			continue
		}
		files[filepath.Join(r.common, "refs", "replace", o)] = []byte(name + "\n")
		at := filepath.Join(r.common, "objects", name[:2], name[2:])
		if files[at] == nil {
			files[at] = loose(LeftOut)
		}
	}
	return files
}

func header(text string) string { return fmt.Sprintf("blob %d\x00", len(text)) }

// objectName returns the name of a text in a repository with names of a length.
func objectName(length int, text string) string {
	if length == hex.EncodedLen(sha256.Size) {
		sum := sha256.Sum256([]byte(header(text) + text))
		return hex.EncodeToString(sum[:])
	}
	sum := sha1.Sum([]byte(header(text) + text)) //nolint:gosec // as above
	return hex.EncodeToString(sum[:])
}

// loose returns the content of an object's file.
func loose(text string) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write([]byte(header(text) + text)) // a buffer takes everything
	_ = w.Close()
	return b.Bytes()
}
