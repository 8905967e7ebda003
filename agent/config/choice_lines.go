package config

import (
	"slices"
	"strconv"
	"strings"

	"redline/internal/lazyregexp"
)

var (
	header    = lazyregexp.New(`^\s*\[\[?\s*(.*?)\s*\]\]?\s*(?:#.*)?$`)
	bareEntry = lazyregexp.New(`^\s*([A-Za-z0-9_-]+)\s*=`)
)

// statement is a piece of a settings file: a setting with all its lines, or a line without a
// setting.
type statement struct {
	lines []string
	name  string // the setting's name as written
	table string // the table that the lines are in
	opens bool   // it is a table header
}

// statementsOf splits the text of a settings file. A value may span several lines: it ends where
// its lines are valid TOML by themselves.
func statementsOf(text string) []statement {
	var all []statement
	table := ""
	lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")
	if text == "" {
		lines = nil
	}
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if of := header().FindStringSubmatch(line); of != nil {
			table = strings.Trim(of[1], `"'`)
			all = append(all, statement{lines: []string{line}, table: table, opens: true})
			continue
		}
		s := statement{lines: []string{line}, table: table}
		if of := bareEntry().FindStringSubmatch(line); of != nil {
			s.name = of[1]
		}
		if trimmed := strings.TrimSpace(line); trimmed != "" && !strings.HasPrefix(trimmed, "#") {
			for end := i + 1; end < len(lines) && !isTOML(s.lines); end++ {
				s.lines = append(s.lines, lines[end])
				i = end
			}
		}
		all = append(all, s)
	}
	return all
}

func isTOML(lines []string) bool {
	_, err := parse([]byte(strings.Join(lines, "\n")))
	return err == nil
}

// withValue returns the line of a setting with another value, and the comment after it if there
// is one.
func withValue(lines []string, e entry) string {
	indent := lines[0][:len(lines[0])-len(strings.TrimLeft(lines[0], " \t"))]
	comment := ""
	last := lines[len(lines)-1]
	for at := range last {
		if last[at] == '#' && isTOML(append(slices.Clone(lines[:len(lines)-1]), last[:at])) {
			comment = " " + strings.TrimRight(last[at:], " \t")
			break
		}
	}
	return indent + e.name + " = " + e.toml + comment
}

// joined joins statements with the line ends of the old text.
func joined(all []statement, old string) string {
	end := "\n"
	if strings.Contains(old, "\r\n") {
		end = "\r\n"
	}
	var b strings.Builder
	for _, s := range all {
		for _, line := range s.lines {
			b.WriteString(line + end)
		}
	}
	return b.String()
}

// quoted formats a text as a TOML string. JSON's escapes are valid in TOML, except for those
// that Go adds.
func quoted(text string) string {
	if !strings.ContainsAny(text, "'\n\r\t") && strings.Contains(text, `\`) {
		return "'" + text + "'" // a Windows path
	}
	q := strconv.Quote(text)
	return strings.NewReplacer(`\x`, `\u00`, `\a`, `\u0007`, `\v`, `\u000b`).Replace(q)
}
