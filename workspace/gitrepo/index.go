package gitrepo

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1" //nolint:gosec // Git names objects by it
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxIndex is the size limit for an index, in bytes.
const maxIndex = 256 << 20

var errIndex = errors.New("it is no index of Git that can be read here")

// IndexFile returns the path of the index of the worktree.
func (r Repository) IndexFile() string { return filepath.Join(r.dir, "index") }

// Tracked returns the paths of the files that Git tracks in the worktree, relative to its root, in
// the order of their bytes; a submodule is one path. Of a split index it returns only what has
// changed since the split. An index that does not exist tracks nothing.
func (r Repository) Tracked() ([]string, error) {
	info, err := os.Lstat(r.IndexFile()) // before opening: opening a pipe would wait
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > maxIndex:
		return nil, errIndex
	}
	f, err := os.Open(r.IndexFile())
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var data strings.Builder
	data.Grow(int(info.Size()))
	if _, err := io.Copy(&data, io.LimitReader(f, maxIndex)); err != nil {
		return nil, err
	}
	hash := 20
	if r.Values("extensions")["objectformat"] == "sha256" {
		hash = 32
	}
	return names(data.String(), hash)
}

// names returns the names in an index whose hashes have the given length in bytes.
func names(data string, hash int) ([]string, error) {
	var all strings.Builder // of the names, so that the rest of the index can be forgotten
	var ends []int
	_, err := ReadIndex(data, hash, func(e IndexEntry) bool {
		if e.Path != "" {
			all.WriteString(e.Path)
			ends = append(ends, all.Len())
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	text, from := all.String(), 0
	names := make([]string, len(ends))
	for i, end := range ends {
		names[i], from = text[from:end], end
	}
	return names, nil
}

// IndexEntry is an entry of an index: a file that Git tracks.
type IndexEntry struct {
	Path  string // "" in a split index, for one in the other part
	At    int    // where its fields begin in the index
	Flags uint16
	More  uint16 // the extended flags
}

// Where an entry has its hash and its flags, in bytes; and the flag that says that it has two more
// bytes of them.
const (
	hashAt       = 40
	extendedFlag = 0x4000
)

// ReadIndex calls take for each entry of an index (gitformat-index(5)) of version 2 to 4, in order,
// and returns where the last one ends. Its hashes have the given length in bytes, as of SHA-1 20:
//
//	DIRC version count   4 bytes each
//	fields hash flags    of each entry: 40 bytes, the hash, 2 bytes, or 4 with the extended flags
//	path NUL             in version 4 after the number of bytes to drop from the path before it
//
// It fails if take returns false.
func ReadIndex(data string, hash int, take func(IndexEntry) bool) (end int, err error) {
	if len(data) < 12 || data[:4] != "DIRC" {
		return 0, errIndex
	}
	number := func(at, size int) (n int) {
		for _, c := range []byte(data[at : at+size]) {
			n = n<<8 | int(c)
		}
		return n
	}
	version, count := number(4, 4), number(8, 4)
	if version < 2 || version > 4 {
		return 0, errIndex
	}
	at, before := 12, ""
	for range count {
		name := at + hashAt + hash + 2
		if len(data) < name+2 {
			return 0, errIndex
		}
		e := IndexEntry{At: at, Flags: uint16(number(name-2, 2))}
		if e.Flags&extendedFlag != 0 {
			if version < 3 {
				return 0, errIndex
			}
			e.More = uint16(number(name, 2))
			name += 2
		}
		kept := ""
		if version == 4 {
			drop, size, ok := Varint(data[name:])
			if !ok || drop > len(before) {
				return 0, errIndex
			}
			kept, name = before[:len(before)-drop], name+size
		}
		length := strings.IndexByte(data[name:], 0)
		if length < 0 {
			return 0, errIndex
		}
		e.Path = kept + data[name:name+length]
		next := name + length + 1
		if version < 4 { // padded to a multiple of eight bytes
			next = at + (name-at+length+8)&^7
		}
		if next > len(data) || !take(e) {
			return 0, errIndex
		}
		at, before = next, e.Path
	}
	return at, nil
}

// Varint reads a number as version 4 of an index and the offsets in a pack have it: seven bits a
// byte, the first byte the highest. 128 is the bytes 80 00.
func Varint(data string) (n, size int, ok bool) {
	for i := range min(len(data), 5) {
		n |= int(data[i] & 0x7f)
		if data[i] < 0x80 {
			return n, i + 1, true
		}
		n = (n + 1) << 7
	}
	return 0, 0, false
}

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
