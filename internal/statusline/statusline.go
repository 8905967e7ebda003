// Package statusline keeps one line at the end of a terminal's output that says what is going on.
// The line is replaced as that changes, and erased before anything else is printed.
package statusline

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mattn/go-runewidth"
)

// The times of a line.
const (
	delay = 150 * time.Millisecond // before the first line: what ends sooner would only flicker
	quiet = 500 * time.Millisecond // after text that does not end its line, since more of it is usually on its way
	tick  = 100 * time.Millisecond // between two drawings, which turn the wheel

	fromSeconds = 2 // from which on the seconds are shown
)

// Line is a status line. Its methods may be called from any goroutine. Those of a nil Line do
// nothing, so a program without a terminal needs no special case.
type Line struct {
	term  io.Writer
	size  func() (columns, rows int)
	wheel []string
	now   func() time.Time

	mu     sync.Mutex
	what   string    // what is going on, "" for nothing
	note   string    // more about it, in brackets
	since  time.Time // when what began
	from   time.Time // not drawn before
	held   int       // how many want it away, see Hold
	drawn  int       // the columns of the line that is on the screen, 0 if none is
	column int       // where the cursor is in the text that was printed, from 0
	turn   int       // of the wheel
	ends   chan struct{}
	ended  bool
}

// New returns the line of a terminal, whose size is asked for at each drawing. In ascii, all of
// the line's own characters are ASCII. Close ends it.
func New(term io.Writer, size func() (columns, rows int), ascii bool) *Line {
	l := &Line{term: term, size: size, now: time.Now, wheel: strings.Split("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", ""), ends: make(chan struct{})}
	if ascii {
		l.wheel = strings.Split(`|/-\`, "")
	}
	go l.run()
	return l
}

func (l *Line) run() {
	t := time.NewTicker(tick)
	defer t.Stop()
	for {
		select {
		case <-l.ends:
			return
		case <-t.C:
			l.mu.Lock()
			l.turn++
			l.draw()
			l.mu.Unlock()
		}
	}
}

// Set says what is going on, with a note about it in brackets; "" is nothing. The seconds count
// from when what was set first.
func (l *Line) Set(what, note string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if what != l.what {
		if l.what == "" {
			l.from = l.now().Add(delay)
		}
		l.what, l.since = what, l.now()
	}
	l.note = note
	if l.what == "" {
		l.erase()
	} else if l.drawn > 0 {
		l.draw()
	}
}

// Hold erases the line and keeps it away until the returned function is called: while somebody
// types an answer, or another program has the terminal.
func (l *Line) Hold() (release func()) {
	if l == nil {
		return func() {}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held++
	l.erase()
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.held--
		l.since = l.now()
	})
}

// Break ends the line of text that was begun, if one was. It returns whether it did.
func (l *Line) Break() bool {
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.column == 0 {
		return false
	}
	l.erase()
	l.column = 0
	io.WriteString(l.term, "\n")
	return true
}

// Fresh notes that the cursor is at the start of a line: the user has typed one.
func (l *Line) Fresh() {
	if l != nil {
		l.mu.Lock()
		l.column = 0
		l.mu.Unlock()
	}
}

// Close erases the line for good.
func (l *Line) Close() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ended {
		l.ended = true
		l.erase()
		close(l.ends)
	}
}

// Writer returns a writer to w, which shows on the same terminal: the line is erased before
// anything is written.
func (l *Line) Writer(w io.Writer) io.Writer {
	if l == nil {
		return w
	}
	return writer{l, w}
}

type writer struct {
	line *Line
	to   io.Writer
}

func (w writer) Write(p []byte) (int, error) {
	l := w.line
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
	columns, _ := l.size()
	l.column = column(l.column, string(p), columns)
	if l.column > 0 {
		l.from = l.now().Add(quiet)
	}
	return w.to.Write(p)
}

// draw writes the line, over the one before. Text that does not end its line keeps the cursor,
// and the status is below it.
func (l *Line) draw() {
	columns, rows := l.size()
	if l.what == "" || l.held > 0 || l.ended || columns < 10 || rows < 2 || l.column >= columns {
		return
	}
	now := l.now()
	if l.drawn == 0 && now.Before(l.from) {
		return
	}
	text := l.text(now, columns-1)
	if l.column > 0 {
		fmt.Fprintf(l.term, "\n\r%s\x1b[K\r\x1b[A\x1b[%dG", unwrapped(text), l.column+1)
	} else {
		fmt.Fprintf(l.term, "\r%s\x1b[J", unwrapped(text))
	}
	l.drawn = runewidth.StringWidth(text)
}

// unwrapped returns a text that a terminal cuts off at its edge (DECAWM). It may be narrower than it
// has told: tmux does so a quarter of a second late, and each drawing would leave a row behind.
func unwrapped(text string) string { return "\x1b[?7l" + text + "\x1b[?7h" }

// text returns the whole line in so many columns: the wheel, what is going on, and the note and
// the seconds in brackets. The note gives way first, and then the end of what is going on.
func (l *Line) text(now time.Time, room int) string {
	wheel, seconds := l.wheel[l.turn%len(l.wheel)]+" ", ""
	if s := int(now.Sub(l.since) / time.Second); s >= fromSeconds {
		seconds = fmt.Sprintf("%d s", s)
	}
	for _, more := range [][]string{{l.note, seconds}, {seconds}, nil} {
		more = slices.DeleteFunc(more, func(s string) bool { return s == "" })
		end := "…"
		if len(more) > 0 {
			end = " (" + strings.Join(more, ", ") + ")…"
		}
		if runewidth.StringWidth(wheel+l.what+end) <= room {
			return wheel + l.what + end
		}
	}
	return wheel + runewidth.Truncate(l.what, room-runewidth.StringWidth(wheel), "…")
}

// erase takes the line off the screen. The cursor is where text goes on. It never goes up: a terminal
// that became narrower may have wrapped the line, or not, and what was printed above must stay.
func (l *Line) erase() {
	if l.drawn == 0 {
		return
	}
	if l.column > 0 {
		io.WriteString(l.term, "\x1b[J")
	} else {
		io.WriteString(l.term, "\r\x1b[J")
	}
	l.drawn = 0
}

// Width returns how many columns a line of text has on a terminal; colours have none.
func Width(line string) int { return column(0, line, 0) }

// column returns where the cursor is after text was written from a column on; the number of
// columns if it stands behind the last of them.
func column(from int, text string, columns int) int {
	if at := strings.LastIndexAny(text, "\n\r"); at >= 0 {
		from, text = 0, text[at+1:]
	}
	for text != "" {
		if rest, ok := strings.CutPrefix(text, "\x1b["); ok { // colours take no room
			end := strings.IndexFunc(rest, func(r rune) bool { return r >= '@' && r <= '~' })
			if end < 0 {
				return from
			}
			text = rest[end+1:]
			continue
		}
		next := strings.IndexAny(text[1:], "\x1b\t") + 1
		if next == 0 {
			next = len(text)
		}
		part := text[:next]
		text = text[next:]
		if tab, ok := strings.CutPrefix(part, "\t"); ok {
			from, part = from/8*8+8, tab
		}
		from += runewidth.StringWidth(part)
	}
	for columns > 0 && from > columns {
		from -= columns
	}
	return from
}
