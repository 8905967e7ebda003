package git

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"sort"
	"strings"

	"redline/workspace/gitrepo"
)

// Limits of objects that are read without Git.
const (
	maxObject = 8 << 20 // bytes
	maxPacks  = 200     // packs of a repository
	maxDeltas = 60      // objects that one is made from; Git makes at most 50
)

var errObject = errors.New("the object cannot be read without Git")

// objects reads commits and trees from the files of a repository (gitformat-pack(5)).
type objects struct {
	common *os.Root
	packs  []string // paths of the packs without their ending; nil until needed
	listed bool
}

// The types of objects in a pack.
const (
	commitType = 1
	treeType   = 2
	tagType    = 4
	offsetBase = 6 // a delta; its base is in the same pack
	namedBase  = 7 // a delta; its base has a name
)

// read returns the content of the object with a name of 20 bytes, which must have a type.
func (o *objects) read(name string, kind int) ([]byte, error) {
	if len(name) != 20 {
		return nil, errObject
	}
	text, found, err := o.loose(name)
	if err == nil {
		found, text, err = o.packed(name, found, text, 0)
	}
	if err == nil && found != kind {
		err = errObject
	}
	return text, err
}

// loose reads an object from a file of its own. The type is 0 if there is none.
func (o *objects) loose(name string) (text []byte, kind int, err error) {
	id := hex.EncodeToString([]byte(name))
	f, ok := openRegular(o.common, "objects/"+id[:2]+"/"+id[2:], maxObject)
	if !ok {
		return nil, 0, nil
	}
	defer f.Close()
	all, err := inflate(f, maxObject)
	if err != nil {
		return nil, 0, err
	}
	header, text, ok := bytes.Cut(all, []byte{0})
	word, _, _ := strings.Cut(string(header), " ")
	kind = map[string]int{"commit": commitType, "tree": treeType, "tag": tagType}[word]
	if !ok || kind == 0 {
		return nil, 0, errObject
	}
	return text, kind, nil
}

// inflate decompresses at most limit bytes; more are an error.
func inflate(from io.Reader, limit int64) ([]byte, error) {
	z, err := zlib.NewReader(from)
	if err != nil {
		return nil, errObject
	}
	defer z.Close()
	text, err := io.ReadAll(io.LimitReader(z, limit+1))
	if err != nil || int64(len(text)) > limit {
		return nil, errObject
	}
	return text, nil
}

// packed reads an object from the packs, unless it was found already.
func (o *objects) packed(name string, found int, text []byte, depth int) (int, []byte, error) {
	if found != 0 {
		return found, text, nil
	}
	if !o.listed {
		o.listed = true
		files, _ := fs.ReadDir(o.common.FS(), "objects/pack") // none: no packs
		for _, file := range files {
			if base, ok := strings.CutSuffix(file.Name(), ".idx"); ok && len(o.packs) < maxPacks {
				o.packs = append(o.packs, "objects/pack/"+base)
			}
		}
	}
	for _, pack := range o.packs {
		at, ok := o.find(pack, name)
		if !ok {
			continue
		}
		f, ok := openRegular(o.common, pack+".pack", 1<<40)
		if !ok {
			return 0, nil, errObject
		}
		defer f.Close()
		return o.inPack(f, at, depth)
	}
	return 0, nil, errObject
}

// find looks an object up in the index of a pack, and returns its position in the pack.
func (o *objects) find(pack, name string) (at int64, ok bool) {
	f, ok := openRegular(o.common, pack+".idx", 1<<40)
	if !ok {
		return 0, false
	}
	defer f.Close()
	const fanOut, names = 8, 8 + 256*4
	bytesAt := func(at int64, n int) []byte {
		part := make([]byte, n)
		if _, err := f.ReadAt(part, at); err != nil {
			ok = false
		}
		return part
	}
	number := func(at int64) int64 { return int64(binary.BigEndian.Uint32(bytesAt(at, 4))) }
	if head := bytesAt(0, 8); string(head) != "\xfftOc\x00\x00\x00\x02" {
		return 0, false
	}
	first := int64(0)
	if name[0] > 0 {
		first = number(fanOut + 4*(int64(name[0])-1))
	}
	last, all := number(fanOut+4*int64(name[0])), number(fanOut+4*255)
	if !ok || first > last || last > all {
		return 0, false
	}
	n := first + int64(sort.Search(int(last-first), func(i int) bool {
		return string(bytesAt(names+20*(first+int64(i)), 20)) >= name
	}))
	if !ok || n == last || string(bytesAt(names+20*n, 20)) != name {
		return 0, false
	}
	offsets := names + 24*all
	at = number(offsets + 4*n)
	if at&(1<<31) != 0 { // it is in the table of long ones
		at = int64(binary.BigEndian.Uint64(bytesAt(offsets+4*all+8*(at&(1<<31-1)), 8)))
	}
	return at, ok && at > 0
}

// inPack reads the object at a position of a pack.
func (o *objects) inPack(f *os.File, at int64, depth int) (kind int, text []byte, err error) {
	head := make([]byte, 64)
	n, err := f.ReadAt(head, at)
	if err != nil && err != io.EOF || n == 0 || depth > maxDeltas {
		return 0, nil, errObject
	}
	head = head[:n]
	kind = int(head[0] >> 4 & 7)
	i := 1
	for ; head[i-1] >= 0x80; i++ { // the size, which decompression shows too
		if i == len(head) {
			return 0, nil, errObject
		}
	}
	body := at + int64(i)
	var base []byte
	switch kind {
	case offsetBase:
		back, size, ok := gitrepo.Varint(string(head[i:]))
		if !ok || back <= 0 || int64(back) >= at {
			return 0, nil, errObject
		}
		body += int64(size)
		kind, base, err = o.inPack(f, at-int64(back), depth+1)
	case namedBase:
		if len(head)-i < 20 {
			return 0, nil, errObject
		}
		name := string(head[i : i+20])
		body += 20
		if base, kind, err = o.loose(name); err == nil {
			kind, base, err = o.packed(name, kind, base, depth+1)
		}
	case commitType, treeType:
		text, err = inflate(io.NewSectionReader(f, body, maxObject), maxObject)
		return kind, text, err
	default:
		return 0, nil, errObject
	}
	if err != nil {
		return 0, nil, err
	}
	delta, err := inflate(io.NewSectionReader(f, body, maxObject), maxObject)
	if err != nil {
		return 0, nil, err
	}
	text, err = applyDelta(base, delta)
	return kind, text, err
}

// applyDelta returns the object that a delta makes from its base.
func applyDelta(base, delta []byte) ([]byte, error) {
	from, delta := deltaSize(delta)
	to, delta := deltaSize(delta)
	if from != len(base) || to < 0 || to > maxObject {
		return nil, errObject
	}
	text := make([]byte, 0, to)
	for len(delta) > 0 {
		op := delta[0]
		delta = delta[1:]
		if op < 0x80 { // insert
			if op == 0 || int(op) > len(delta) {
				return nil, errObject
			}
			text, delta = append(text, delta[:op]...), delta[op:]
		} else { // copy
			var numbers [7]int
			for i := range numbers {
				if op&(1<<i) == 0 {
					continue
				}
				if len(delta) == 0 {
					return nil, errObject
				}
				numbers[i], delta = int(delta[0]), delta[1:]
			}
			at := numbers[0] | numbers[1]<<8 | numbers[2]<<16 | numbers[3]<<24
			n := numbers[4] | numbers[5]<<8 | numbers[6]<<16
			n = cmp.Or(n, 1<<16)
			if at < 0 || at > len(base) || n > len(base)-at {
				return nil, errObject
			}
			text = append(text, base[at:at+n]...)
		}
		if len(text) > to {
			return nil, errObject
		}
	}
	if len(text) != to {
		return nil, errObject
	}
	return text, nil
}

// deltaSize reads a size at the beginning of a delta, -1 if there is none.
func deltaSize(delta []byte) (n int, rest []byte) {
	for i := range min(len(delta), 5) {
		n |= int(delta[i]&0x7f) << (7 * i)
		if delta[i] < 0x80 {
			return n, delta[i+1:]
		}
	}
	return -1, nil
}

// leaf is an entry of a tree object.
type leaf struct {
	mode   uint32
	name   string
	object string // 20 bytes
}

const folderMode, linkMode, moduleMode = 0o040000, 0o120000, 0o160000

// tree returns the entries of a tree.
func (o *objects) tree(name string) (leaves []leaf, err error) {
	data, err := o.read(name, treeType)
	text := string(data)
	for err == nil && text != "" {
		mode, rest, ok := strings.Cut(text, " ")
		called, rest, ok2 := strings.Cut(rest, "\x00")
		var bits uint32
		for _, c := range []byte(mode) {
			if c < '0' || c > '7' || len(mode) > 6 {
				return nil, errObject
			}
			bits = bits<<3 | uint32(c-'0')
		}
		if !ok || !ok2 || len(rest) < 20 || strings.Contains(called, "/") || !isIndexPath(called) {
			return nil, errObject
		}
		leaves = append(leaves, leaf{bits, called, rest[:20]})
		text = rest[20:]
	}
	return leaves, err
}

// treeOf returns the name of a commit's tree, as 20 bytes.
func (o *objects) treeOf(commit string) (string, error) {
	text, err := o.read(commit, commitType)
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	id, ok := strings.CutPrefix(line, "tree ")
	name, err := hex.DecodeString(id)
	if !ok || err != nil || len(name) != 20 {
		return "", errObject
	}
	return string(name), nil
}
