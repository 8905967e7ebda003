package config

import (
	"strconv"
	"strings"

	"redline/internal/lazyregexp"
	"redline/internal/phrase"
)

// Template returns a settings file that explains every setting and sets none. Each setting is on
// a line that begins with #, with its default or, if it has none, an example. The text does not
// depend on the user's settings.
func Template() string {
	var b strings.Builder
	comment(&b, "Redline's settings, each with its default or an example. Take the # from a line to set it. "+
		"Environment variables and flags override this file; `redline doctor --config` shows what counts.")
	s := defaults()
	for _, table := range tablesInOrder() {
		b.WriteString("\n[" + table + "]\n")
		for _, k := range keysOf(table) {
			b.WriteString("\n")
			comment(&b, phrase.Sentence(k.about)+" Takes "+inTOML(k.values)+"."+before(k)+seePage(k.see))
			value := k.example
			if value == "" {
				value = literal(k.show(s))
			}
			b.WriteString("#" + strings.TrimPrefix(k.name, table+".") + " = " + value + "\n")
		}
	}
	b.WriteString("\n")
	comment(&b, "A table [mcp.NAME] is a tool server; see docs/tool-servers.md.")
	return b.String()
}

// before returns a sentence on the environment variable that overrides a setting, "" for none.
func before(k key) string {
	if k.env == "" {
		return ""
	}
	return " The environment variable " + k.env + " overrides it."
}

func seePage(page string) string {
	if page == "" {
		return ""
	}
	return " See docs/" + page + "."
}

// inTOML formats the values of a setting in TOML.
func inTOML(values string) string {
	return strings.ReplaceAll(strings.ReplaceAll(values, "`true` or `false`", "true or false"), "`", `"`)
}

// bare matches a value that needs no quotes.
var bare = lazyregexp.New(`^(true|false|[0-9.]+)$`)

func literal(value string) string {
	if bare().MatchString(value) {
		return value
	}
	return strconv.Quote(value)
}

// comment formats a text as lines of a comment.
func comment(b *strings.Builder, text string) {
	const width = 88
	at := 0
	for word := range strings.FieldsSeq(text) {
		switch {
		case at == 0:
			b.WriteString("#")
			at = 1
		case at+1+len(word) > width:
			b.WriteString("\n#")
			at = 1
		}
		b.WriteString(" " + word)
		at += 1 + len(word)
	}
	b.WriteString("\n")
}
