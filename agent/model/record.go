package model

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"redline/internal/lazyregexp"
	"redline/internal/smallfile"
)

// recorder records every exchange that goes through it as a [recorded]. It keeps only the
// answer's headers in keptHeaders. If an exchange cannot be recorded, the next request fails,
// because a recording with a gap is useless.
type recorder struct {
	base     http.RoundTripper
	dir      string
	endpoint string
	redact   redactor
	failed   func(Kind) *Error

	mu     sync.Mutex
	last   int   // the number of the newest file, once known
	broken error // why an exchange could not be recorded
}

type labelKey struct{}

// Labelled returns a context whose requests are recorded as those of a turn.
func Labelled(ctx context.Context, turn string) context.Context {
	return context.WithValue(ctx, labelKey{}, turn)
}

// RoundTrip sends the request and records it with its answer.
func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	req = req.Clone(req.Context())
	req.Body = io.NopCloser(bytes.NewReader(body))
	turn, _ := req.Context().Value(labelKey{}).(string)
	x := &recorded{Format: recordedFormat, Turn: turn, Began: time.Now().UTC(), Endpoint: r.endpoint, Request: json.RawMessage(r.redact.document(body))}
	if !json.Valid(x.Request) { // go-openai writes nothing else
		x.Request = json.RawMessage("null")
	}
	if err := r.begin(x); err != nil {
		return nil, r.unkept(err)
	}
	resp, err := r.base.RoundTrip(req)
	if err != nil {
		x.Failure = r.redact.replace.Replace(plainFailure(err))
		r.keep(x)
		return nil, err
	}
	x.Response = &recordedResponse{Status: resp.StatusCode, Headers: map[string]string{}}
	for _, name := range keptHeaders {
		if value := resp.Header.Get(name); value != "" {
			x.Response.Headers[name] = r.redact.replace.Replace(value)
		}
	}
	resp.Body = &recordedBody{from: resp.Body, by: r, exchange: x}
	return resp, nil
}

// plainFailure returns the innermost reason of an error, which contains no address.
func plainFailure(err error) string {
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return err.Error()
}

func (r *recorder) unkept(err error) *Error {
	e := r.failed(KindNotKept)
	e.Detail = plainFailure(err)
	return e
}

// begin creates the file of an exchange.
func (r *recorder) begin(x *recorded) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.broken != nil {
		return r.broken
	}
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return err
	}
	if r.last == 0 {
		numbers, err := numbersIn(r.dir)
		if err != nil {
			return err
		}
		if n := len(numbers); n > 0 {
			r.last = numbers[n-1]
		}
	}
	for { // another process may record there too
		r.last++
		x.file = nameOf(r.last)
		f, err := os.OpenFile(filepath.Join(r.dir, x.file), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			f.Close()
			return x.write(r.dir)
		}
		if !errors.Is(err, os.ErrExist) {
			return err
		}
	}
}

// keep writes a finished exchange.
func (r *recorder) keep(x *recorded) {
	if err := x.write(r.dir); err != nil {
		r.mu.Lock()
		r.broken = err
		r.mu.Unlock()
	}
}

// recordedBody is the body of an answer, recorded as it is read.
type recordedBody struct {
	from     io.ReadCloser
	by       *recorder
	exchange *recorded

	line []byte // the start of a line
	size int
	over bool
}

func (b *recordedBody) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if n > 0 && b.size < maxBody {
		b.size += n
		b.line = append(b.line, p[:n]...)
		if end := bytes.LastIndexByte(b.line, '\n') + 1; end > 0 {
			b.piece(b.line[:end])
			b.line = append([]byte(nil), b.line[end:]...)
		}
	}
	if err != nil {
		b.exchange.Response.Ended = err == io.EOF
		b.finish()
	}
	return n, err
}

func (b *recordedBody) piece(data []byte) {
	if len(data) > 0 {
		r := b.exchange.Response
		r.Body = append(r.Body, pieceOf(time.Since(b.exchange.Began).Milliseconds(), bytes.Clone(data)))
	}
}

func (b *recordedBody) Close() error {
	b.finish()
	return b.from.Close()
}

// finish records what has arrived, once.
func (b *recordedBody) finish() {
	if b.over {
		return
	}
	b.over = true
	b.piece(b.line)
	// Clients read a stream only up to its last event.
	r := b.exchange.Response
	if n := len(r.Body); n > 0 && strings.HasSuffix(strings.TrimSpace(r.Body[n-1].Text), "data: [DONE]") {
		r.Ended = true
	}
	b.by.redact.body(b.exchange.Response.Body)
	b.by.keep(b.exchange)
}

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

// recordedName matches the name of a file of a recording: 0012.json.
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
		return Info{Provider: "builtin", Name: builtinName}
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
	return smallfile.Replace(filepath.Join(dir, r.file), append(data, '\n'), nil)
}
