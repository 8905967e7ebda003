// Package predict finds the files that a plan in words will probably change: from a model's
// list ([Schema], [Parse]), or from what looks like a file in its words ([Words]). It only
// reads text.

package chat

import (
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"redline/internal/fence"
	"redline/internal/lazyregexp"
	"redline/internal/stable"
)

// MaxPredicted is how many files a prediction may have.
const MaxPredicted = 50

// maxPath is how many bytes a path may have.
const maxPath = 300

// PredictSchema is the JSON schema of a model's list.
var PredictSchema = json.RawMessage(`{"type":"object","properties":{"files":{"type":"array","items":{"type":"string"}}},"required":["files"],"additionalProperties":false}`)

// ParsePredicted reads a model's list of files: one JSON object, alone or in one fence. The paths are
// as the model wrote them. The error is one sentence.
func ParsePredicted(reply string) ([]string, error) {
	var in struct {
		Files *[]string `json:"files"`
	}
	if err := jsonv2.Unmarshal([]byte(fence.Unwrap(reply)), &in, jsonv2.RejectUnknownMembers(true)); err != nil || in.Files == nil {
		return nil, errors.New("the list of files is not the JSON object that was asked for")
	}
	return *in.Files, nil
}

var (
	inQuotes = lazyregexp.New("`([^`\\s]+)`")
	bare     = lazyregexp.New(`(?:^|[\s("'])((?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.[A-Za-z][A-Za-z0-9]{0,9}|(?:[\w.@+-]+/)+[\w@+-]+)`)
	called   = lazyregexp.New(`^(?:.*/)?(?:[\w@+.-]*\.[A-Za-z][A-Za-z0-9]{0,9}|Makefile|Dockerfile|Containerfile|LICENSE|README|CHANGELOG|Gemfile|Rakefile|Procfile|Justfile)$`)
	method   = lazyregexp.New(`^[A-Za-z_]\w*\.[A-Z]\w*$`) // a name from a program, such as fmt.Println
)

// PredictFromWords returns what looks like a file in a plan in words, in order. known reports whether a
// file exists at a path: a name without an extension, and not in backticks, counts only then.
func PredictFromWords(description string, known func(path string) bool) []string {
	type hit struct {
		at   int
		path string
	}
	var hits []hit
	for _, m := range inQuotes().FindAllStringSubmatchIndex(description, -1) {
		word := clean(description[m[2]:m[3]])
		if called().MatchString(word) && !method().MatchString(word) || known(word) {
			hits = append(hits, hit{m[2], word})
		}
	}
	for _, m := range bare().FindAllStringSubmatchIndex(description, -1) {
		word := clean(strings.TrimRight(description[m[2]:m[3]], "."))
		likely := strings.Contains(word, "/") && called().MatchString(word) && !strings.Contains(word, "..")
		if likely || known(word) {
			hits = append(hits, hit{m[2], word})
		}
	}
	stable.Sort(hits, func(a, b hit) int { return a.at - b.at })
	paths := make([]string, len(hits))
	for i, h := range hits {
		paths[i] = h.path
	}
	return paths
}

// CleanPredicted returns the workspace paths of a list: those that check accepts, each once, at most
// [Max].
func CleanPredicted(paths []string, check func(path string) (string, error)) []string {
	var out []string
	for _, p := range paths {
		p = clean(p)
		if p == "" || p == "." || len(p) > maxPath || strings.ContainsAny(p, "\n\r\x00*?") {
			continue
		}
		p, err := check(p)
		if err != nil || slices.Contains(out, p) {
			continue
		}
		if out = append(out, p); len(out) == MaxPredicted {
			break
		}
	}
	return out
}

// clean removes what is often around a path: "./", a line number.
func clean(p string) string {
	p = strings.Trim(strings.TrimSpace(p), "`\"'")
	if name, line, ok := strings.Cut(p, ":"); ok && strings.Trim(line, "0123456789:-") == "" {
		p = name
	}
	if p == "" {
		return ""
	}
	return path.Clean(p)
}
