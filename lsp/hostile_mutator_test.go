package lsp

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// mutator makes malformed messages from valid ones.
type mutator struct {
	rand   *rand.Rand
	bodies []string       // valid messages
	near   *regexp.Regexp // matches the URIs of folders
	inside string         // part of the URI of every folder that may be opened
}

// next returns a message with its header.
func (m *mutator) next() string {
	for {
		body := m.bodies[m.rand.IntN(len(m.bodies))]
		if m.rand.IntN(5) < 3 {
			body = m.tree(body)
		} else {
			body = m.bytes(body)
		}
		if m.harmless(body) {
			return m.framed(body)
		}
	}
}

// harmless reports whether a message opens only folders of the test, and does not end the
// session.
func (m *mutator) harmless(body string) bool {
	if strings.Contains(body, `"exit"`) || strings.Contains(body, `"shutdown"`) {
		return false
	}
	if !strings.Contains(body, "didChangeWorkspaceFolders") {
		return true
	}
	var p struct {
		Params struct {
			Event struct{ Added []struct{ URI string } }
		}
	}
	if json.Unmarshal([]byte(body), &p) == nil {
		for _, f := range p.Params.Event.Added {
			if f.URI != "" && !strings.Contains(f.URI, m.inside) {
				return false
			}
		}
	}
	for _, uri := range m.near.FindAllStringSubmatch(body, -1) {
		if !strings.Contains(uri[1], m.inside) {
			return false
		}
	}
	return true
}

// framed puts a header before a body, sometimes a wrong one. It never announces more bytes
// than follow: the next message would then be read as part of this one.
func (m *mutator) framed(body string) string {
	switch m.rand.IntN(40) {
	case 0:
		return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", m.rand.IntN(len(body)+1), body)
	case 1:
		return fmt.Sprintf("Content-Length: -%d\r\n\r\n%s\r\n", len(body), body)
	case 2:
		return fmt.Sprintf("content-length:%d\r\nContent-Type: x\r\n\r\n%s", len(body), body)
	case 3:
		return "Nonsense\r\n\r\n"
	}
	return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
}

// bytes changes a few bytes.
func (m *mutator) bytes(body string) string {
	b := []byte(body)
	for range 1 + m.rand.IntN(4) {
		if len(b) == 0 {
			break
		}
		i := m.rand.IntN(len(b))
		switch m.rand.IntN(5) {
		case 0:
			b[i] ^= 1 << m.rand.IntN(8)
		case 1:
			b = slices.Delete(b, i, min(len(b), i+1+m.rand.IntN(8)))
		case 2:
			b = slices.Insert(b, i, []byte(odd[m.rand.IntN(len(odd))])...)
		case 3:
			b = b[:i]
		default:
			j := min(len(b), i+m.rand.IntN(40))
			b = slices.Insert(b, j, slices.Clone(b[i:j])...)
		}
	}
	return string(b)
}

// odd are values that no client should send.
var odd = []string{
	`null`, `[]`, `{}`, `""`, `-1`, `4294967296`, `1e400`, `0.5`, `true`, `"\u0000"`, `"\ud800"`, "\"\xff\xfe\"", `"../../../../etc/passwd"`, `"file:///"`, `"%00"`,
	`"untitled:x"`, `[[[[]]]]`, `{"uri":null}`, `{"a":{"a":{"a":{}}}}`, `9223372036854775807`, `-9223372036854775808`, `"` + strings.Repeat("x", 3000) + `"`,
	strings.Repeat("[", 2000) + strings.Repeat("]", 2000), strings.Repeat(`{"a":`, 500) + "1" + strings.Repeat("}", 500), `"/approve"`, `"redline.approve"`,
}

// raw is a value that is put into a message verbatim.
type raw string

func (r raw) MarshalJSON() ([]byte, error) { return []byte(r), nil }

// tree changes a few values or names in a message.
func (m *mutator) tree(body string) string {
	var v any
	if json.Unmarshal([]byte(body), &v) != nil {
		return body
	}
	for range 1 + m.rand.IntN(3) {
		v = m.value(v, 0)
	}
	return marshal(v)
}

// value changes v, or a value inside it.
func (m *mutator) value(v any, depth int) any {
	if depth > 1 && m.rand.IntN(4) == 0 {
		return raw(odd[m.rand.IntN(len(odd))])
	}
	switch v := v.(type) {
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		if len(keys) == 0 {
			return v
		}
		key := keys[m.rand.IntN(len(keys))]
		switch m.rand.IntN(8) {
		case 0:
			delete(v, key)
		case 1:
			v[strings.ToUpper(key)] = v[key]
		default:
			v[key] = m.value(v[key], depth+1)
		}
		return v
	case []any:
		if len(v) == 0 {
			return v
		}
		i := m.rand.IntN(len(v))
		if m.rand.IntN(5) == 0 {
			return append(v, v[i])
		}
		v[i] = m.value(v[i], depth+1)
		return v
	case float64:
		return v + float64(m.rand.IntN(9)-4)
	case string:
		if depth > 1 && m.rand.IntN(2) == 0 {
			return m.bytes(v)
		}
	}
	return v
}

// marshal returns JSON that may be invalid, since raw values are written verbatim.
func marshal(v any) string {
	switch v := v.(type) {
	case raw:
		return string(v)
	case map[string]any:
		var parts []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, marshal(key)+":"+marshal(v[key]))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case []any:
		var parts []string
		for _, item := range v {
			parts = append(parts, marshal(item))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	data, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(data)
}
