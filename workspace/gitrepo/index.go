package gitrepo

import (
	"bytes"
	"encoding/binary"
	"errors"
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
	data, err := io.ReadAll(io.LimitReader(f, maxIndex))
	if err != nil {
		return nil, err
	}
	hash := 20
	if r.Values("extensions")["objectformat"] == "sha256" {
		hash = 32
	}
	return parseIndex(data, hash)
}

// fixedPart is the length of what comes before the hash of an entry of an index, in bytes.
const fixedPart = 40

// extendedFlag says that an entry has two more bytes of flags.
const extendedFlag = 0x4000

// parseIndex returns the names in an index (gitformat-index(5)) whose hashes have the given
// length.
func parseIndex(data []byte, hash int) (names []string, err error) {
	if len(data) < 12 || string(data[:4]) != "DIRC" {
		return nil, errIndex
	}
	version, count := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version < 2 || version > 4 {
		return nil, errIndex
	}
	var all strings.Builder // of the names, so that the rest of the index can be forgotten
	var ends []int
	rest, before := data[12:], ""
	for range count {
		head := fixedPart + hash + 2
		if len(rest) < head+2 {
			return nil, errIndex
		}
		if version > 2 && binary.BigEndian.Uint16(rest[head-2:])&extendedFlag != 0 {
			head += 2
		}
		name, kept := rest[head:], 0
		if version == 4 {
			cut, length := varint(name)
			if length == 0 || cut > len(before) {
				return nil, errIndex
			}
			name, kept, head = name[length:], len(before)-cut, head+length
		}
		end := bytes.IndexByte(name, 0)
		if end < 0 {
			return nil, errIndex
		}
		before = before[:kept] + string(name[:end])
		length := head + end + 1
		if version < 4 {
			length = (head + end + 8) &^ 7
		}
		if length > len(rest) {
			return nil, errIndex
		}
		rest = rest[length:]
		if before != "" { // an entry of a split index that stands for one in the other part
			all.WriteString(before)
			ends = append(ends, all.Len())
		}
	}
	text, from := all.String(), 0
	names = make([]string, len(ends))
	for i, end := range ends {
		names[i], from = text[from:end], end
	}
	return names, nil
}

// varint reads a number as version 4 writes it. length is 0 if there is none.
func varint(data []byte) (n, length int) {
	for i, c := range data[:min(len(data), 5)] {
		if i > 0 {
			n++
		}
		n = n<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			return n, i + 1
		}
	}
	return 0, 0
}
