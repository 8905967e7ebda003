package model_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/quick"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "redline/internal/seed"
)

func TestTurns(t *testing.T) {
	type files = map[string]string
	for _, test := range []struct {
		name, request string
		before, after files // after: only what differs; "-" for a file that was deleted
		answer        string
		requests      int
		commands      []string
	}{
		{
			name:    "rename whole identifiers",
			request: "rename load to fetch",
			before: files{
				"a.go": "func load() {}\nfunc reload() { load() }\n// load, preload, load_all, loadé, (load)\n",
				"b.go": "x := load()\n\n\ny := load()\n\n\nx := load()\n",
				"c.md": "nothing\n",
			},
			after: files{
				"a.go": "func fetch() {}\nfunc reload() { fetch() }\n// fetch, preload, load_all, loadé, (fetch)\n",
				"b.go": "x := fetch()\n\n\ny := fetch()\n\n\nx := fetch()\n",
			},
			answer:   "I planned to rename load to fetch: 7 places in 2 files (a.go, b.go).",
			requests: 4,
		},
		{
			name:     "line ends, byte order mark, no final newline, text outside the BMP",
			request:  "  Rename größe TO 😀x.  ",
			before:   files{"a": "größe\r\n"},
			answer:   "I could not read this: \"😀x\" is not an identifier",
			requests: 1,
		},
		{
			name:    "line ends, byte order mark, no final newline, text outside the BMP (2)",
			request: "  Rename größe TO 𝒳.  ",
			before:  files{"a": "\ufeffgröße\r\n😀 größe \r\n\r\nmax_größe größe\u0301\r\ngröße", "b": "Größe"},
			after:   files{"a": "\ufeff𝒳\r\n😀 𝒳 \r\n\r\nmax_größe größe\u0301\r\n𝒳"},
			answer:  "I planned to rename größe to 𝒳: 3 places in 1 file (a).",
		},
		{
			name:    "rename in a glob, with the place of the request behind it",
			request: "rename a to b in *.go\n\n```context\nfile: x.go\nlines: 1-2\nselection:\n    rename c to d\n```",
			before:  files{"x.go": "a\n", "y.txt": "a\n"},
			after:   files{"x.go": "b\n"},
			answer:  "I planned to rename a to b in *.go: 1 place in 1 file (x.go).",
		},
		{
			name:    "rename in a glob, with a block in what the block quotes",
			request: "rename a to b in *.go\n\n`````context\nrules: R.md:\n````\nx\n\n```context\nthen delete y.txt\n```\n````\n`````",
			before:  files{"x.go": "a\n", "y.txt": "a\n"},
			after:   files{"x.go": "b\n"},
			answer:  "I planned to rename a to b in *.go: 1 place in 1 file (x.go).",
		},
		{
			name:    "rename in a folder",
			request: "rename a to b in lib/",
			before:  files{"lib/x/y.go": "a\n", "y.go": "a\n"},
			after:   files{"lib/x/y.go": "b\n"},
			answer:  "I planned to rename a to b in lib/**: 1 place in 1 file (lib/x/y.go).",
		},
		{
			name:    "nothing to rename",
			request: "rename load to fetch",
			before:  files{"a": "reload"},
			answer:  "I found nothing to rename load to fetch, so I planned nothing.",
		},
		{
			name:    "replace text, with quotes and a backslash",
			request: `replace "say \"hi\\n\"" with "\t"`,
			before:  files{"a": `x say "hi\n" y` + "\n"},
			after:   files{"a": "x \t y\n"},
			answer:  `I planned to replace "say \"hi\\n\"" with "\t": 1 place in 1 file (a).`,
		},
		{
			name:    "replace several lines, whatever their ends",
			request: `replace "one\ntwo" with "1\n2\n3"`,
			before:  files{"crlf": "one\r\ntwo\r\none\r\n", "lf": "one\ntwo\n", "mixed": "one\r\ntwo\none\ntwo\n"},
			after:   files{"crlf": "1\r\n2\r\n3\r\none\r\n", "lf": "1\n2\n3\n", "mixed": "one\r\ntwo\n1\n2\n3\n"},
			answer:  `I planned to replace "one\ntwo" with "1\n2\n3": 3 places in 3 files (crlf, lf, mixed).`,
		},
		{
			name:    "comments on lines of a plan",
			request: "a, line 1 (one):\nreplace \"one\" with \"1\"\n\na, line 2 of the old text (two):\nreplace \"two\" with \"2\"\n\na, line 3:\nreplace \"three\" with \"3\"",
			before:  files{"a": "one\ntwo\nthree\n"},
			after:   files{"a": "1\n2\n3\n"},
			answer:  "I planned to replace \"one\" with \"1\": 1 place in 1 file (a).\nI planned to replace \"two\" with \"2\": 1 place in 1 file (a).\nI planned to replace \"three\" with \"3\": 1 place in 1 file (a).",
		},
		{
			name:    "replace overlapping text",
			request: `replace "aa" with "aab"`,
			before:  files{"a": "aaaaa\n"},
			after:   files{"a": "aabaaba\n"},
			answer:  `I planned to replace "aa" with "aab": 2 places in 1 file (a).`,
		},
		{
			name:    "replace a pattern",
			request: `replace /(\w+)\/(\w+)$/ with "${2}/$1" in *.txt then run ls`,
			before:  files{"a.txt": "x/y\r\na b/c\n/\n", "b": "x/y"},
			after:   files{"a.txt": "y/x\r\na c/b\n/\n"},
			answer: `I planned to replace /(\w+)/(\w+)$/ with "${2}/$1" in *.txt: 2 places in 1 file (a.txt).` + "\n" +
				"I planned to run ls.",
			commands: []string{"ls"},
		},
		{
			name:    "replace an empty match",
			request: `replace /^/ with "> "`,
			before:  files{"a": "x\n\ny"},
			after:   files{"a": "> x\n> \n> y"},
			answer:  `I planned to replace /^/ with "> ": 3 places in 1 file (a).`,
		},
		{
			name:    "delete text, lines and all",
			request: `replace "x\n" with ""`,
			before:  files{"a": "x\nx\ny\nx\n"},
			after:   files{"a": "y\n"},
			answer:  `I planned to replace "x\n" with "": 3 places in 1 file (a).`,
		},
		{
			name:    "insert",
			request: `insert "new\n" before "two" in a; then insert "!" after "one" in a`,
			before:  files{"a": "one\r\ntwo"},
			after:   files{"a": "one!\r\nnew\r\ntwo"},
			answer:  "I planned an insertion before \"two\" in a.\nI planned an insertion after \"one\" in a.",
		},
		{
			name:    "insert at several places",
			request: `insert "x" before "a" in f then delete f`,
			before:  files{"f": "a\nb a\n"},
			answer:  "I found \"a\" in f in several places (lines 1, 2); name a longer piece of text.\nI left out what came after it (1 instruction).",
		},
		{
			name:    "insert at no place",
			request: `insert "x" before "a" in f`,
			before:  files{"f": "b"},
			answer:  `I found "a" nowhere in f, so I planned nothing there.`,
		},
		{
			name:    "create, delete, move, run",
			request: `create "a b.txt" with "x\ny" then delete c then move d to lib/, then move e to f then run go test ./... && echo "then delete f"`,
			before:  files{"c": "", "d": "D", "e": "E"},
			after:   files{"a b.txt": "x\ny", "c": "-", "d": "-", "lib/d": "D", "e": "-", "f": "E"},
			answer: "I planned the new file a b.txt.\nI planned to delete c.\nI planned to move d to lib/d.\nI planned to move e to f.\n" +
				`I planned to run go test ./... && echo "then delete f".`,
			commands: []string{`go test ./... && echo "then delete f"`},
		},
		{
			name:     "a command with then in it",
			request:  "run if true; then echo a; fi then run `date`, then create x with \"\"",
			before:   files{},
			after:    files{"x": ""},
			answer:   "I planned to run if true; then echo a; fi.\nI planned to run date.\nI planned the new file x.",
			commands: []string{"if true; then echo a; fi", "date"},
		},
		{
			name:    "create what exists",
			request: `create a with "x"`,
			before:  files{"a": ""},
			answer:  "a exists already, so I did not replace it.",
		},
		{
			name:    "delete what does not exist",
			request: `delete a then delete b`,
			before:  files{"b": ""},
			answer:  "I could not plan to delete a: there is no file a.\nI left out what came after it (1 instruction).",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := &workspace{files: test.before}
			want := files{}
			for name, text := range test.before {
				want[name] = text
			}
			for name, text := range test.after {
				if want[name] = text; text == "-" {
					delete(want, name)
				}
			}
			answer := w.ask(t, test.request, all...)
			if !strings.HasPrefix(answer, test.answer) || len(answer) != len(test.answer) && !strings.Contains(answer, "write: ") {
				t.Errorf("answered\n%s\nwant\n%s", answer, test.answer)
			}
			if diff := cmp.Diff(want, w.files); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.commands, w.commands); diff != "" {
				t.Errorf("commands (-want +got):\n%s", diff)
			}
			if test.requests != 0 && w.requests != test.requests {
				t.Errorf("took %d requests, want %d", w.requests, test.requests)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	for _, test := range []struct{ request, says string }{
		{"", "I am Redline's built-in model."},
		{"How do I write a loop?", "I am Redline's built-in model."},
		{"renamed files", "I am Redline's built-in model."},
		{"rename a", `I could not read this: expected "to" at the end; write: rename OLD to NEW [in GLOB].`},
		{"rename a to b or c", `I could not read this: "or c" after an instruction is none itself; join instructions with "then".`},
		{"rename a to a", "I could not read this: both names are the same;"},
		{"rename a.b to c", `I could not read this: "a.b" is not an identifier;`},
		{"delete a then be happy", `I could not read this: after "then" comes no instruction but "be happy".`},
		{`replace "a\d" with "b"`, `I could not read this: in a quoted text I know only \" \\ \n \t;`},
		{`replace "a`, "I could not read this: a quoted text does not end;"},
		{`replace "\n" with "b"`, "I could not read this: there is no text to look for;"},
		{`replace /(/ with "b"`, "I could not read this: the regular expression is not valid (missing closing ): `(`);"},
		{`replace /a with "b"`, "I could not read this: the regular expression does not end with a slash;"},
		{"run", "I could not read this: the command is missing; write: run COMMAND."},
		{"try", "I could not read this: the command is missing; write: try COMMAND."},
		{"delete", "I could not read this: expected a file's name at the end; write: delete FILE."},
		{`insert "a" at "b" in c`, `I could not read this: expected "before" or "after", not "at \"b\" in c";`},
		{strings.Repeat("delete a then ", 50) + "delete a", "I could not read this: these are more than 50 instructions."},
	} {
		w := &workspace{}
		answer := w.ask(t, test.request, all...)
		if !strings.HasPrefix(answer, test.says) {
			t.Errorf("%q is answered\n%s\nwant\n%s", test.request, answer, test.says)
		}
		for _, part := range []string{`rename OLD to NEW [in GLOB]`, `insert "TEXT" before|after "TEXT" in FILE`, `run COMMAND`, `try COMMAND`, "`redline setup`", "*Redline: Set Up a Model…*", "OPENAI_BASE_URL", "OPENAI_API_KEY", "REDLINE_MODEL"} {
			if !strings.Contains(answer, part) {
				t.Errorf("the help for %q does not name %s", test.request, part)
			}
		}
	}
}

func TestWithoutTheTools(t *testing.T) {
	w := &workspace{files: map[string]string{"a": "x"}}
	for _, request := range []string{"rename x to y", `insert "a" after "x" in a`, `create b with ""`, "delete a", "move a to b", "run ls"} {
		if got, want := w.ask(t, request, "search", "read_file"), "This needs a plan, and this mode makes none: send it as an ordinary request."; got != want {
			t.Errorf("%q without writing tools: %q", request, got)
		}
	}
	if got, want := w.ask(t, "run ls", "edit_file"), "This needs the tool run_command, which is not available for this request."; got != want {
		t.Errorf("without run_command: %q", got)
	}
}

// A trial is not a command of the plan. The answer has its result, and its output between marks
// that the output does not contain; what follows runs whether the trial passed or failed.
func TestTrials(t *testing.T) {
	tools := append(slices.Clone(all), "try_command")
	w := &workspace{files: map[string]string{"a": "x\n"}, trial: "exit code 1 after 0.1 s (with your staged edits)\nFAIL\n```\nwithout your edits: exit code 0: your edits broke it\n"}
	answer := w.ask(t, "rename x to y then try `go test ./...`, then run ls", tools...)
	want := "I planned to rename x to y: 1 place in 1 file (a).\n" +
		"I tried go test ./...: exit code 1 after 0.1 s (with your staged edits).\n\n" +
		"````\nFAIL\n```\nwithout your edits: exit code 0: your edits broke it\n````\n" +
		"I planned to run ls."
	if answer != want {
		t.Errorf("answered\n%s\nwant\n%s", answer, want)
	}
	if diff := cmp.Diff([]string{"go test ./..."}, w.tried); diff != "" {
		t.Errorf("tried (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"ls"}, w.commands); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}

	w = &workspace{trial: "error: `ls` is not tried: the user's rule \"ls\" denies it."}
	if got, want := w.ask(t, "try ls then run ls", tools...), "I could not try ls: `ls` is not tried: the user's rule \"ls\" denies it.\nI left out what came after it (1 instruction)."; got != want {
		t.Errorf("refused, it answered\n%s\nwant\n%s", got, want)
	}
	if got, want := w.ask(t, "try ls", all...), "I could not try ls: trials are not possible here, or you have not allowed them (`redline trials status` says which)."; got != want {
		t.Errorf("without try_command, it answered\n%s\nwant\n%s", got, want)
	}
}

func TestRefusedEdits(t *testing.T) {
	w := &workspace{files: map[string]string{"a": "x\n\nx\n", "b": "x\n"}, readOnly: "a"}
	want := "I planned to rename x to y: 1 place in 1 file (b).\nNot everything could be planned to rename x to y: a: it may not be changed.\nI left out what came after it (1 instruction)."
	if got := w.ask(t, "rename x to y then run ls", all...); got != want {
		t.Errorf("answered\n%s\nwant\n%s", got, want)
	}
}

func TestLongFilesAndManyHits(t *testing.T) {
	w := &workspace{files: map[string]string{}, readLines: 7, hits: 30}
	for i := range 5 {
		w.files[fmt.Sprint(i)] = strings.Repeat("x\na\n", 10) + "x"
	}
	got := w.ask(t, "rename x to y", all...)
	if want := "I planned to rename x to y: 55 places in 5 files (0, 1, 2, 3, 4)."; got != want {
		t.Errorf("answered %q, want %q", got, want)
	}
	for name, text := range w.files {
		if text != strings.Repeat("y\na\n", 10)+"y" {
			t.Errorf("%s is %q", name, text)
		}
	}

	w.hits = 9 // one file per round
	got = w.ask(t, "rename y to z", all...)
	if want := "The search left something out (2 more hits (narrow the search to see them))"; !strings.Contains(got, want) {
		t.Errorf("answered %q, want in it %q", got, want)
	}
}

// Whatever the text, the edits change every place correctly, and each old text is in the file
// exactly once when its turn comes (the workspace checks that).
func TestEditsAreExact(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		line := rapid.SampledFrom([]string{"x", "ax", "x x", "", "b", "😀x", "x\r"})
		text := strings.Join(rapid.SliceOfN(line, 1, 300).Draw(rt, "lines"), "\n")
		to := rapid.SampledFrom([]string{"y", "xx", "x y", "", "y\ny"}).Draw(rt, "to")
		w := &workspace{files: map[string]string{"f": text}}
		escaped := strings.ReplaceAll(to, "\n", `\n`)
		w.ask(t, fmt.Sprintf(`replace /\bx/ with "%s"`, escaped), all...)
		want := regexp.MustCompile(`\bx`).ReplaceAllString(text, to)
		if ends := strings.Count(text, "\n"); ends > 0 && ends == strings.Count(text, "\r\n") {
			want = regexp.MustCompile(`\bx`).ReplaceAllString(text, strings.ReplaceAll(to, "\n", "\r\n"))
		}
		if diff := cmp.Diff(want, w.files["f"]); diff != "" {
			rt.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

// The empty lines at the start of a file are part of it.
func TestFilesThatBeginWithEmptyLines(t *testing.T) {
	w := &workspace{files: map[string]string{"f": "\n\n😀x\n\n😀x"}}
	w.ask(t, `replace /\bx/ with "xx"`, all...)
	if want := "\n\n😀xx\n\n😀xx"; w.files["f"] != want {
		t.Errorf("the file is %q, want %q", w.files["f"], want)
	}
}

// The tools may answer anything: the turn always ends.
func TestHostileAnswers(t *testing.T) {
	requests := []string{"rename a to b", `insert "x" after "y" in f`, `create f with "x"`, "delete f"}
	check := func(which uint8, answers []string) bool {
		return endsWith(t, requests[int(which)%len(requests)], answers)
	}
	if err := quick.Check(check, nil); err != nil {
		t.Error(err)
	}
	for _, answer := range []string{
		"[lines 1-1 of 9999999999999999999]\na", "[lines 1-3 of 5]\na\n", "[lines 9-1 of 5]\n", "[lines 1-1 of 2]\na",
		"a:1: a\nb:1: a", "… ", "error: ", "error:", "a:1:\n… more", ":1: a",
	} {
		for _, request := range requests {
			if !endsWith(t, request, []string{answer}) || !endsWith(t, request, []string{"f:1: a", answer}) {
				t.Errorf("%q does not end when tools answer %q", request, answer)
			}
		}
	}
}
