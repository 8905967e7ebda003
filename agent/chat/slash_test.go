package chat

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseSlash(t *testing.T) {
	for text, want := range map[string]Slash{
		"/approve 1 h2 saved":    {Name: "approve", Plan: 1, Args: []string{"h2"}, Saved: true},
		"/approve SAVED":         {Name: "approve", Saved: true},
		"/undo 3 saved":          {Name: "undo", Plan: 3, Saved: true},
		"/approve":               {Name: "approve"},
		"/approve 1":             {Name: "approve", Plan: 1},
		"/Approve 12 h1 h23":     {Name: "approve", Plan: 12, Args: []string{"h1", "h23"}},
		"/approve h1, h2":        {Name: "approve", Args: []string{"h1", "h2"}},
		"/approve 7.h1 7.h2":     {Name: "approve", Plan: 7, Args: []string{"h1", "h2"}},
		"/reject 2 too\nmuch":    {Name: "reject", Plan: 2, Rest: "too\nmuch"},
		"/reject not like this":  {Name: "reject", Rest: "not like this"},
		"/reject I like the old": {Name: "reject", Rest: "I like the old"},
		"/reject: not this":      {Name: "reject", Rest: "not this"},
		"/reject, 3 are enough":  {Name: "reject", Plan: 3, Rest: "are enough"},
		"/status.":               {Name: "status"},
		"/rework use a map":      {Name: "rework", Rest: "use a map"},
		"/rework":                {Name: "rework"},
		"/rework 3":              {Name: "rework", Plan: 3},
		"/rework 3 use a map":    {Name: "rework", Plan: 3, Rest: "use a map"},
		"/undo 4":                {Name: "undo", Plan: 4},
		"/rollback 4 2":          {Name: "rollback", Plan: 4, Args: []string{"2"}},
		"/revisions":             {Name: "revisions"},
		"  /status\r\n":          {Name: "status"},
		"/template fix a b":      {Name: "template", Args: []string{"fix"}, Rest: "a b"},
		"/plan rename a to b":    {Name: "plan", Rest: "rename a to b"},
		"/ask\nwhy?\n":           {Name: "ask", Rest: "why?"},
		"/new":                   {Name: "new"},
		"/text 2 files, please":  {Name: "text", Rest: "2 files, please"},
		"/decide":                {Name: "decide"},
		"/decide Ask":            {Name: "decide", Args: []string{"ask"}},
		"/decide plan":           {Name: "decide", Args: []string{"plan"}},
		"/rate good":             {Name: "rate", Rating: 5},
		"/rate 3 Bad":            {Name: "rate", Plan: 3, Rating: 1},
		"/rate 3 4":              {Name: "rate", Plan: 3, Rating: 4},
		"/trace":                 {Name: "trace"},
		"/trace t3":              {Name: "trace", Args: []string{"t3"}},
		"/help":                  {Name: "help"},
		"/send":                  {Name: "send"},
		"/heap do it":            {Name: "heap", Rest: "do it"},
		"/model":                 {Name: "model"},
		"/retry":                 {Name: "retry"},
		"/cancel":                {Name: "cancel"},
		"/revisions 2":           {Name: "revisions", Plan: 2},
		"/template fix":          {Name: "template", Args: []string{"fix"}},
		"/template":              {Name: "template"},
		"/reject":                {Name: "reject"},
		"/rework 2\n\nsmaller\n": {Name: "rework", Plan: 2, Rest: "smaller"},
	} {
		got, ok, err := ParseSlash(text)
		if !ok || err != nil {
			t.Errorf("ParseSlash(%q): %v, %v", text, ok, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("ParseSlash(%q): -want +got\n%s", text, diff)
		}
	}
}

func TestParseSlashLeavesMessages(t *testing.T) {
	for _, text := range []string{"", "rename /a to b", "/", "/usr/bin is missing", "//approve", "x\n/approve 1", "/a1", "/-"} {
		if s, ok, err := ParseSlash(text); ok || err != nil {
			t.Errorf("ParseSlash(%q) = %+v, %v, %v", text, s, ok, err)
		}
	}
}

func TestParseSlashErrors(t *testing.T) {
	for text, want := range map[string]string{
		"/aprove 1":                         "/approve?",
		"/re":                               "/help lists them",
		"/zzzzzz":                           "there is no command /zzzzzz",
		"/approve all":                      `"all" is not a hunk`,
		"/approve 1\nthanks":                `"thanks" is not a hunk`,
		"/approve 1 2.h1":                   "another plan",
		"/approve 0":                        "numbered from 1",
		"/approve 99999999999999999999":     "numbered from 1",
		"/approve 99999999999999999999.h1":  "another plan",
		"/rollback 1":                       "/rollback N R",
		"/rollback":                         "/rollback N R",
		"/rollback 1 2 3":                   "/rollback N R",
		"/status now":                       `"now" follows it`,
		"/trace t1 t2":                      `takes one turn, but "t2" follows it`,
		"/rate":                             "good, bad, or a number",
		"/rate 4":                           "/rate 4 good",
		"/rate 4 9":                         "good, bad, or a number",
		"/rate good stuff":                  `"stuff" follows it`,
		"/undo 1 h1":                        `"h1" follows it`,
		"/send " + strings.Repeat("x", 100): "…",
	} {
		_, ok, err := ParseSlash(text)
		if !ok || err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("ParseSlash(%q): %v, %v, want an error with %q", text, ok, err, want)
		}
	}
}

func TestDeciding(t *testing.T) {
	for name, want := range map[string]bool{
		"approve": true, "reject": true, "undo": true, "rollback": true, "rework": true, "rate": true,
		"plan": false, "help": false, "cancel": false, "nonsense": false,
	} {
		if got := Deciding(name); got != want {
			t.Errorf("Deciding(%q) = %v", name, got)
		}
	}
}

func TestHelpListsEveryCommand(t *testing.T) {
	lines := strings.Split(Help(), "\n")
	if len(lines) != len(commands) {
		t.Fatalf("%d lines for %d commands", len(lines), len(commands))
	}
	for i, c := range commands {
		if !strings.HasPrefix(lines[i], "- `/"+c.Name) || !strings.HasSuffix(lines[i], ": "+c.Does) {
			t.Errorf("%q does not explain /%s", lines[i], c.Name)
		}
	}
}
