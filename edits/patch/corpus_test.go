package patch_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// careless is one patch of testdata/*.txtar, whose README says how it is
// written.
type careless struct {
	name, text   string
	before, want tree
	refused      string
}

var (
	linesHeader   = regexp.MustCompile(`^lines (\d+)-(\d+) of (.+)$`)
	corpusVisible = strings.NewReplacer("∎\n", "", "␍", "\r", "␠", " ", "␉", "\t", "␌", "\f")
)

// corpus returns the patches of testdata/*.txtar.
func corpus(t testing.TB) []careless {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var out []careless
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files := tree{}
		var below int // lines of a text that have become others, from its end on
		for _, f := range archive.Files {
			data := corpusVisible.Replace(string(f.Data))
			var c *careless
			if len(out) > 0 {
				c = &out[len(out)-1]
			}
			if path, ok := strings.CutPrefix(f.Name, "text "); ok {
				files[path] = data
			} else if what, ok := strings.CutPrefix(f.Name, "patch: "); ok {
				out = append(out, careless{name: filepath.Base(name) + ": " + what, text: data, before: maps.Clone(files), want: maps.Clone(files)})
				below = 0
			} else if m := linesHeader.FindStringSubmatch(f.Name); m != nil {
				was := len(splitRows(c.want[m[3]]))
				c.want[m[3]] = withRows(t, c.want[m[3]], m[1], m[2], below, data)
				below += len(splitRows(c.want[m[3]])) - was
			} else if path, ok := strings.CutPrefix(f.Name, "result "); ok {
				c.want[path] = data
			} else if path, ok := strings.CutPrefix(f.Name, "gone "); ok {
				delete(c.want, path)
			} else if f.Name == "the same" {
				c.want = out[len(out)-2].want
			} else if f.Name == "refused" {
				c.refused = data
			} else {
				t.Fatalf("%s: what is the section %q?", name, f.Name)
			}
		}
	}
	return out
}

// withRows returns text with lines first to last, counted from 1, replaced. shift is by
// how many lines earlier replacements have moved them.
func withRows(t testing.TB, text, first, last string, shift int, put string) string {
	from, _ := strconv.Atoi(first)
	to, _ := strconv.Atoi(last)
	from, to = from+shift, to+shift
	rows := splitRows(text)
	if from < 1 || to > len(rows) || from > to+1 {
		t.Fatalf("there are no lines %d to %d in %q", from, to, text)
	}
	return strings.Join(rows[:from-1], "") + put + strings.Join(rows[to:], "")
}

// TestCarelessPatches runs the corpus: each patch has the intended result, byte for byte, or is
// refused.
func TestCarelessPatches(t *testing.T) {
	kinds := map[string][2]int{}
	seen := map[string]bool{}
	all := corpus(t)
	for _, c := range all {
		if seen[c.name] {
			t.Errorf("%s: there are two of that name", c.name)
		}
		seen[c.name] = true
		file, _, _ := strings.Cut(c.name, ".")
		kind := kinds[file]
		got, _, err := apply(c.before, c.text)
		switch {
		case c.refused == "" && err != nil:
			t.Errorf("%s: refused: %v", c.name, err)
		case c.refused == "":
			if maps.Equal(c.before, c.want) {
				t.Errorf("%s: does not say what must come of it", c.name)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s: files (-want +got):\n%s", c.name, diff)
			}
			kind[0]++
		case err == nil:
			t.Errorf("%s: not refused, but gives (-before +after):\n%s", c.name, cmp.Diff(c.before, got))
		default:
			for part := range strings.Lines(c.refused) {
				if !strings.Contains(err.Error(), strings.TrimSuffix(part, "\n")) {
					t.Errorf("%s: the refusal does not say %q:\n%v", c.name, part, err)
				}
			}
			kind[1]++
		}
		kinds[file] = kind
	}
	if len(all) < 140 {
		t.Errorf("the corpus has %d patches, want at least 140", len(all))
	}
	var table strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		fmt.Fprintf(&table, "%s: %d right, %d refused\n", kind, kinds[kind][0], kinds[kind][1])
	}
	t.Log("\n" + table.String())
}
