package chat

import (
	"strings"
	"testing"
)

// The place is where the bar is.
func TestCompletingAt(t *testing.T) {
	const head = "# Redline\n\n## You\n\nold\n\n## Redline\n\n/no @no\n\n## You\n\n"
	for text, want := range map[string]struct {
		what   What
		prefix string
		span   string
	}{
		head + "/|":                        {CommandName, "", "/"},
		head + "/app|rove":                 {CommandName, "app", "/app"},
		head + "\n\n/un|":                  {CommandName, "un", "/un"},
		head + "do it\n/s|":                {SendLine, "s", "/s"},
		head + "/approve |":                {PlanNumber, "", ""},
		head + "/Rework 1|2 more":          {PlanNumber, "1", "1"},
		head + "/rollback |":               {PlanNumber, "", ""},
		head + "/decide a|":                {WayToDecide, "a", "a"},
		head + "/template fi|":             {TemplateName, "fi", "fi"},
		head + "see @|":                    {MentionedName, "", "@"},
		head + "see (@a/b.g|o":             {MentionedName, "a/b.g", "@a/b.g"},
		head + "/plan mend @ser|":          {MentionedName, "ser", "@ser"},
		head + "the `code` of @x|":         {MentionedName, "x", "@x"},
		head + "see @\"my no|":             {MentionedName, "my no", "@\"my no"},
		"## You\r\n\r\n/ap|":               {CommandName, "ap", "/ap"},
		head + "ä @ö|":                     {MentionedName, "ö", "@ö"},
		head + "/approve 1 @x|":            {MentionedName, "x", "@x"},
		head + "some\nlines\n\nand @here|": {MentionedName, "here", "@here"},
	} {
		offset := strings.Index(text, "|")
		text = strings.Replace(text, "|", "", 1)
		c, ok := CompletingAt(text, offset)
		if !ok || c.What != want.what || c.Prefix != want.prefix || text[c.Span.Start:c.Span.End] != want.span {
			t.Errorf("%q at %d: %+v, %v, want %+v", text, offset, c, ok, want)
		}
	}
	for _, text := range []string{
		"|", "/|", "# Redline\n\n/ap|", "## You\n\n/ap|\n\n## Redline\n\nx\n", "## Redline\n\n/ap|", "## Y|ou\n\nx",
		head + "say /ap|", head + "/ap x|", head + "mail me@x|", head + "`@Over|ride`", head + "/status |", head + "word|", head + "/nothing 1|",
	} {
		offset := strings.Index(text, "|")
		if c, ok := CompletingAt(strings.Replace(text, "|", "", 1), offset); ok {
			t.Errorf("%q: %+v, want nothing", text, c)
		}
	}
}

func FuzzCompletingAt(f *testing.F) {
	f.Add("## You\n\n/a", 10)
	f.Add("## You\n\nsee @\"x y", 14)
	f.Fuzz(func(t *testing.T, text string, offset int) {
		if offset < 0 || offset > len(text) {
			return
		}
		c, ok := CompletingAt(text, offset)
		if ok && (c.Span.Start < 0 || c.Span.Start > c.Span.End || c.Span.End != offset || !strings.HasSuffix(text[:offset], c.Prefix)) {
			t.Errorf("%q at %d: %+v", text, offset, c)
		}
	})
}
