package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"redline/agent/plan"
)

// filled makes a database with pages of every type: of tables and indices, inner ones and leaves,
// with long texts, and free ones. It returns the content of its files after it was closed, or, with
// open, after its process was killed.
func filled(t *testing.T, open bool) map[string][]byte {
	t.Helper()
	s := New(memoryDir(t))
	for i := range 40 {
		p, texts := sample(1)
		long := strings.Repeat(fmt.Sprintf("line %d of a long text\n", i), 400)
		p.Latest().Changes[0].Base = plan.BlobOf(long)
		texts[plan.BlobOf(long)] = long
		if err := s.CreatePlan(t.Context(), ws, p, texts); err != nil {
			t.Fatal(err)
		}
	}
	p, texts := sample(300)
	if err := s.CreatePlan(t.Context(), ws, p, texts); err != nil {
		t.Fatal(err)
	}
	exec(t, s.handle, `DELETE FROM texts WHERE rowid % 7 = 0 AND length(text) > 1000`)
	if open {
		exec(t, s.handle, `PRAGMA wal_checkpoint(TRUNCATE)`)
		for range 3 {
			create(t, s, ws)
		}
	} else if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, name := range []string{FileName, FileName + "-wal"} {
		data, err := os.ReadFile(filepath.Join(s.dir, name))
		if err == nil {
			files[name] = data
		} else if !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if s.Close(); open != (len(files[FileName+"-wal"]) > 0) {
		t.Fatalf("the write-ahead log has %d bytes", len(files[FileName+"-wal"]))
	}
	return files
}

// tried puts the files into a directory and works with what is there, as a session
// does. It returns the message to the user about a database that is left alone.
func tried(t *testing.T, files map[string][]byte) (told string) {
	t.Helper()
	dir := memoryDir(t)
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := New(dir)
	s.InMemory(func(text string) { told = text })
	s.examineFor = time.Hour                  // a busy machine finds as much as an idle one
	_, _ = s.Plans(t.Context(), ws, Filter{}) // what is not whole may show here, if the check has not found it
	p, texts := sample(1)
	err := s.CreatePlan(t.Context(), ws, p, texts)
	if told != "" && err != nil {
		t.Errorf("without the database nothing can be kept for the session: %v", err)
	}
	_ = s.Close()
	if told == "" {
		return ""
	}
	if s.Kept() {
		t.Errorf("%q, and the session is kept all the same", told)
	}
	for name, data := range files {
		unchanged(t, filepath.Join(dir, name), data)
	}
	if _, err := os.Stat(s.head.path); err == nil {
		t.Error("the audit log of memory has a head on the disk")
	}
	return told
}

// wholeSays is SQLite's own verdict on files.
func wholeSays(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := memoryDir(t)
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var said string
	if err := db.QueryRow(`PRAGMA integrity_check(1)`).Scan(&said); err != nil {
		return err.Error()
	}
	return said
}

// A damaged database, whatever page of it is damaged, is left as it is to the byte,
// the session continues without it, and a message says so.
func TestADamagedPageIsFoundBeforeAnythingIsWritten(t *testing.T) {
	for name, open := range map[string]bool{"closed": false, "with a write-ahead log": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := filled(t, open)
			seed := time.Now().UnixNano()
			rng := rand.New(rand.NewPCG(uint64(seed), 0))
			if said := tried(t, files); said != "" {
				t.Fatalf("a whole database: %s", said)
			}
			const page = 4096
			found, tries, pages := 0, 0, len(files[FileName])/page
			for n := 0; n < pages; n++ {
				if n > 40 { // the first ones are the roots of tables and indices
					n += rng.IntN(8)
				}
				if n >= pages {
					break
				}
				tries++
				data := bytes.Clone(files[FileName])
				at := data[n*page : (n+1)*page]
				switch rng.IntN(4) {
				case 0:
					clearBytes(at)
				case 1:
					for i := range at {
						at[i] = byte(rng.Uint32())
					}
				case 2:
					at[rng.IntN(16)] ^= byte(1 + rng.IntN(255)) // of the page's own header
				default:
					i := rng.IntN(page - 64)
					for k := range 64 {
						at[i+k] = byte(rng.Uint32())
					}
				}
				damaged := map[string][]byte{FileName: data}
				if open {
					damaged[FileName+"-wal"] = files[FileName+"-wal"]
				}
				switch said, sqlite := tried(t, damaged), wholeSays(t, damaged); {
				case said != "" && !strings.Contains(said, "was left as it is") && !strings.Contains(said, "another program"):
					t.Errorf("page %d: %s", n+1, said)
				case said != "":
					found++
				case sqlite != "ok":
					t.Errorf("seed %d: page %d is damaged (%s) and was used", seed, n+1, sqlite)
				}
			}
			if found < tries/4 {
				t.Errorf("%d of %d damaged pages were found", found, tries)
			}
			t.Logf("%d of %d damaged pages were found; the others hold only texts", found, tries)
		})
	}
}

func clearBytes(b []byte) {
	for i := range b {
		b[i] = 0
	}
}

// A file that was truncated, is not a database, or belongs to another program or a newer
// version stays unchanged, with the content of its write-ahead log.
func TestADatabaseThatIsNotOursIsLeftAlone(t *testing.T) {
	for _, open := range []bool{false, true} {
		files := filled(t, open)
		with := func(db []byte) map[string][]byte {
			next := map[string][]byte{FileName: db}
			if open {
				next[FileName+"-wal"] = files[FileName+"-wal"]
			}
			return next
		}
		for name, change := range map[string]func([]byte) []byte{
			"cut off at a page":   func(b []byte) []byte { return b[:len(b)/2/4096*4096] },
			"cut off in a page":   func(b []byte) []byte { return b[:len(b)/2+77] },
			"cut off in header":   func(b []byte) []byte { return b[:50] },
			"no database":         func(b []byte) []byte { return bytes.Repeat([]byte("no database "), 1000) },
			"a wrong magic":       func(b []byte) []byte { b[0]++; return b },
			"a wrong page size":   func(b []byte) []byte { b[16], b[17] = 3, 7; return b },
			"a newer version":     func(b []byte) []byte { b[63] = 99; return b },
			"a wrong application": func(b []byte) []byte { b[70]++; return b },
			"a newer format":      func(b []byte) []byte { b[18], b[19] = 9, 9; return b },
		} {
			if !strings.HasPrefix(name, "cut off") && name != "no database" && open {
				continue // the write-ahead log has page 1
			}
			t.Run(fmt.Sprintf("%s, open %t", name, open), func(t *testing.T) {
				if said := tried(t, with(change(bytes.Clone(files[FileName])))); !strings.Contains(said, "was left as it is") {
					t.Errorf("the user is told %q", said)
				}
			})
		}
	}
}

// A database that is missing or empty, while its write-ahead log is not, is not created anew:
// SQLite would discard the log.
func TestAWriteAheadLogAloneIsLeftAlone(t *testing.T) {
	files := filled(t, true)
	for name, alone := range map[string]map[string][]byte{
		"missing":  {FileName + "-wal": files[FileName+"-wal"]},
		"no bytes": {FileName: {}, FileName + "-wal": files[FileName+"-wal"]},
	} {
		t.Run(name, func(t *testing.T) {
			if said := tried(t, alone); !strings.Contains(said, "was left as it is") {
				t.Errorf("the user is told %q", said)
			}
		})
	}
	if said := tried(t, map[string][]byte{FileName: {}}); said != "" {
		t.Errorf("a database of no bytes is a new one: %s", said)
	}
}

// Committed transactions in a write-ahead log after a damaged place would be lost silently.
// The last transaction may be incomplete, as after a power failure.
func TestADamagedWriteAheadLog(t *testing.T) {
	files := filled(t, true)
	wal := files[FileName+"-wal"]
	const frame = 24 + 4096
	frames := (len(wal) - 32) / frame
	last := 0 // the first frame of the last transaction
	for i := range frames - 1 {
		if bytes.IndexFunc(wal[32+i*frame+4:32+i*frame+8], func(r rune) bool { return r != 0 }) >= 0 {
			last = i + 1
		}
	}
	for name, c := range map[string]struct {
		change func([]byte) []byte
		left   bool
	}{
		"as it was":                  {func(b []byte) []byte { return b }, false},
		"empty":                      {func([]byte) []byte { return nil }, false},
		"a wrong magic":              {func(b []byte) []byte { b[0]++; return b }, true},
		"other salts":                {func(b []byte) []byte { b[17]++; return b }, true},
		"a page of the first frame":  {func(b []byte) []byte { b[32+24+100]++; return b }, true},
		"the head of a middle frame": {func(b []byte) []byte { b[32+last/2*frame+9]++; return b }, true},
		"zeroed in the middle":       {func(b []byte) []byte { clearBytes(b[32+last/2*frame:][:frame]); return b }, true},
		"the last transaction":       {func(b []byte) []byte { b[32+last*frame+24]++; return b }, false},
		"cut off in the last":        {func(b []byte) []byte { return b[:32+last*frame+1000] }, false},
		"cut off in the header":      {func(b []byte) []byte { return b[:20] }, false},
		"old frames at the end":      {func(b []byte) []byte { return append(b, old(b[32:])...) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			damaged := map[string][]byte{FileName: files[FileName], FileName + "-wal": c.change(bytes.Clone(wal))}
			if said := tried(t, damaged); strings.Contains(said, "was left as it is") != c.left {
				t.Errorf("the user is told %q", said)
			}
		})
	}
}

// old makes frames those of an earlier life of the log.
func old(frames []byte) []byte {
	frames = bytes.Clone(frames)
	for at := 0; at < len(frames); at += 24 + 4096 {
		frames[at+8]++
	}
	return frames
}

// A database that cannot be examined in the available time is used.
func TestAnExaminationThatTakesTooLong(t *testing.T) {
	dir := memoryDir(t)
	for name, data := range filled(t, false) {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := New(dir)
	s.examineFor = time.Nanosecond
	defer s.Close()
	create(t, s, ws)
	if !s.Kept() {
		t.Error("it is not used")
	}
}

// Another process that constantly begins, writes and ends does not make an undamaged
// database look damaged.
func TestADatabaseIsExaminedWhileOthersWrite(t *testing.T) {
	dir := memoryDir(t)
	create(t, storeIn(t, dir), ws)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		for ctx.Err() == nil {
			s := New(dir)
			for range 3 {
				p, texts := sample(5)
				if err := s.CreatePlan(t.Context(), ws, p, texts); err != nil {
					ended <- err
					return
				}
			}
			if err := s.Close(); err != nil {
				ended <- err
				return
			}
		}
		ended <- nil
	}()
	for range 60 {
		s := New(dir)
		if _, err := s.Plans(t.Context(), ws, Filter{Limit: 1}); err != nil {
			t.Errorf("reading: %v", err)
		}
		_ = s.Close()
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("writing: %v", err)
	}
}

// memoryDir returns a temporary directory in memory, if the system has one: the disk itself is
// not tested.
func memoryDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "redline-*")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
