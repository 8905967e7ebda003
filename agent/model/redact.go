package model

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"redline/internal/phrase"
	"redline/workspace/secrets"
)

// redactor removes secrets from recordings. It knows the same secrets as an [echo]: shorter ones
// may be ordinary words.
type redactor struct {
	secrets []string
	replace *strings.Replacer
}

func newRedactor(secrets []string) redactor {
	secrets = slices.DeleteFunc(longestFirst(secrets), func(s string) bool { return len(s) < minEcho })
	var pairs []string
	for _, s := range secrets {
		pairs = append(pairs, s, keyRemoved)
	}
	return redactor{secrets, strings.NewReplacer(pairs...)}
}

// longestFirst sorts secrets, since one may contain another.
func longestFirst(secrets []string) []string {
	return slices.SortedStableFunc(slices.Values(secrets), func(a, b string) int { return len(b) - len(a) })
}

// found reports whether a text has a secret.
func (r redactor) found(text string) bool {
	return slices.ContainsFunc(r.secrets, func(s string) bool { return strings.Contains(text, s) })
}

// document returns a JSON document without secrets in its strings.
func (r redactor) document(data []byte) []byte {
	v, ok := decode(data)
	if !ok {
		return []byte(r.replace.Replace(string(data)))
	}
	changed := false
	v = visit(v, "", func(_, s string) string {
		clean := r.replace.Replace(s)
		changed = changed || clean != s
		return clean
	})
	if !changed {
		return data
	}
	return encode(v)
}

// body removes the secrets from an answer, including secrets split over several events of a
// stream. Lines without a secret stay unchanged.
func (r redactor) body(pieces []recordedPiece) {
	if len(r.secrets) == 0 {
		return
	}
	type line struct {
		text    string
		payload any
		prefix  string
		json    bool
	}
	lines := make([][]line, len(pieces))
	said := map[string]*strings.Builder{} // the text of the events, by its place in the JSON
	times := map[string]int{}             // in how many pieces
	for i, p := range pieces {
		for text := range strings.Lines(string(p.bytes())) {
			l := line{text: r.replace.Replace(text)}
			payload, isData := strings.CutPrefix(strings.TrimSpace(text), "data:")
			if isData {
				l.prefix = "data: "
			}
			if l.payload, l.json = decode([]byte(payload)); l.json {
				l.payload = visit(l.payload, "", func(path, s string) string {
					clean := r.replace.Replace(s)
					if said[path] == nil {
						said[path] = &strings.Builder{}
					}
					said[path].WriteString(clean)
					times[path]++
					return clean
				})
			}
			lines[i] = append(lines[i], l)
		}
	}
	// If a secret is split, the last piece gets all of the text: what must precede it, such as
	// the name of a call, then does.
	whole := map[string]string{}
	for path, b := range said {
		if r.found(b.String()) {
			whole[path] = r.replace.Replace(b.String())
		}
	}
	for i := range pieces {
		var out bytes.Buffer
		changed := false
		for _, l := range lines[i] {
			if !l.json {
				out.WriteString(l.text)
				continue
			}
			before := encode(l.payload)
			payload := visit(l.payload, "", func(path, s string) string {
				text, cut := whole[path]
				if !cut {
					return s
				}
				if times[path]--; times[path] > 0 {
					return ""
				}
				return text
			})
			after := encode(payload)
			if was, _ := decode([]byte(strings.TrimPrefix(strings.TrimSpace(l.text), "data:"))); bytes.Equal(before, after) && bytes.Equal(encode(was), after) {
				out.WriteString(l.text)
				continue
			}
			changed = true
			fmt.Fprintf(&out, "%s%s\n", l.prefix, after)
		}
		if text := out.Bytes(); changed || !bytes.Equal(text, pieces[i].bytes()) {
			pieces[i] = pieceOf(pieces[i].Ms, text)
		}
	}
}

// decode reads a JSON object, array or string, and keeps numbers as written.
func decode(data []byte) (v any, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if dec.Decode(&v) != nil || dec.More() {
		return nil, false
	}
	switch v.(type) {
	case map[string]any, []any, string:
		return v, true
	}
	return nil, false
}

// encode returns the JSON of a value that decode has read.
func encode(v any) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("what was JSON is none: %v", err))
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// visit returns a JSON value with each string replaced. The path of an array's element has the
// element's own index member, if it has one, or else its position.
func visit(v any, path string, replace func(path, s string) string) any {
	switch v := v.(type) {
	case string:
		return replace(path, v)
	case []any:
		out := make([]any, len(v))
		for i, element := range v {
			name := fmt.Sprint(i)
			if m, ok := element.(map[string]any); ok {
				if index, ok := m["index"].(json.Number); ok {
					name = index.String()
				}
			}
			out[i] = visit(element, path+"/"+name, replace)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, member := range v {
			out[replace(path+"/"+name+"/name", name)] = visit(member, path+"/"+name, replace)
		}
		return out
	}
	return v
}

// maxDetail limits how many bytes of a provider's own words get into an error.
const maxDetail = 300

// scrubber removes a provider's secrets from text that a user will see.
type scrubber struct {
	known *strings.Replacer
	inURL []string // the secret parts of the base URL
}

// newScrubber knows the secrets that are sent, and the user, password and query of the base URL.
func newScrubber(sent []string, base *url.URL) scrubber {
	var inURL []string
	if base != nil {
		if password, ok := base.User.Password(); ok {
			sent = append(slices.Clone(sent), base64.StdEncoding.EncodeToString([]byte(base.User.Username()+":"+password)))
			inURL = append(inURL, password)
		}
		for _, values := range base.Query() {
			inURL = append(inURL, values...)
		}
		sent = slices.Concat(sent, inURL, []string{base.User.Username()})
	}
	return scrubber{secrets.Replacer(sent), inURL}
}

// line returns text without secrets, as one bounded line of visible characters.
func (s scrubber) line(text string) string {
	text = s.known.Replace(strings.ToValidUTF8(text, "\uFFFD"))
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " ")
	text = secrets.Masked(secrets.WithoutQueries(s.known.Replace(text), secrets.Removed))
	return strings.TrimRight(phrase.StartBytes(text, maxDetail), ". ")
}
