package store

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"os"
)

// The sizes, in bytes, of the header of a write-ahead log and of each of its frames, after which a
// page follows (https://sqlite.org/fileformat2.html#walformat).
const (
	walHeader   = 32
	frameHeader = 24
)

var (
	errWAL       = errors.New("its write-ahead log has a damaged place before changes that were kept")
	errWALHeader = errors.New("its write-ahead log has a damaged header before changes that were kept")
)

// walDamage fails if the write-ahead log of a database has a committed transaction after a
// damaged place: SQLite would take the log to end there and overwrite the rest. A last
// transaction that is incomplete, as after a power failure, is no damage. It leaves a log that
// it cannot read to SQLite.
func walDamage(database string) error {
	file, err := os.Open(database + "-wal")
	if err != nil {
		return nil //nolint:nilerr // see above
	}
	defer file.Close()
	in := bufio.NewReaderSize(file, 1<<20)
	header := make([]byte, walHeader)
	if _, err := io.ReadFull(in, header); err != nil {
		return nil //nolint:nilerr // it was cut off before it had any content
	}
	w := newWALReader(header)
	for {
		frame := make([]byte, frameHeader+w.page)
		if _, err := io.ReadFull(in, frame); err != nil {
			break // its end
		}
		if w.lost(frame) {
			return errWAL
		}
	}
	if w.headless && !w.inDatabase(database) {
		return errWALHeader
	}
	return nil
}

// walReader follows the checksums of a write-ahead log.
type walReader struct {
	order  binary.ByteOrder
	page   int     // bytes
	salts  [8]byte // of the current log; frames with other salts are from an earlier one
	s0, s1 uint32  // the checksum so far
	broken bool    // SQLite would not read the rest
	commit bool    // a transaction ends after the damaged place

	// headless: the header is damaged, so SQLite would read nothing of the log. A
	// half-written header, from when the log is reused, looks the same: then the database has
	// everything that is in the log.
	headless bool
	open     map[uint32][sha256.Size]byte // pages of the transaction being read
	kept     map[uint32][sha256.Size]byte // pages of the committed ones
}

func newWALReader(header []byte) *walReader {
	w := &walReader{order: binary.LittleEndian, page: int(binary.BigEndian.Uint32(header[8:]))}
	if header[3]&1 == 1 {
		w.order = binary.BigEndian
	}
	w.sum(header[:24])
	magic := binary.BigEndian.Uint32(header) &^ 1
	if sound := w.page >= 512 && w.page <= 1<<16 && w.page&(w.page-1) == 0; !sound || magic != 0x377f0682 || !w.is(header[24:]) {
		w.headless = true
		w.open, w.kept = map[uint32][sha256.Size]byte{}, map[uint32][sha256.Size]byte{}
		if !sound {
			w.page = 4096 // Redline's page size
		}
		return w
	}
	w.salts = [8]byte(header[16:])
	return w
}

// sum continues the checksum over data.
func (w *walReader) sum(data []byte) {
	for ; len(data) >= 8; data = data[8:] {
		w.s0 += w.order.Uint32(data) + w.s1
		w.s1 += w.order.Uint32(data[4:]) + w.s0
	}
}

// is reports whether the checksum is the stored one.
func (w *walReader) is(stored []byte) bool {
	return binary.BigEndian.Uint32(stored) == w.s0 && binary.BigEndian.Uint32(stored[4:]) == w.s1
}

// lost reads the next frame and reports whether a committed transaction follows a damaged place.
// Each transaction is on disk before the next is written, so one that is followed by another was
// committed.
func (w *walReader) lost(frame []byte) bool {
	if w.headless {
		w.keep(frame)
		return false
	}
	ours := [8]byte(frame[8:]) == w.salts
	if !w.broken && ours {
		w.sum(frame[:8])
		w.sum(frame[frameHeader:])
		if w.is(frame[16:]) {
			return false
		}
	}
	w.broken = true
	switch {
	case !ours:
		return false
	case w.commit:
		return true
	}
	w.commit = binary.BigEndian.Uint32(frame[4:]) != 0
	return false
}

// keep notes the page of a frame of a log that has no header.
func (w *walReader) keep(frame []byte) {
	if len(w.kept)+len(w.open) == 0 {
		w.salts = [8]byte(frame[8:])
	} else if [8]byte(frame[8:]) != w.salts {
		return
	}
	w.open[binary.BigEndian.Uint32(frame)] = sha256.Sum256(frame[frameHeader:])
	if pages := binary.BigEndian.Uint32(frame[4:]); pages != 0 { // it ends a transaction
		maps.Copy(w.kept, w.open)
		maps.DeleteFunc(w.kept, func(number uint32, _ [sha256.Size]byte) bool { return number > pages }) // the database was truncated
		w.open = map[uint32][sha256.Size]byte{}
	}
}

// inDatabase reports whether the database has all committed pages of the log.
func (w *walReader) inDatabase(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	page := make([]byte, w.page)
	for number, sum := range w.kept {
		if _, err := file.ReadAt(page, int64(number-1)*int64(w.page)); err != nil || sha256.Sum256(page) != sum {
			return false
		}
	}
	return true
}
