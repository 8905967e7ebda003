package recall

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"redline/agent/model"
	_ "redline/internal/seed"
)

// words are texts with addresses, paths, names and numbers in them, and with bytes
// that are no text.
var words = rapid.Custom(func(t *rapid.T) string {
	part := rapid.OneOf(
		rapid.SampledFrom([]string{
			"the", "and", "größer", "日本語", "\n", "plan 7", "plan 12,", "https://a.test/x?a=1&b=2", "https://a.test/x", "cmd/main.go",
			"fooBar", "snake_case", "12", "120", "`two words`", "\"said so\"", "\xff\xfe", "v1.2.", "--force", "x", "\r\n", "[…",
		}),
		rapid.StringMatching(`[a-z]{1,12}`), rapid.StringMatching(`https://[a-z]{2,8}\.test/[a-z0-9]{0,20}`), rapid.String(),
	)
	return strings.Join(rapid.SliceOfN(part, 0, 200).Draw(t, "parts"), " ")
})

// A text that is shortened has room for its bound, is text, and has every address
// and name that there is room for; it says how many it has not.
func TestShorten(t *testing.T) { rapid.Check(t, checkShorten) }

// No character is cut in two where the space between words has several bytes.
func TestShortenedAtWideSpaces(t *testing.T) {
	if got := Shorten(strings.Repeat("世界\u3000", 100), 200); !utf8.ValidString(got) {
		t.Errorf("%q", got)
	}
}

func FuzzShorten(f *testing.F) { f.Fuzz(rapid.MakeFuzz(checkShorten)) }

func checkShorten(t *rapid.T) {
	text, most := words.Draw(t, "text"), rapid.IntRange(100, 4000).Draw(t, "most")
	short := Shorten(text, most)
	if len(short) > most || !utf8.ValidString(short) {
		t.Fatalf("%d bytes of at most %d, valid %v: %q", len(short), most, utf8.ValidString(short), short)
	}
	valid := strings.ToValidUTF8(text, "?")
	if len(valid) <= most && short != valid {
		t.Fatalf("there was room, and it became %q", short)
	}
	names, size, lost := Words(valid, 0), 0, 0
	for _, name := range names {
		size += len(name) + 2
		if !strings.Contains(short, name) {
			lost++
		}
	}
	if lost > 0 && !strings.Contains(short, "more names too") {
		t.Fatalf("%d names are lost without a word: %q of %q", lost, short, text)
	}
	if lost > 0 && size+100 <= most {
		t.Fatalf("%d names are lost, and %d bytes are enough: %q", lost, size, short)
	}
}

// A memory that is folded is small enough, tells what happened last as it was, and
// has every name of what it told, or says that it has not.
func TestFold(t *testing.T) { rapid.Check(t, checkFold) }

func FuzzFold(f *testing.F) { f.Fuzz(rapid.MakeFuzz(checkFold)) }

func checkFold(t *rapid.T) {
	tokens := rapid.IntRange(400, 3000).Draw(t, "tokens")
	var m Memory
	var said []string
	for i := range rapid.IntRange(1, 25).Draw(t, "turns") {
		e := Exchange{Seq: int64(i + 1), Request: words.Draw(t, "request"), Answer: words.Draw(t, "answer")}
		said = append(said, e.Request, e.Answer)
		m.Exchanges = append(m.Exchanges, e)
		if n := m.Older(tokens); n > 0 {
			text := ""
			if rapid.Bool().Draw(t, "by a model") {
				text = words.Draw(t, "summary")
			}
			turns := m.Summary.Turns
			m = m.Fold(n, text, tokens)
			if m.Summary.Turns != turns+n || m.Upto != int64(m.Summary.Turns) {
				t.Fatalf("%+v after %d were folded", m, n)
			}
		}
		if m.Older(tokens) > 0 {
			t.Fatalf("it has to be folded again")
		}
		if last := m.Exchanges[len(m.Exchanges)-1]; last != e {
			t.Fatalf("the last exchange is %+v", last)
		}
	}
	messages, _ := m.Messages("Earlier:", tokens)
	var told strings.Builder
	for _, msg := range messages {
		if !utf8.ValidString(msg.Content) {
			t.Fatalf("%q is not valid", msg.Content)
		}
		told.WriteString(msg.Content + "\n")
	}
	if size := told.Len() / bytesPerToken; size > tokens+tokens/2 {
		t.Fatalf("%d tokens of %d", size, tokens)
	}
	all := told.String()
	if strings.Contains(all, "names had no room") || strings.Contains(all, "more names too") {
		return
	}
	for _, text := range said {
		for _, name := range Words(strings.ToValidUTF8(text, "?"), 0) {
			if !strings.Contains(all, name) {
				t.Fatalf("%q is lost without a word:\n%s", name, all)
			}
		}
	}
}

// Without a model a summary is the beginnings of what was said, the oldest of which
// go at last; names stay.
func TestFoldWithoutAModel(t *testing.T) {
	m := Memory{}
	for i := range 100 {
		m.Exchanges = append(m.Exchanges, Exchange{Request: fmt.Sprintf("please change file%d.go", i), Answer: "Plan " + fmt.Sprint(i) + " does it. " + strings.Repeat("Many words. ", 20)})
	}
	n := m.Older(2500)
	m = m.Fold(n, "", 2500)
	text := m.Summary.String()
	for _, want := range []string{"not told any more", "user: please change file80.go", "file50.go", "Plan 50"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if n < 60 || m.Summary.Turns != n || strings.Contains(text, "user: please change file0.go") {
		t.Errorf("%d turns:\n%s", n, text)
	}
}

func TestMessages(t *testing.T) {
	m := Memory{Exchanges: []Exchange{{Request: "one?", Answer: "two\n> three"}}}
	if got, _ := m.Messages("Earlier:", 1000); len(got) != 2 || got[0].Role != model.RoleUser || got[1].Role != model.RoleAssistant {
		t.Errorf("messages %+v", got)
	}
	m = m.Fold(1, "It was\n``` three.", 1000)
	if got, _ := m.Messages("Earlier:\n", 1000); len(got) != 1 || got[0].Content != "Earlier:\n\n> It was\n> ``` three." {
		t.Errorf("messages %+v", got)
	}
	m.Exchanges = []Exchange{{Request: "long?", Answer: strings.Repeat("words ", 2000)}}
	if got, n := m.Messages("Earlier:", 1000); n != 1 || len(got) != 3 || len(got[2].Content) > 3000 || !strings.Contains(got[2].Content, "are left out") {
		t.Errorf("%d are shortened, messages %+v", n, got)
	}
}
