package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
)

const (
	bufferSize = 64 << 10
	// prefixSize is how many bytes of a skipped frame are kept, to find its id.
	prefixSize = 1 << 10
)

// framer cuts a byte stream into JSON texts by the LSP base protocol (LSP 3.18, "Base Protocol").
// It never gives up on bad input: it reports whatever is not a frame and skips to the next
// Content-Length header. That search is safe, because a header line (digits, then a real line end)
// cannot occur inside valid JSON, where line ends in strings are escaped.
type framer struct {
	src   io.Reader
	store []byte // store[start:end] was read and is not used yet
	start int
	end   int
	max   int // longest body that is held in memory, in bytes
	// report is called for each stretch of bad input; prefix holds the first bytes of a frame
	// that was too long, else nil.
	report func(reason string, prefix []byte)
}

func newFramer(src io.Reader, max int, report func(string, []byte)) *framer {
	return &framer{src: src, store: make([]byte, bufferSize), max: max, report: report}
}

// next returns the body of the next frame: one valid JSON text in a slice of its own. The error is
// io.EOF at a clean end, io.ErrUnexpectedEOF inside a frame, else the source's error.
func (f *framer) next() ([]byte, error) {
	for {
		length, err := f.header()
		if err != nil {
			return nil, err
		}
		if length > f.max {
			if err := f.skip(length); err != nil {
				return nil, err
			}
			continue
		}
		body, err := f.body(length)
		if err != nil {
			return nil, err
		}
		if body = f.validate(body); body != nil {
			return body, nil
		}
	}
}

// header reads up to the blank line that ends a header and returns the content length. It ignores
// the case of field names and all other fields, and takes a bare "\n" as a line end too. Of several
// lengths the last one counts, since it is next to the body. A message is (LSP 3.18, "Base
// Protocol"):
//
//	Content-Length: 17\r\n
//	\r\n
//	{"jsonrpc":"2.0"}
func (f *framer) header() (length int, err error) {
	length = -1
	reported := false
	bad := func(reason string) {
		if !reported {
			reported = true
			f.report(reason, nil)
		}
	}
	fields := 0
	for {
		line, err := f.line()
		if err != nil {
			if err == io.EOF && (fields > 0 || f.end > f.start) {
				err = io.ErrUnexpectedEOF
			}
			return 0, err
		}
		if line == nil {
			bad("a header line is too long")
			continue
		}
		if len(line) == 0 {
			if length >= 0 {
				return length, nil
			}
			if fields > 0 {
				bad("a header has no usable Content-Length")
			}
			fields = 0
			continue
		}
		fields++
		if i := bytes.LastIndex(lower(line), []byte(lengthField)); i >= 0 {
			n, ok := parseLength(line[i+len(lengthField):])
			if i > 0 || !ok {
				bad("a header is malformed")
			}
			length = n
			continue
		}
		if !isField(line) {
			bad("there are bytes between two messages")
		}
	}
}

// line returns the next line without its end. For a line longer than headerLimit it returns nil,
// after skipping to what may be the next length field.
func (f *framer) line() ([]byte, error) {
	for {
		unread := f.store[f.start:f.end]
		if i := bytes.IndexByte(unread, '\n'); i >= 0 && i <= headerLimit {
			f.start += i + 1
			return bytes.TrimSuffix(unread[:i], []byte("\r")), nil
		}
		if len(unread) > headerLimit {
			if i := bytes.Index(lower(unread[1:]), []byte(lengthField)); i >= 0 {
				f.start += 1 + i
			} else {
				f.start = f.end - len(lengthField)
			}
			return nil, nil
		}
		if err := f.fill(); err != nil {
			return nil, err
		}
	}
}

// body reads n bytes. It stops early where a header begins, since the length was wrong then.
func (f *framer) body(n int) ([]byte, error) {
	body := make([]byte, 0, min(n, 1<<20))
	for len(body) < n {
		if f.start == f.end {
			if err := f.fill(); err != nil {
				return nil, unexpected(err)
			}
		}
		from := max(0, len(body)-headerSpan)
		take := min(n-len(body), f.end-f.start)
		body = append(body, f.store[f.start:f.start+take]...)
		f.start += take
		if i := findHeader(body, from); i >= 0 {
			f.unread(body[i:])
			return body[:i], nil
		}
	}
	return body, nil
}

// skip discards a body of n bytes without holding it, up to a header if one begins inside.
func (f *framer) skip(n int) error {
	var prefix []byte
	for left := n; left > 0; {
		if unread := f.end - f.start; unread == 0 || unread <= headerSpan && unread < left {
			if err := f.fill(); err != nil {
				return unexpected(err)
			}
		}
		window := f.store[f.start:min(f.end, f.start+left)]
		if prefix == nil {
			prefix = bytes.Clone(window[:min(len(window), prefixSize)])
		}
		if i := findHeader(window, 0); i >= 0 {
			f.start += i
			break
		}
		if len(window) == left {
			f.start += left - headerTail(window)
			break
		}
		drop := max(0, len(window)-headerSpan) // a header may straddle this window and the next
		f.start += drop
		left -= drop
	}
	f.report(fmt.Sprintf("a message of %d bytes is longer than the limit of %d", n, f.max), prefix)
	return nil
}

// validate returns body if it is one JSON text. If a JSON text is followed by more, the length was
// too large: validate returns the text and unreads the rest. Otherwise it returns nil.
func (f *framer) validate(body []byte) []byte {
	if json.Valid(body) {
		return body
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	var first json.RawMessage
	if dec.Decode(&first) == nil {
		f.unread(body[dec.InputOffset():])
		return first
	}
	f.unread(body[len(body)-headerTail(body):])
	f.report("a message is not valid JSON", nil)
	return nil
}

// fill reads at least one more byte.
func (f *framer) fill() error {
	if f.start > 0 {
		f.end = copy(f.store, f.store[f.start:f.end])
		f.start = 0
	}
	switch {
	case f.end == len(f.store):
		f.store = append(f.store, make([]byte, len(f.store))...)
	case len(f.store) > bufferSize && f.end < bufferSize/2:
		f.store = append(make([]byte, 0, bufferSize), f.store[:f.end]...)[:bufferSize]
	}
	for range 100 {
		n, err := f.src.Read(f.store[f.end:])
		f.end += n
		if n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}

// unread puts b back in front of the unused bytes.
func (f *framer) unread(b []byte) {
	if len(b) <= f.start {
		f.start -= len(b)
		copy(f.store[f.start:], b)
		return
	}
	rest := f.store[f.start:f.end]
	store := make([]byte, max(bufferSize, len(b)+len(rest)))
	f.start, f.end = 0, copy(store, b)
	f.end += copy(store[f.end:], rest)
	f.store = store
}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

const (
	lengthField = "content-length:"
	// headerLimit bounds one header line; anything longer is noise.
	headerLimit = 4096
	// headerSpan bounds the length of "Content-Length: <digits>" with its line end.
	headerSpan = 64
)

// parseLength returns the value of a Content-Length field; -1 and false unless it is a positive
// number of at most 18 digits.
func parseLength(value []byte) (int, bool) {
	value = bytes.TrimSpace(value)
	n, err := strconv.ParseUint(string(value), 10, 60)
	if err != nil || n == 0 || len(value) > 18 {
		return -1, false
	}
	return int(n), true
}

// isField reports whether line looks like a header field: a name of letters, digits and dashes.
func isField(line []byte) bool {
	name, _, ok := bytes.Cut(line, []byte(":"))
	if !ok || len(name) == 0 {
		return false
	}
	for _, c := range name {
		if c != '-' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return true
}

// findHeader returns the offset in b, not before from, where a whole Content-Length line begins, or
// -1. It looks only for the two usual spellings, since it runs over every body.
func findHeader(b []byte, from int) int {
	found := -1
	for _, needle := range []string{"Content-Length:", lengthField} {
		for at := from; ; {
			i := bytes.Index(b[at:], []byte(needle))
			if i < 0 {
				break
			}
			at += i + len(needle)
			value, _, ok := bytes.Cut(b[at:min(len(b), at+headerSpan)], []byte("\n"))
			if _, number := parseLength(value); ok && number {
				if start := at - len(needle); found < 0 || start < found {
					found = start
				}
				break
			}
		}
	}
	return found
}

// headerTail returns how many of b's last bytes may begin a header whose rest has not been read: a
// wrong length can end a body there.
func headerTail(b []byte) int {
	tail := lower(b[max(0, len(b)-headerSpan):])
	for i := range tail {
		t := tail[i:]
		if len(t) <= len(lengthField) {
			if bytes.HasPrefix([]byte(lengthField), t) {
				return len(t)
			}
			continue
		}
		if value, ok := bytes.CutPrefix(t, []byte(lengthField)); ok && len(bytes.Trim(value, " \t\r0123456789")) == 0 {
			return len(t)
		}
	}
	return 0
}

// lower returns a copy of b with the ASCII letters in lower case, byte for byte.
func lower(b []byte) []byte {
	b = bytes.Clone(b)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return b
}
