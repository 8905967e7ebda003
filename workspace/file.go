package workspace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"redline/edits"
	"redline/edits/charset"
	"redline/workspace/leftover"
)

// File is the live state of a file: the open buffer if there is one, else the disk.
type File struct {
	Path   string
	URI    string
	Exists bool        // it is on disk, or open in the editor with a text
	Text   string      // without a byte order mark; also set for a buffer with !Exists, whose text is [edits.Blank]
	BOM    bool        // it has a byte order mark
	Mode   fs.FileMode // on disk; 0 when the file is not there
	Links  int         // other names of the file on disk (hard links), as far as the system tells
	Buffer *Buffer     // nil when the file is not open
	OnDisk OnDisk

	Charset charset.Charset // of the bytes on disk; not set for an open document, see [Workspace.CharsetOf]
}

// OnDisk is the state of a path on disk, whatever the editor has.
type OnDisk struct {
	Exists, IsDir bool
	Err           error // why the state is unknown
}

// Read returns the live text of path: its buffer, else the disk. A file that is neither
// open nor on disk is File{Exists: false} without an error. A [*Refusal] reports what
// cannot be text for an editor: a folder, a device, a link that leads out of the workspace,
// bytes that are neither UTF-8 nor of a known charset, more bytes than LimitOf allows.
func (w *Workspace) Read(path string) (File, error) {
	b, ok := w.Buffer(path)
	if !ok {
		return w.ReadSaved(path)
	}
	file := File{Path: path, URI: b.URI}
	if why := inGit(path); why != "" {
		return file, refuse(path, "%s", why)
	}
	if err := w.offLimitsAt(path, lookAgain); err != nil {
		return file, err
	}
	file.Buffer, file.Text, file.BOM = b, b.Lines.Text(), b.BOM
	var err error
	file.Mode, file.Links, err = w.modeOf(path)
	file.OnDisk = onDiskBy(file.Mode, err)
	file.Exists = !edits.Blank(file.Text) || !errors.Is(err, fs.ErrNotExist)
	return file, nil
}

// ReadSaved is Read for the disk only, whatever the editor has.
func (w *Workspace) ReadSaved(path string) (File, error) {
	return w.ReadSavedUpTo(path, w.LimitOf(path))
}

// ReadSavedUpTo is ReadSaved for a file of at most limit bytes, whatever others may have.
func (w *Workspace) ReadSavedUpTo(path string, limit int64) (File, error) {
	file, err := w.saved(path, limit)
	file.URI = w.URI(path)
	return file, err
}

// saved returns the file on disk at path, without its URI.
func (d *files) saved(path string, limit int64) (File, error) {
	file := File{Path: path}
	r, rel, err := d.roots.resolve(path)
	if err != nil {
		return file, err
	}
	data, info, err := r.readRegular(path, rel, limit)
	if errors.Is(err, fs.ErrNotExist) {
		return file, nil
	}
	if err != nil {
		return file, err
	}
	is, why := d.decode(path, data)
	if why != "" {
		return file, refuse(path, "%s", why)
	}
	file.Text, file.BOM, file.Charset = is.text, is.bom, is.charset
	file.Exists, file.Mode, file.Links, file.OnDisk = true, info.Mode(), otherNames(info), OnDisk{Exists: true}
	return file, nil
}

// otherNames returns how many names besides the one that was asked for a regular file has.
func otherNames(info fs.FileInfo) int {
	if !info.Mode().IsRegular() {
		return 0
	}
	return max(0, int(linksOf(info))-1)
}

// files owns the files on disk below the workspace folders.
type files struct {
	roots   *rootSet
	maxFile int64
	carried carried
	left    *leftover.Ledger

	charsets []CharsetRule // see [Options].Charsets
	shown    sync.Map      // path → charset.Charset in which an editor has shown a file that no rule names
	had      sync.Map      // path → charset.Charset of a file before Redline took its last character beyond ASCII out
}

// Leftovers returns the ledger of temporary files, see package leftover.
func (d *files) Leftovers() *leftover.Ledger { return d.left }

// Stat reports whether path exists on disk, and whether it is a folder. An open buffer that
// was never saved does not exist.
func (d *files) Stat(path string) (exists, isDir bool, err error) {
	mode, _, err := d.modeOf(path)
	is := onDiskBy(mode, err)
	return is.Exists, is.IsDir, is.Err
}

// onDiskBy turns the result of modeOf into an OnDisk.
func onDiskBy(mode fs.FileMode, err error) OnDisk {
	if errors.Is(err, fs.ErrNotExist) {
		return OnDisk{}
	}
	return OnDisk{err == nil, mode.IsDir(), err}
}

// modeOf returns the mode of the file that path leads to, and how many other names it has. The
// error is a refusal, or satisfies errors.Is(err, fs.ErrNotExist).
func (d *files) modeOf(path string) (mode fs.FileMode, links int, err error) {
	dir, rel, err := d.roots.openAt(path, d.roots.resolve)
	if err != nil {
		return 0, 0, err
	}
	info, err := dir.Lstat(rel)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, 0, fs.ErrNotExist
	}
	if err != nil {
		return 0, 0, refuseFor(path, "read", err)
	}
	return info.Mode(), otherNames(info), nil
}

// readRegular returns the bytes of the regular file rel, which contains no symbolic link.
// It never waits for a FIFO or a device and never reads more than limit bytes. Refusals
// call the file path. The error for a missing file satisfies errors.Is(err,
// fs.ErrNotExist).
func (r *root) readRegular(path, rel string, limit int64) ([]byte, fs.FileInfo, error) {
	dir, err := r.open()
	if err != nil {
		return nil, nil, err
	}
	// Look first: opening a device can have effects.
	info, err := dir.Lstat(rel)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fs.ErrNotExist
	}
	if err == nil {
		err = regular(path, info, limit)
	}
	if err != nil {
		return nil, nil, refuseFor(path, "read", err)
	}
	return readKnown(dir, path, rel, limit)
}

// readKnown is readRegular for a file that is known to be regular.
func readKnown(dir *os.Root, path, rel string, limit int64) ([]byte, fs.FileInfo, error) {
	f, err := dir.OpenFile(rel, os.O_RDONLY|nonblock, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fs.ErrNotExist
	}
	if err != nil {
		return nil, nil, refuseFor(path, "read", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		err = regular(path, info, limit)
	}
	if err != nil {
		return nil, nil, refuseFor(path, "read", err)
	}
	buf := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	if _, err := buf.ReadFrom(io.LimitReader(f, limit+1)); err != nil {
		return nil, nil, refuseFor(path, "read", err)
	}
	if int64(buf.Len()) > limit {
		return nil, nil, tooLarge(path, int64(buf.Len()), limit) // it has grown
	}
	return buf.Bytes(), info, nil
}

func regular(path string, info fs.FileInfo, limit int64) error {
	switch {
	case info.IsDir():
		return refuse(path, "is a folder; name a file in it")
	case !info.Mode().IsRegular():
		return refuse(path, "is a device, pipe or socket, not a file")
	case info.Size() > limit:
		return tooLarge(path, info.Size(), limit)
	}
	return nil
}

func tooLarge(path string, size, limit int64) error {
	return refuse(path, "has %d bytes, and at most %d of a file are read (limits.max_file); continue without it", size, limit)
}

// notText returns why data is not text that an editor and an edit can share, and what to
// do, or "".
func notText(data []byte) string {
	switch {
	case isUTF16(data):
		return "is UTF-16 text without a byte order mark; ask the user to convert it to UTF-8, or to name its charset in .editorconfig"
	case bytes.IndexByte(data, 0) >= 0:
		return "is a binary file (it has NUL bytes); only text can be read and edited, so continue without it"
	case !utf8.Valid(data):
		return "is not valid UTF-8; ask the user to convert it, or to name its charset in .editorconfig"
	}
	return ""
}

// compareDisk reports whether text differs from the file on disk at path, and whether that
// file has a byte order mark. It ignores the mark and the kind of line ending, since some
// editors keep them out of the text. An empty text equals a missing file; a file that
// cannot be read differs.
func (d *files) compareDisk(path, text string) (differs, bom bool) {
	r, rel, err := d.roots.resolve(path)
	if err != nil {
		return true, false
	}
	limit := max(d.LimitOf(path), int64(len(edits.BOM)+2*len(text))) // its line ends may be longer on disk
	data, _, err := r.readRegular(path, rel, limit)
	if errors.Is(err, fs.ErrNotExist) {
		return text != "", false
	}
	if err != nil {
		return true, false
	}
	there, bom := edits.CutBOM(string(data))
	if plainEnds(text) == plainEnds(there) {
		return false, bom
	}
	return d.compareCharset(path, text, data)
}

func plainEnds(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// hasBOM reports whether the file on disk at path has a byte order mark.
func (d *files) hasBOM(path string) bool {
	dir, rel, err := d.roots.openAt(path, d.roots.resolve)
	if err != nil {
		return false
	}
	if info, err := dir.Lstat(rel); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := dir.OpenFile(rel, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	start := make([]byte, len(edits.BOM))
	n, _ := io.ReadFull(f, start)
	return string(start[:n]) == edits.BOM || charset.ByMark(start[:n]) != charset.UTF8
}

// maxLooked is how many bytes of a file are examined for its encoding.
const maxLooked = 4 << 10

// isUTF16 reports whether data is UTF-16 text: it has that byte order mark, or nearly every
// other byte is NUL, as in Latin-1 text. Other text without the mark cannot be
// distinguished from a binary file.
func isUTF16(data []byte) bool {
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return true
	}
	if len(data)%2 != 0 || bytes.IndexByte(data, 0) < 0 {
		return false
	}
	data = data[:min(len(data), maxLooked)]
	return readsAs(data, binary.LittleEndian) || readsAs(data, binary.BigEndian)
}

// readsAs reports whether data, as UTF-16 in the given byte order, holds only text
// characters, at least three in four of them Latin-1.
func readsAs(data []byte, order binary.ByteOrder) bool {
	latin := 0
	for i := 0; i+1 < len(data); i += 2 {
		r := rune(order.Uint16(data[i:]))
		if utf16.IsSurrogate(r) {
			if i += 2; i+1 >= len(data) {
				return len(data) == maxLooked // the limit cut it off here
			}
			r = utf16.DecodeRune(r, rune(order.Uint16(data[i:])))
		}
		switch {
		case r == '\t', r == '\n', r == '\r', r == '\f':
			latin++
		case !unicode.IsGraphic(r) && !unicode.Is(unicode.Cf, r), r == unicode.ReplacementChar:
			return false
		case r <= unicode.MaxLatin1:
			latin++
		}
	}
	return latin > 0 && latin*8 >= 3*len(data)
}

// Stamp shows, without reading a file on disk, whether it may have changed. The zero Stamp
// differs from every other.
type Stamp struct {
	taken time.Time
	info  fs.FileInfo // nil if there is no file
	why   string      // why the file cannot be examined, "" if it can
}

// Stamp returns the stamp of the file on disk at path, whatever the editor has.
func (d *files) Stamp(path string) Stamp {
	s := Stamp{taken: time.Now()}
	info, err := d.infoOf(path)
	switch {
	case err == nil:
		s.info = info
	case !errors.Is(err, fs.ErrNotExist):
		s.why = err.Error()
	}
	return s
}

// There reports whether the file existed.
func (s Stamp) There() bool { return s.info != nil }

// sameTime is how soon after one change another may leave a file with the same time: the
// resolution of file times.
const sameTime = 2 * time.Second

// Differs reports whether the file may have changed between two stamps, of which old was
// taken first. A file that was changed just before old was taken may have changed again
// with the same time and size.
func (s Stamp) Differs(old Stamp) bool {
	switch {
	case old.taken.IsZero() || s.why != old.why || (s.info == nil) != (old.info == nil):
		return true
	case s.info == nil:
		return false
	}
	return !os.SameFile(s.info, old.info) || s.info.Size() != old.info.Size() || s.info.Mode() != old.info.Mode() ||
		!s.info.ModTime().Equal(old.info.ModTime()) || changeTime(s.info) != changeTime(old.info) || old.taken.Sub(old.info.ModTime()).Abs() < sameTime
}
