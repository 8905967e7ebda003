package audit

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
)

// keySize is the length of a key in bytes.
const keySize = 32

// Head is what is known of the log outside of it: the key of its hashes, and
// how far it goes. Whoever can write both the log and its head can make up any
// log.
type Head struct {
	Key   []byte
	Since int64 // so many records were there when the key was made: it cannot vouch for them
	Base  Link  // the last record that was dropped, on purpose, at the beginning
	Last  Link  // the last record
}

// ErrBadHead says that a text is not a head.
var ErrBadHead = errors.New("it is damaged")

// NewHead makes the head, with a new key, of a log that ends at the given place.
func NewHead(last Link) Head {
	key := make([]byte, keySize)
	rand.Read(key) // never fails
	return Head{Key: key, Since: last.Count, Last: last}
}

// headJSON is a Head as it is written.
type headJSON struct {
	Version int    `json:"version"`
	Key     string `json:"key"`
	Since   int64  `json:"since"`
	Base    Link   `json:"base"`
	Last    Link   `json:"last"`
	Sum     string `json:"sum,omitzero"` // over the rest: what was half written is not read
}

const headVersion = 1

// A head is kept twice, in two slots of a file. What is written goes into the
// slot that has the older one, so that the other stays good if it is cut off.
// A slot is a sector of a disk.
const (
	SlotSize = 512
	slots    = 2
)

// Encode returns the head as the content of a slot: a line of JSON.
func (h Head) Encode() ([]byte, error) {
	j := headJSON{Version: headVersion, Key: hex.EncodeToString(h.Key), Since: h.Since, Base: h.Base, Last: h.Last}
	line, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	j.Sum = sum(h.Key, string(line))
	if line, err = json.Marshal(j); err != nil {
		return nil, err
	}
	if len(line) >= SlotSize {
		return nil, fmt.Errorf("the head of the audit log has become too long: %d bytes", len(line))
	}
	return append(line, strings.Repeat(" ", SlotSize-1-len(line))+"\n"...), nil
}

// DecodeHead returns the newer of the heads in the slots of a file, and where
// the next one is to be written. It fails with [ErrBadHead] when neither can be
// read.
func DecodeHead(text []byte) (h Head, next int64, err error) {
	found := false
	for i := range slots {
		from, to := min(i*SlotSize, len(text)), min((i+1)*SlotSize, len(text))
		one, why := decodeSlot(text[from:to])
		if why != nil {
			err = why
			continue
		}
		if !found || one.Last.Count > h.Last.Count || one.Last == h.Last && one.Base.Count > h.Base.Count {
			h, next, found = one, int64((i+1)%slots*SlotSize), true
		}
	}
	if found {
		return h, next, nil
	}
	return Head{}, 0, err
}

func decodeSlot(text []byte) (Head, error) {
	var j headJSON
	if err := json.Unmarshal(text, &j, json.RejectUnknownMembers(true)); err != nil {
		return Head{}, fmt.Errorf("%w (%s)", ErrBadHead, err)
	}
	key, err := hex.DecodeString(j.Key)
	h := Head{key, j.Since, j.Base, j.Last}
	switch {
	case j.Version != headVersion:
		return Head{}, fmt.Errorf("%w (its version is %d)", ErrBadHead, j.Version)
	case err != nil || len(key) != keySize:
		return Head{}, fmt.Errorf("%w (its key has not %d bytes)", ErrBadHead, keySize)
	case j.Since < 0 || j.Base.Count < 0 || j.Last.Count < j.Base.Count || j.Last.Count < j.Since:
		return Head{}, fmt.Errorf("%w (its counts contradict each other)", ErrBadHead)
	}
	if whole, err := h.Encode(); err != nil || !bytes.Equal(whole, text) {
		return Head{}, fmt.Errorf("%w (it is not as it was written)", ErrBadHead)
	}
	return h, nil
}
