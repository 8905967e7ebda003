package match

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"redline/edits"
	"redline/edits/internal/edittest"
	"redline/edits/internal/linetext"
	"redline/edits/internal/showdiff"
)

// nearMiss is one edit of the corpus in testdata/nearmiss, whose README says
// how it is written.
type nearMiss struct {
	name           string
	text, old, new string
	all            bool
	step           string // the step that finds it; "" if it is refused
	want           string // the text afterwards
	reason         string // why it is refused
	lines          []int  // of "several"
}

// visibleChars are the characters that the corpus writes out.
var visibleChars = strings.NewReplacer("∎\n", "", "␍", "\r", "␠", " ", "␉", "\t", "⍽", "\u00a0", "⟨BOM⟩", edits.BOM)

var (
	oldHeader     = regexp.MustCompile(`^old( of all)?: (.+)$`)
	landsHeader   = regexp.MustCompile(`^lines (\d+)-(\d+), (.+)$`)
	textHeader    = regexp.MustCompile(`^result, (.+)$`)
	refusedHeader = regexp.MustCompile(`^refused, (\w+)((?: \d+)*)$`)
)

// nearMisses returns the edits of the corpus.
func nearMisses(t *testing.T) []nearMiss {
	names, err := filepath.Glob("testdata/nearmiss/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var out []nearMiss
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text, c := "", nearMiss{}
		for _, f := range archive.Files {
			data := visibleChars.Replace(string(f.Data))
			if f.Name == "text" {
				text = data
			} else if m := oldHeader.FindStringSubmatch(f.Name); m != nil {
				c = nearMiss{name: filepath.Base(name) + ": " + m[2], text: text, old: data, all: m[1] != ""}
			} else if f.Name == "new" {
				c.new = data
			} else if m := landsHeader.FindStringSubmatch(f.Name); m != nil {
				c.step, c.want = m[3], withLines(t, text, m[1], m[2], data)
				out = append(out, c)
			} else if m := textHeader.FindStringSubmatch(f.Name); m != nil {
				c.step, c.want = m[1], data
				out = append(out, c)
			} else if m := refusedHeader.FindStringSubmatch(f.Name); m != nil {
				c.reason = m[1]
				for _, n := range strings.Fields(m[2]) {
					line, _ := strconv.Atoi(n)
					c.lines = append(c.lines, line)
				}
				out = append(out, c)
			} else {
				t.Fatalf("%s: what is the section %q?", name, f.Name)
			}
		}
	}
	return out
}

// withLines returns text with lines first to last, counted from 1, replaced.
func withLines(t *testing.T, text, first, last, put string) string {
	from, _ := strconv.Atoi(first)
	to, _ := strconv.Atoi(last)
	lines := linetext.Split(text)
	if from < 1 || to > len(lines) || from > to+1 {
		t.Fatalf("there are no lines %d to %d in %q", from, to, text)
	}
	return strings.Join(lines[:from-1], "") + put + strings.Join(lines[to:], "")
}

func TestNearMissesLandInTheOnePlaceOrNowhere(t *testing.T) {
	cases := nearMisses(t)
	landed, refused := 0, 0
	seen := map[string]bool{}
	for _, c := range cases {
		if seen[c.name] {
			t.Errorf("%s: there are two of that name", c.name)
		}
		seen[c.name] = true
		es, m, err := Replace(c.text, c.old, c.new, Where{All: c.all})
		if err != nil {
			r := refusal(t, err)
			if r.Reason != c.reason || len(c.lines) > 0 && !slices.Equal(r.Lines, c.lines) {
				t.Errorf("%s: refused, %s %v, want %q by %q, %s %v\n%v", c.name, r.Reason, r.Lines, c.want, c.step, c.reason, c.lines, r)
				continue
			}
			refused++
			continue
		}
		if got := edittest.Apply(t, c.text, es...); got != c.want || m.Step != c.step {
			t.Errorf("%s: by %q, want %q %s\n%s", c.name, m.Step, c.step, c.reason, showdiff.Of(c.want, got).Text())
			continue
		}
		landed++
	}
	if len(cases) < 200 {
		t.Errorf("the corpus has %d edits, want at least 200", len(cases))
	}
	figure := fmt.Sprintf("%d near-miss edits %d land in the one right place, %d are refused, none lands elsewhere", len(cases), landed, refused)
	for _, name := range []string{"README.md", "docs/figures.md"} {
		page, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(strings.Join(strings.Fields(string(page)), " "), figure) {
			t.Errorf("%s does not say: %s", name, figure)
		}
	}
}
