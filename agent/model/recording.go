package model

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"redline/internal/lazyregexp"
)

// A recording is a directory with a file for each request to a provider,
// NNNN.json, numbered as the requests were made. docs/reference/records.md explains the
// members of recorded.

// recordedFormat is the first member of each file. Later formats have other numbers.
const recordedFormat = "redline exchange 1"

// recorded is one request and its answer.
type recorded struct {
	Format   string            `json:"format"`
	Turn     string            `json:"turn,omitempty"`
	Began    time.Time         `json:"began"`
	Endpoint string            `json:"endpoint"`           // without user, password and query
	Request  json.RawMessage   `json:"request"`            // the body
	Response *recordedResponse `json:"response,omitempty"` // nil if no answer came
	Failure  string            `json:"failure,omitempty"`  // why no answer came

	file string // its name
}

// recordedResponse is an HTTP answer.
type recordedResponse struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"` // those in keptHeaders
	Body    []recordedPiece   `json:"body"`
	Ended   bool              `json:"ended"` // the whole body was read
}

// keptHeaders are the headers that change how an answer is read.
var keptHeaders = []string{"Content-Type", "Retry-After"}

// recordedPiece is the part of an answer that arrived at once, in whole lines.
type recordedPiece struct {
	Ms     int64  `json:"ms"`               // milliseconds since the request
	Text   string `json:"text,omitempty"`   // unchanged
	Base64 []byte `json:"base64,omitempty"` // instead of Text, if it is not UTF-8
}

func pieceOf(ms int64, data []byte) recordedPiece {
	if utf8.Valid(data) {
		return recordedPiece{Ms: ms, Text: string(data)}
	}
	return recordedPiece{Ms: ms, Base64: data}
}

func (p recordedPiece) bytes() []byte {
	if p.Base64 != nil {
		return p.Base64
	}
	return []byte(p.Text)
}

var recordedName = lazyregexp.New(`^(\d{4,9})\.json$`)

// numbersIn returns the numbers of the files of a recording, in order.
func numbersIn(dir string) ([]int, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var numbers []int
	for _, e := range entries {
		if of := recordedName().FindStringSubmatch(e.Name()); of != nil {
			n, _ := strconv.Atoi(of[1]) // nine digits at most
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

func nameOf(number int) string { return fmt.Sprintf("%04d.json", number) }

// readRecording reads all files of a recording, in order.
func readRecording(dir string) ([]*recorded, error) {
	numbers, err := numbersIn(dir)
	if err != nil {
		return nil, err
	}
	var all []*recorded
	for _, n := range numbers {
		data, err := os.ReadFile(filepath.Join(dir, nameOf(n)))
		if err != nil {
			return nil, err
		}
		r := &recorded{file: nameOf(n)}
		if err := json.Unmarshal(data, r); err != nil {
			return nil, fmt.Errorf("%s is not JSON", nameOf(n))
		}
		if r.Format != recordedFormat {
			return nil, fmt.Errorf("%s is not of the format %q", nameOf(n), recordedFormat)
		}
		all = append(all, r)
	}
	return all, nil
}

// recordedInfo returns the model of a recording, from its first exchange.
func recordedInfo(c Config) Info {
	info := Info{Provider: "replay", Name: cmp.Or(c.Name, "recorded")}
	all, err := readRecording(c.Replay)
	if err != nil || len(all) == 0 { // the first request will report it
		return info
	}
	var asked struct{ Model string }
	if all[0].Endpoint == builtinURL {
		return Info{Provider: "builtin", Name: Name}
	}
	if json.Unmarshal(all[0].Request, &asked) == nil {
		info.Name = cmp.Or(c.Name, asked.Model, info.Name)
	}
	return info
}

// write replaces the file of an exchange atomically.
func (r *recorded) write(dir string) error {
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".exchange-*") // of mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(append(data, '\n'))
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, r.file))
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
