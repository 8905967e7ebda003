package store

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// examinedIn opens the database in a directory and reports whether it was examined. It also
// returns what the user was told.
func examinedIn(t *testing.T, dir string) (examined bool, told string) {
	t.Helper()
	s := New(dir)
	s.InMemory(func(text string) { told = text })
	if _, err := s.Plans(t.Context(), ws, Filter{}); err != nil {
		t.Fatal(err)
	}
	examined = s.examined.was == "" && s.Kept()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return examined, told
}

// A database that the last session closed, and nothing has changed since, is not examined again for
// a day.
func TestAnUnchangedDatabaseIsNotExaminedAgain(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux says when a file was changed: run this test there")
	}
	dir := memoryDir(t)
	s := New(dir)
	create(t, s, ws)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if again, _ := examinedIn(t, dir); again {
		t.Error("it was examined again")
	}
	s = New(dir)
	create(t, s, ws)
	killed := New(dir) // reads it as after the end of that process
	if killed.examined.skips(killed.path, version(t)) {
		t.Error("it would not be examined though a process has it open")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if again, _ := examinedIn(t, dir); again {
		t.Error("after another session it was examined again")
	}

	name := filepath.Join(dir, ExaminedName)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	state, _, _ := strings.Cut(string(text), " at ")
	for what, other := range map[string]string{
		"long ago":       state + " at " + "1700000000\n",
		"in the future":  state + " at " + "9700000000\n",
		"without a time": state,
		"torn":           string(text[:len(text)/2]),
		"empty":          "",
	} {
		if err := os.WriteFile(name, []byte(other), 0o600); err != nil {
			t.Fatal(err)
		}
		if again, _ := examinedIn(t, dir); !again {
			t.Errorf("%s: it was not examined", what)
		}
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Damage since the last session is found, also if it left the size and the time as they were.
func TestDamageSinceTheLastSession(t *testing.T) {
	dir := memoryDir(t)
	s := New(dir)
	for range 20 {
		create(t, s, ws)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, FileName)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 4096; i < len(data); i++ {
		data[i] ^= 0x5a
	}
	waitForTick(t, dir)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if _, told := examinedIn(t, dir); !strings.Contains(told, "are not kept") {
		t.Errorf("the user is told %q", told)
	}
}

// waitForTick waits until the file system has another time.
func waitForTick(t *testing.T, dir string) {
	t.Helper()
	name := filepath.Join(dir, "tick")
	var first time.Time
	for {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if first.IsZero() {
			first = info.ModTime()
		} else if info.ModTime().After(first) {
			return
		}
	}
}

// version returns the version of the database that this program writes.
func version(t *testing.T) int {
	t.Helper()
	scripts := migrations()
	return len(scripts)
}
