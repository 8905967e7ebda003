package statusline

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// terminal opens a pseudo-terminal. A new one reports 0 columns and rows.
func terminal(t *testing.T) *os.File {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("needs /dev/ptmx: ", err)
	}
	t.Cleanup(func() { master.Close() })
	fd := int(master.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(fmt.Sprint("/dev/pts/", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("needs /dev/pts: ", err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// A terminal that reports 0 columns, as a serial line does, shows the line as one of 80 would.
func TestTerminalThatReportsNoSize(t *testing.T) {
	tty := terminal(t)
	if columns, rows, err := term.GetSize(int(tty.Fd())); columns != 0 || rows != 0 || err != nil {
		t.Fatalf("the terminal reports %d columns and %d rows", columns, rows)
	}
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		l := New(&out, func() (int, int) { return Size(tty) }, true)
		defer l.Close()
		l.Set(strings.Repeat("word ", 40), "")
		if got, want := shows(l, &out, time.Second), "* "+strings.Repeat("word ", 15)+"w…"; got != want {
			t.Errorf("the screen is %q, want %q", got, want)
		}
	})
	for _, size := range []unix.Winsize{{Row: 50}, {Col: 132}, {Row: 50, Col: 132}} {
		if err := unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, &size); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprint(max(int(size.Col), 80), max(int(size.Row), 24))
		if columns, rows := Size(tty); fmt.Sprint(columns, rows) != want {
			t.Errorf("a terminal that reports %+v counts as %d columns and %d rows", size, columns, rows)
		}
	}
}
