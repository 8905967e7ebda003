package statusline

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mattn/go-runewidth"
)

// screen returns what a terminal shows of an output: the rows, without spaces at their ends. It
// knows the controls that the line uses. As in tmux, a screen that is cleared from its first column
// on goes into the history, which comes first.
func screen(output string) string {
	history := ""
	rows, row, col := [][]rune{nil}, 0, 0
	for len(output) > 0 {
		if rest, ok := strings.CutPrefix(output, "\x1b["); ok {
			end := strings.IndexAny(rest, "AGJKmhl")
			n := 0
			for _, d := range rest[:end] {
				n = 10*n + int(d-'0')
			}
			n = max(n, 1)
			switch rest[end] {
			case 'A':
				row -= n
			case 'G':
				col = n - 1
			case 'J':
				if row == 0 && col == 0 && len(rows[0]) > 0 {
					history += "history: " + string(rows[0]) + "\n"
				}
				rows = rows[:row+1]
				rows[row] = rows[row][:min(col, len(rows[row]))]
			case 'K':
				rows[row] = rows[row][:min(col, len(rows[row]))]
			}
			output = rest[end+1:]
			continue
		}
		r := []rune(output)[0]
		output = output[len(string(r)):]
		switch r {
		case '\r':
			col = 0
		case '\n':
			row, col = row+1, 0
			if row == len(rows) {
				rows = append(rows, nil)
			}
		default:
			for len(rows[row]) <= col {
				rows[row] = append(rows[row], ' ')
			}
			rows[row][col] = r
			col++
		}
	}
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(strings.TrimRight(string(r), " ") + "\n")
	}
	return history + strings.TrimRight(b.String(), "\n")
}

// start returns a line on a terminal with so many columns, and what was written to it.
func start(t *testing.T, columns int) (*Line, *bytes.Buffer) {
	var out bytes.Buffer
	l := New(&out, func() (int, int) { return columns, 24 }, true)
	t.Cleanup(l.Close)
	return l, &out
}

// shows waits and returns the screen, with the wheel as *.
func shows(l *Line, out *bytes.Buffer, after time.Duration) string {
	time.Sleep(after)
	synctest.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	text := screen(out.String())
	for _, w := range l.wheel {
		text = strings.ReplaceAll(text, w+" ", "* ")
	}
	return text
}

func TestLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, out := start(t, 40)
		defer l.Close()
		w := l.Writer(out)
		expect := func(after time.Duration, want string) {
			t.Helper()
			if got := shows(l, out, after); got != want {
				t.Errorf("the screen is\n%s\nwant\n%s", got, want)
			}
		}
		l.Set("Waiting for the model", "")
		expect(50*time.Millisecond, "") // it might be over at once
		expect(250*time.Millisecond, "* Waiting for the model…")
		expect(2*time.Second, "* Waiting for the model (2 s)…")
		l.Set("Waiting for the model", "1 file read")
		expect(time.Second, "* Waiting for the model (3 s)…")
		l.Set("Reading a.go", "")
		expect(0, "* Reading a.go…")
		w.Write([]byte("one\n"))
		expect(0, "one")
		expect(150*time.Millisecond, "one\n* Reading a.go…")
		w.Write([]byte("tw"))
		expect(300*time.Millisecond, "one\ntw") // more of it is expected
		expect(400*time.Millisecond, "one\ntw\n* Reading a.go…")
		w.Write([]byte("o \x1b[31mmore\x1b[0m"))
		expect(0, "one\ntwo more")
		expect(700*time.Millisecond, "one\ntwo more\n* Reading a.go…")
		release := l.Hold()
		expect(time.Second, "one\ntwo more")
		release()
		expect(time.Second, "one\ntwo more\n* Reading a.go…")
		if !l.Break() || l.Break() {
			t.Error("a line is not ended once")
		}
		w.Write([]byte("three\n"))
		expect(0, "one\ntwo more\nthree")
		l.Set("", "")
		expect(time.Second, "one\ntwo more\nthree")
		l.Set("Again", "")
		expect(time.Second, "one\ntwo more\nthree\n* Again…")
		l.Close()
		expect(time.Second, "one\ntwo more\nthree")
	})
}

// A line is never as wide as the terminal, whatever is in it: it would wrap.
func TestLineFits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, columns := range []int{12, 20, 41} {
			l, out := start(t, columns)
			l.Set("Reading 漢字漢字漢字漢字漢字/👩‍💻👩‍💻.go", "2 files, +3 −3")
			time.Sleep(time.Second)
			l.Close()
			synctest.Wait()
			for row := range strings.SplitSeq(out.String(), "\r") {
				row = strings.NewReplacer("\x1b[J", "", "\x1b[K", "", "\x1b[?7l", "", "\x1b[?7h", "").Replace(row)
				if n := runewidth.StringWidth(row); n >= columns {
					t.Errorf("%q has %d of %d columns", row, n, columns)
				}
			}
		}
	})
}

func TestColumn(t *testing.T) {
	for _, tt := range []struct {
		from int
		text string
		want int
	}{
		{0, "", 0}, {3, "ab", 5}, {3, "ab\n", 0}, {3, "ab\ncd", 2}, {0, "\tx", 9}, {4, "\t\x1b[1mx\x1b[0m", 9},
		{0, "漢字", 4}, {0, strings.Repeat("x", 20), 20}, {0, strings.Repeat("x", 21), 1}, {5, "\x1b[", 5},
	} {
		if got := column(tt.from, tt.text, 20); got != tt.want {
			t.Errorf("column(%d, %q) = %d, want %d", tt.from, tt.text, got, tt.want)
		}
	}
}

// A program without a terminal has no line.
func TestNoLine(t *testing.T) {
	var l *Line
	var out bytes.Buffer
	l.Set("a", "b")
	l.Hold()()
	l.Fresh()
	if w := l.Writer(&out); w != &out || l.Break() {
		t.Error("no line changes something")
	}
	l.Close()
}
