// Package statusline keeps a status line below the output of a terminal. It redraws the
// line when the status changes, and erases it before anything else is printed.
package statusline

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mattn/go-runewidth"
	"golang.org/x/term"
)

// The delays of a line.
const (
	delay = 150 * time.Millisecond // before the first drawing: a shorter task would only make the line flicker
	quiet = 500 * time.Millisecond // after text that does not end its line, since more text usually follows
	tick  = 100 * time.Millisecond // between two drawings, which also turn the spinner

	fromSeconds = 2 // the line shows the seconds from here on
)

// Line is a status line. Its methods may be called from any goroutine. Those of a nil Line do
// nothing, so a program without a terminal needs no special case.
type Line struct {
	term  io.Writer
	size  func() (columns, rows int)
	wheel []string
	now   func() time.Time

	mu     sync.Mutex
	what   string    // the status, "" for none
	note   string    // a note about it, shown in brackets
	since  time.Time // when what was set
	from   time.Time // the line is not drawn before that
	held   int       // how many calls of Hold are active
	drawn  int       // the width of the line on the screen, 0 if none is
	column int       // the cursor's column in the printed text, from 0
	turn   int       // the position of the spinner
	ends   chan struct{}
	ended  bool
}

// Size returns the columns and rows of a terminal. A terminal that reports none, such as a serial
// line or the terminal of a container, counts as 80 columns of 24 rows.
func Size(f *os.File) (columns, rows int) {
	columns, rows, _ = term.GetSize(int(f.Fd())) // below 0 if it is no terminal
	return usual(max(columns, 0), max(rows, 0))
}

// usual returns a size with the usual one in place of what is 0.
func usual(columns, rows int) (int, int) { return cmp.Or(columns, 80), cmp.Or(rows, 24) }

// New returns the status line of a terminal. It calls size, such as [Size], at each drawing. With ascii,
// the line's own characters are all ASCII. The caller must call Close.
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

// Set sets the status, and a note about it in brackets; "" clears the line. The line
// counts the seconds since this status was first set.
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

// Hold erases the line and hides it until the returned function is called: while a user
// types an answer, or while another program uses the terminal.
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

// Break ends a line of text that was begun. It reports whether there was one.
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

// Fresh records that the cursor is at the start of a line, because the user has pressed
// Enter.
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

// Writer returns a writer to w, which is on the same terminal. It erases the line before
// it writes.
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

// draw draws the line over the one before. If printed text does not end its line, the
// cursor stays there and the status goes below it.
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

// unwrapped returns a text that the terminal cuts off at its edge instead of wrapping
// (DECAWM). The terminal may be narrower than it last reported: tmux reports a change a
// quarter of a second late, and each drawing would leave a row behind.
func unwrapped(text string) string { return "\x1b[?7l" + text + "\x1b[?7h" }

// text returns the whole line for a number of columns: the spinner, the status, and the
// note and the seconds in brackets. If it is too long, text drops the note first, then
// cuts the end of the status.
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

// erase removes the line from the screen, and leaves the cursor where printed text
// continues. It never moves the cursor up: a terminal that became narrower may or may not
// have wrapped the line, and the text printed above must stay.
func (l *Line) erase() {
	if l.drawn == 0 {
		return
	}
	if l.column > 0 {
		io.WriteString(l.term, "\x1b[J")
	} else {
		// Not from the first column: at the top of the screen, tmux would take that for a cleared
		// screen, and keep the line in its history.
		io.WriteString(l.term, "\r \x1b[J\r")
	}
	l.drawn = 0
}

// Width returns how many columns a line of text takes on a terminal; colour sequences
// take none.
func Width(line string) int { return column(0, line, 0) }

// column returns the cursor's column after text was written from a column on. It is the
// number of columns if the cursor is past the last one.
func column(from int, text string, columns int) int {
	if at := strings.LastIndexAny(text, "\n\r"); at >= 0 {
		from, text = 0, text[at+1:]
	}
	for text != "" {
		if rest, ok := strings.CutPrefix(text, "\x1b["); ok { // colour sequences take no room
			end := strings.IndexFunc(rest, func(r rune) bool { return r >= '@' && r <= '~' })
			if end < 0 {
				return from
			}
			text = rest[end+1:]
			continue
		}
		next := strings.IndexAny(text[1:], "\x1b\t") + 1
		next = cmp.Or(next, len(text))
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
