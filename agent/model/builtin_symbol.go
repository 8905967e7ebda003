package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"redline/internal/lazyregexp"
	"redline/internal/phrase"
)

// symbol renames a name where language servers answer: they know which of its places mean the same. Else it
// changes every place of the text.
type symbol struct {
	from, to string
	asText   everywhere
}

// maxDefined is how many files with the name a language server is asked about.
const maxDefined = 20

func (n symbol) run(s *script) (string, error) {
	if n.asText.glob != "" || !s.offered["rename_symbol"] || !s.offered["definition"] || s.need("search") != nil {
		return n.asText.run(s)
	}
	found, err := s.search(n.asText.query, "")
	if err != nil {
		return "", err
	}
	defined, err := n.definitions(s, found.files)
	if err != nil {
		return "", err
	}
	if len(defined) == 0 {
		return n.asText.run(s)
	}
	return n.rename(s, defined)
}

// place is where a symbol is defined.
type place struct {
	path string
	line int
}

// definedAt matches an answer of the tool definition with one place.
var definedAt = lazyregexp.New(`^([^\n]+?):(\d+):(?: [^\n]*)?$`)

// late begins the answer of a tool when a language server takes too long, for example because it still starts.
const late = failed + "the language server did not answer in time"

// definitions returns where the name is defined in the files of the workspace, as far as language
// servers know; nothing if one of them takes too long, since a part of the places is no renaming.
func (n symbol) definitions(s *script, files []string) (all []place, err error) {
	var wishes []wish
	for _, path := range files[:min(len(files), maxDefined)] {
		wishes = append(wishes, wish{"definition", args{"path": path, "symbol": n.from}})
	}
	var results []string
	for len(wishes) > 0 {
		n := 1 // whether a server is there at all is known from the first
		if len(results) > 0 {
			n = len(wishes)
		}
		answers, err := s.do(wishes[:n]...)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(answers, func(answer string) bool { return strings.HasPrefix(answer, late) }) {
			return nil, nil
		}
		results, wishes = append(results, answers...), wishes[n:]
	}
	for _, result := range results {
		m := definedAt().FindStringSubmatch(result)
		if m == nil || strings.HasPrefix(m[1], "/") || strings.HasPrefix(result, failed) {
			continue
		}
		line, err := strconv.Atoi(m[2])
		if at := (place{m[1], line}); err == nil && !slices.Contains(all, at) {
			all = append(all, at)
		}
	}
	return all, nil
}

// rename has the language server rename each symbol of the name.
func (n symbol) rename(s *script, defined []place) (string, error) {
	var wishes []wish
	for _, at := range defined {
		wishes = append(wishes, wish{"rename_symbol", args{"path": at.path, "line": at.line, "symbol": n.from, "new_name": n.to}})
	}
	results, err := s.do(wishes...)
	if err != nil {
		return "", err
	}
	var files, refused []string
	for i, result := range results {
		if why, no := refusal(result); no {
			refused = append(refused, fmt.Sprintf("%s: %s", defined[i].path, why))
			continue
		}
		for line := range strings.Lines(result) {
			if rest, ok := strings.CutPrefix(line, "staged: rename_symbol "); ok {
				path, _, _ := strings.Cut(rest, " line")
				if !slices.Contains(files, path) {
					files = append(files, path)
				}
			}
		}
	}
	report := ""
	if len(files) > 0 {
		report = fmt.Sprintf("I planned to %s where the language server says that it is used, in %s (%s). Comments and other texts may still have the old name.", n.asText.what, phrase.Count(len(files), "file"), list(files))
	}
	if len(refused) > 0 {
		return report, problem(fmt.Sprintf("Not everything could be planned to %s: %s.", n.asText.what, list(refused)))
	}
	return report, nil
}
