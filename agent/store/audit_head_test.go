package store

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent/audit"
)

func TestOlderCopyOfTheDatabase(t *testing.T) {
	s := newStore(t)
	p := create(t, s, ws)
	for range 9 {
		decideOn(t, s, p, "then")
	}
	older := copyState(t, s.dir)
	for range 5 {
		decideOn(t, s, p, "since then")
	}
	putFile(t, older, HeadName, readFile(t, s.dir, HeadName))
	replayed := storeIn(t, older)
	brokenAt(t, replayed, 11, "missing", "15")
	q := get(t, replayed, 1)
	for range 10 { // however long the log gets
		decideOn(t, replayed, q, "anew")
		brokenAt(t, replayed, 11, "missing", "15")
	}
	whole(t, s, 15)
}

func TestHeadThatIsGone(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(t *testing.T, path string)
		why   string
	}{
		"deleted": {func(t *testing.T, path string) { remove(t, path) }, "it is gone"},
		"empty":   {func(t *testing.T, path string) { putFile(t, filepath.Dir(path), HeadName, nil) }, "it is damaged"},
		"truncated": {func(t *testing.T, path string) {
			putFile(t, filepath.Dir(path), HeadName, []byte(`{"version":1,"key":"00`))
		}, "it is damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, _ := tamperedLog(t)
			var warned []string
			s.OnWarning(func(text string) { warned = append(warned, text) })
			path := filepath.Join(s.dir, HeadName)
			c.spoil(t, path)
			brokenAt(t, s, 1, c.why)
			create(t, s, ws)
			if len(warned) != 1 || !strings.Contains(warned[0], "records up to 30 cannot be checked") {
				t.Errorf("warned: %q", warned)
			}
			brokenAt(t, s, 1, "up to 30", "made anew", "the 1 after them are whole")
			create(t, s, ws)
			brokenAt(t, s, 1, "the 2 after them are whole")
			exec(t, raw(t, s.dir), `UPDATE audit SET workspace = 'x' WHERE seq = 32`)
			brokenAt(t, s, 1, "record 32")
		})
	}
}

func TestAnotherKeyInTheHead(t *testing.T) {
	s, log, head := tamperedLog(t)
	rand.Read(head.Key)
	slot, err := head.Encode()
	if err != nil {
		t.Fatal(err)
	}
	putFile(t, s.dir, HeadName, slot)
	brokenAt(t, s, 1, "neither it nor any other record", HeadName)
	create(t, s, ws)
	brokenAt(t, s, 1)

	// A log that was forged as a whole, with a key of its own.
	made := audit.NewHead(audit.Link{})
	var fake []audit.Entry
	for range log {
		r, _ := log[0].Decode()
		e, err := audit.Next(made.Key, made.Last, r)
		if err != nil {
			t.Fatal(err)
		}
		fake, made.Last = append(fake, e), e.Link()
	}
	_, _, real := tamperedLog(t)
	named(t, "made up", check(real, fake), 1)
}

// The result of a crash between the commit and the head: records that the head lacks. The
// key vouches for them.
func TestCrashBeforeTheHeadWasWritten(t *testing.T) {
	s := newStore(t)
	p := create(t, s, ws)
	heads := [][]byte{readFile(t, s.dir, HeadName)}
	for range 6 {
		decideOn(t, s, p, "no")
		heads = append(heads, readFile(t, s.dir, HeadName))
	}
	for n, head := range heads {
		dir := copyState(t, s.dir)
		putFile(t, dir, HeadName, head)
		after := storeIn(t, dir)
		whole(t, after, 7)
		create(t, after, ws)
		whole(t, after, 8)
		if h, err := after.head.read(); err != nil || h.Last.Count != 8 {
			t.Errorf("head %d was not brought up to date: %+v, %v", n, h.Last, err)
		}
	}
}

// The decision is stored whatever happens to the head.
func TestHeadThatCannotBeWritten(t *testing.T) {
	s := newStore(t)
	var warned []string
	s.OnWarning(func(text string) { warned = append(warned, text) })
	p := create(t, s, ws)
	block := filepath.Join(s.dir, lockName)
	remove(t, block)
	if err := os.Mkdir(block, 0o700); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		decideOn(t, s, p, "no")
	}
	if len(warned) != 1 || !strings.Contains(warned[0], HeadName) {
		t.Errorf("warned: %q", warned)
	}
	whole(t, s, 4)
	if h, err := s.head.read(); err != nil || h.Last.Count != 1 {
		t.Errorf("%+v, %v", h.Last, err)
	}
	remove(t, block)
	decideOn(t, s, p, "no")
	whole(t, s, 5)
	if h, err := s.head.read(); err != nil || h.Last.Count != 5 {
		t.Errorf("it did not catch up: %+v, %v", h.Last, err)
	}
}

// The same when there has never been one.
func TestFirstHeadThatCannotBeWritten(t *testing.T) {
	s := newStore(t)
	var warned []string
	s.OnWarning(func(text string) { warned = append(warned, text) })
	block := filepath.Join(s.dir, HeadName+".new")
	if err := os.MkdirAll(block, 0o700); err != nil {
		t.Fatal(err)
	}
	p := create(t, s, ws)
	decideOn(t, s, p, "no")
	if len(warned) == 0 {
		t.Error("nothing was said")
	}
	brokenAt(t, s, 1, "it is gone")
	remove(t, block)
	decideOn(t, s, p, "no")
	whole(t, s, 3)
}

func remove(t testing.TB, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}
