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

// Head is what is known about the log from outside of it: the key of its hashes, and its end.
// Whoever can write both the log and its head can forge the log.
type Head struct {
	Key   []byte
	Since int64 // how many records there were when the key was made: it cannot authenticate them
	Base  Link  // the last record that was removed, on purpose, from the beginning
	Last  Link  // the last record
}

// ErrBadHead means that a text is not a head.
var ErrBadHead = errors.New("it is damaged")

// NewHead makes the head, with a new key, of a log that ends at the given place.
func NewHead(last Link) Head {
	key := make([]byte, keySize)
	rand.Read(key) // never fails
	return Head{Key: key, Since: last.Count, Last: last}
}

// headJSON is the stored form of a Head.
type headJSON struct {
	Version int    `json:"version"`
	Key     string `json:"key"`
	Since   int64  `json:"since"`
	Base    Link   `json:"base"`
	Last    Link   `json:"last"`
	Sum     string `json:"sum,omitzero"` // checksum of the rest, so that a half-written head is not read
}

const headVersion = 1

// A head is stored twice, in two slots of a file. A new head goes into the slot with the older
// one, so that the other stays good if writing is cut off. A slot is a sector of a disk.
const (
	SlotSize = 512
	slots    = 2
)

// Encode returns the head as the content of a slot, a line of JSON: {"version":1,"key":"9f…",
// "since":0,"base":{"count":0,"hash":""},"last":{"count":3,"hash":"hmac-sha256:5d41…"},"sum":"…"}.
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

// DecodeHead returns the newer of the heads in the slots of a file, and the slot for the next
// one. It fails with [ErrBadHead] if neither can be read.
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
