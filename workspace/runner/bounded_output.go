package runner

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"
)

// bounded keeps the beginning and the end of a text, and drops the middle.
type bounded struct {
	max  int // in bytes: a quarter for the beginning, the rest for the end
	head []byte
	tail []byte // at most twice as long as the end that String returns
	left int    // bytes dropped between beginning and end
}

func (b *bounded) add(text string) {
	first := b.max / 4
	if room := first - len(b.head); room > 0 && b.left == 0 && len(b.tail) == 0 {
		n := runeCut(text, room)
		b.head = append(b.head, text[:n]...)
		text = text[n:]
	}
	last := b.max - first
	if over := len(text) - last; over > 0 {
		b.left += len(b.tail) + over
		b.tail, text = b.tail[:0], text[over:]
	}
	b.tail = append(b.tail, text...)
	if len(b.tail) > 2*last {
		b.drop(len(b.tail) - last)
	}
}

func (b *bounded) drop(n int) {
	b.left += n
	b.tail = append(b.tail[:0], b.tail[n:]...)
}

// String returns the kept text, with a line in the middle that says how much is missing.
func (b *bounded) String() string {
	if over := len(b.tail) - (b.max - b.max/4); over > 0 {
		b.drop(over)
	}
	if b.left == 0 {
		return string(b.head) + string(b.tail)
	}
	tail := b.tail
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	dropped := b.left + len(b.tail) - len(tail)
	return fmt.Sprintf("%s\n… %d bytes are left out here …\n%s", strings.TrimSuffix(string(b.head), "\n"), dropped, tail)
}

// runeCut returns the length of the longest prefix of text that has at most n bytes and
// ends with a whole character.
func runeCut(text string, n int) int {
	if n >= len(text) {
		return len(text)
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}

// output collects the output of a command from both streams and passes it to tell.
type output struct {
	mu       sync.Mutex // held while tell runs, to keep its calls in order
	tell     func(Stream, string)
	of       map[Stream]*bounded
	all      bounded
	unended  map[Stream][]byte // the first bytes of an incomplete character, by stream
	hide     hider
	streamed int
	maximum  int // of streamed
}

func newOutput(l Limits, secrets []string, tell func(Stream, string)) *output {
	return &output{
		tell:    tell,
		of:      map[Stream]*bounded{Stdout: {max: l.Output}, Stderr: {max: l.Output}},
		all:     bounded{max: l.Output},
		unended: map[Stream][]byte{},
		maximum: l.Stream,
		hide:    newHider(secrets),
	}
}

// write adds the next bytes of a stream; end means that they are the last.
func (o *output) write(s Stream, data []byte, end bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	data = append(o.unended[s], data...)
	whole := len(data)
	if !end {
		whole = wholeRunes(data)
	}
	o.unended[s] = append([]byte(nil), data[whole:]...)
	if whole == 0 && !end {
		return
	}
	text := o.hide.pass(s, strings.ToValidUTF8(string(data[:whole]), "\uFFFD"), end)
	if text == "" {
		return
	}
	o.of[s].add(text)
	o.all.add(text)
	if o.streamed >= o.maximum {
		return
	}
	n := runeCut(text, o.maximum-o.streamed)
	if o.streamed += len(text); n > 0 {
		o.tell(s, text[:n])
	}
	if o.streamed >= o.maximum {
		o.streamed = o.maximum
		o.tell(s, "\n… it prints more than is shown while it runs …\n")
	}
}

// wholeRunes returns the number of bytes of data before a trailing character that may be
// incomplete.
func wholeRunes(data []byte) int {
	for back := 1; back < utf8.UTFMax && back <= len(data); back++ {
		if c := data[len(data)-back]; utf8.RuneStart(c) {
			if !utf8.FullRune(data[len(data)-back:]) {
				return len(data) - back
			}
			break
		}
	}
	return len(data)
}
