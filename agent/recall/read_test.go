package recall

import (
	"fmt"
	"strings"
	"testing"
)

func numbered(n int) (text string) {
	for i := range n {
		text += fmt.Sprintln("line", i+1)
	}
	return text
}

// What was read is known while it is the same, also below a change that moves it; what was changed
// is not.
func TestReadIsKnown(t *testing.T) {
	var r Read
	text := numbered(200)
	r.Add("a.go", text, 1, 100)
	r.Add("a.go", text, 150, 160)
	r.Add("b.go", "one\n", 1, 1)
	r.Add("gone.go", "one\n", 1, 1)
	r.Add("empty.go", "", 1, 0)
	r = DecodeRead(r.Encode())
	known := func(files map[string]string) string {
		var all []string
		for _, k := range r.In(func(path string) (string, bool) { text, ok := files[path]; return text, ok }) {
			if k.Hash != hashOf(k.Text) || !strings.Contains(files[k.Path], k.Text) {
				t.Errorf("%s has the text %q", k, k.Text)
			}
			all = append(all, fmt.Sprintf("%s %d-%d of %d", k.Path, k.First, k.Last, k.Of))
		}
		return strings.Join(all, ", ")
	}
	for name, c := range map[string]struct{ a, want string }{
		"same":     {text, "a.go 1-100 of 200, a.go 150-160 of 200, b.go 1-1 of 1"},
		"above":    {"new\n" + text, "a.go 2-101 of 201, a.go 151-161 of 201, b.go 1-1 of 1"},
		"in it":    {strings.Replace(text, "line 50\n", "line 50\nnew\n", 1), "a.go 1-40 of 201, a.go 82-101 of 201, a.go 151-161 of 201, b.go 1-1 of 1"},
		"replaced": {strings.Replace(text, "line 3\n", "line three\n", 1), "a.go 41-100 of 200, a.go 150-160 of 200, b.go 1-1 of 1"},
		"shorter":  {"line 1\n", "b.go 1-1 of 1"},
		"empty":    {"", "b.go 1-1 of 1"},
	} {
		if got := known(map[string]string{"a.go": c.a, "b.go": "one\n", "empty.go": ""}); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// The newest look at a file counts, in a turn and among several.
func TestNewestReadCounts(t *testing.T) {
	var old, again Read
	old.Add("a.go", "one\ntwo\n", 1, 2)
	old.Add("b.go", "one\n", 1, 1)
	again.Add("a.go", "one\n", 1, 1)
	again.Add("a.go", "one\ntwo\nthree\n", 2, 3)
	m := Memory{Exchanges: []Exchange{{Read: old.Encode()}, {Read: again.Encode()}, {Read: "no JSON"}}}
	got := m.Read()
	if len(got.Files) != 2 || got.Files[0].Path != "a.go" || got.Files[0].Of != 3 || len(got.Files[0].Pieces) != 1 {
		t.Errorf("%+v", got)
	}
	for i := range 100 {
		again.Add(fmt.Sprint(i), numbered(1000), 1, 1000)
	}
	if n := len(again.Encode()); n > 40_000 {
		t.Errorf("%d bytes are stored", n)
	}
}
