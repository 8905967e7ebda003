package loop

import (
	"strings"
	"testing"
)

// through sends a reply through a filter in pieces of a size and returns what is
// shown, and what is held back at the end.
func through(reply string, size int) (shown, rest string) {
	var f WrittenFilter
	for reply != "" {
		n := min(size, len(reply))
		shown += f.Next(reply[:n])
		reply = reply[n:]
	}
	return shown, f.Rest()
}

func TestFilter(t *testing.T) {
	for _, test := range []struct{ name, reply, shown string }{
		{"words", "It is so, [as] you {see}.", "It is so, [as] you {see}."},
		{"bare", "[" + look + "]", ""},
		{"fence", "I look:\n```json\n[" + look + "]\n```\n", "I look:\n"},
		{"in a sentence", "My plan: [" + look + "] as you see.", "My plan: "},
		{"tag", "So:\n<tool_call>\n" + look + "</tool_call>", "So:\n"},
		{"other code", "```go\nfunc f() {}\n```\nand [1, 2], `x`, <b>", "```go\nfunc f() {}\n```\nand [1, 2], `x`, <b>"},
		{"other JSON", "It is\n```json\n{\"name\": 1}\n```\nso.", "It is\n```json\n{\"name\": 1}\n```\nso."},
		{"name first, alone", `[{"name":"read_file","arguments":{}}]`, ""},
		{"steps, alone", "```\n{\"steps\":[" + look + "]}", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			for size := 1; size <= len(test.reply); size++ {
				shown, rest := through(test.reply, size)
				if shown != test.shown || shown+rest != test.reply {
					t.Fatalf("in pieces of %d: %q is shown and %q held back, want %q", size, shown, rest, test.shown)
				}
			}
		})
	}
}

// Nothing is held back for long unless it begins as a plan does.
func TestFilterHoldsLittle(t *testing.T) {
	for _, reply := range []string{"[" + strings.Repeat(" ", 4096), strings.Repeat("[{", 4096), "```" + strings.Repeat("x", 4096), strings.Repeat("<tool_cal", 1000)} {
		if _, rest := through(reply, 7); len(rest) > maxOpening {
			t.Errorf("of %.20q %d bytes are held back", reply, len(rest))
		}
	}
}

func FuzzFilter(f *testing.F) {
	for _, seed := range []string{"```json\n[" + look, "a [ {'tool'", "<tool_call>\n[", "`````` [{\"actio", "[ \n {\"name\" :1"} {
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, reply string, size int) {
		shown, rest := through(reply, min(max(1, size), len(reply)+1))
		if shown+rest != reply {
			t.Fatalf("%q has become %q and %q", reply, shown, rest)
		}
		if whole, _ := through(reply, len(reply)+1); whole != shown {
			t.Fatalf("%q is shown as %q, and as %q in pieces of %d", reply, whole, shown, size)
		}
	})
}
