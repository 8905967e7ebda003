package wordstest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/internal/wordstest"
)

func TestOf(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"a/b.go", `package a

import x "not for users"

type t struct {
	f string ` + "`json:\"a b\"`" + `
}

const why = "it is " +
	"so"

func f(n int) error {
	log.Warn("a log line")
	regexp.MustCompile("a pattern")
	if strings.HasPrefix(g, "not said") || g == "not said" {
		use("word")
	}
	switch g {
	case "not said":
		m := t{f: "a\tfield " + h("an argument") + " more"}
	}
	db.Exec("DROP it", "more of it")
	q := "SELECT a FROM b"
	return fmt.Errorf("no %s: %w", "of it", n)
}
`, `
a/b.go: Errorf: no %s: %w
a/b.go: Errorf: of it
a/b.go: f: a\tfield … more
a/b.go: h: an argument
a/b.go: why: it is so`},
		{"a/b.ts", `import { x } from "a b"; // it's a comment
const s = 'don\'t ask'; /* "a comment" */
say(` + "`run ${f(x)} now`" + `, /["'] a/.test(s), { title: "a title" });
`, `
a/b.ts: s: don't ask
a/b.ts: say: run … now
a/b.ts: title: a title`},
		{"a/b.lua", `local a = require("a b") -- it's a comment
--[[ "a long comment"
]]
say("plan %d waits", { desc = 'a key' })
local t = [[a long "text"]]
`, `
a/b.lua: desc: a key
a/b.lua: say: plan %d waits
a/b.lua: t: a long "text"`},
		{"a/b.el", `(defun f (x) ; it's "a comment"
  "Do \"this\" to X."
  (and (eq x ?\") (message "it is %s" x)))
`, `
a/b.el: message: it is %s
a/b.el: text: Do "this" to X.`},
		{"package.json", `{"name": "no text", "description": "It is good.", "contributes": {"commands": [{"key": "a b", "title": "Show It", "when": "a == b"}]}}`, `
package.json: description: It is good.
package.json: title: Show It`},
	} {
		texts, err := wordstest.Of(c.name, []byte(c.source))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Split(strings.TrimPrefix(c.want, "\n"), "\n"), wordstest.Lines(texts)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestOfRefusesWhatIsNotGo(t *testing.T) {
	if _, err := wordstest.Of("a.go", []byte("no Go")); err == nil {
		t.Error("a file that is not Go was read")
	}
}
