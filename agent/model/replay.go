package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"sync"
	"unicode/utf8"

	"redline/internal/lazyregexp"
	"redline/internal/phrase"
)

// replayer answers from a recording: an equal request gets the same answer, and the second of
// two equal requests the second answer. It uses no network, and does not wait between the pieces
// of an answer.
type replayer struct {
	dir    string
	redact redactor
	failed func(Kind) *Error
	read   func() ([]*recorded, error) // once

	mu   sync.Mutex
	used map[*recorded]bool
	seen int // requests so far
}

func newReplayer(dir string, redact redactor, failed func(Kind) *Error) *replayer {
	return &replayer{
		dir: dir, redact: redact, failed: failed, used: map[*recorded]bool{},
		read: sync.OnceValues(func() ([]*recorded, error) { return readRecording(dir) }),
	}
}

// RoundTrip answers a request from the recording.
func (r *replayer) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	all, err := r.read()
	if err != nil {
		return nil, r.missing("it cannot be read: %s", plainFailure(err))
	}
	x, err := r.find(all, contentOf(r.redact.document(body)))
	if err != nil {
		return nil, err
	}
	if x.Response == nil {
		return nil, errors.New(x.Failure)
	}
	header := http.Header{}
	for name, value := range x.Response.Headers {
		header.Set(name, value)
	}
	var answer bytes.Buffer
	for _, p := range x.Response.Body {
		answer.Write(p.bytes())
	}
	end := io.EOF
	if !x.Response.Ended {
		end = io.ErrUnexpectedEOF
	}
	return &http.Response{
		StatusCode: x.Response.Status, Status: fmt.Sprintf("%d %s", x.Response.Status, http.StatusText(x.Response.Status)),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: header, ContentLength: -1, Request: req,
		Body: io.NopCloser(io.MultiReader(&answer, ended{end})),
	}, nil
}

// ended is a reader at its end.
type ended struct{ err error }

func (e ended) Read([]byte) (int, error) { return 0, e.err }

func (r *replayer) missing(format string, args ...any) *Error {
	e := r.failed(KindNotRecorded)
	e.Host, e.Detail = r.dir, fmt.Sprintf(format, args...)
	return e
}

// find returns the recorded exchange that answers a request.
func (r *replayer) find(all []*recorded, ask map[string]any) (*recorded, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen++
	if len(all) == 0 {
		return nil, r.missing("there is none")
	}
	var same, nearest *recorded
	best := -1
	for _, x := range all {
		was := contentOf(x.Request)
		if reflect.DeepEqual(was, ask) {
			if same = x; !r.used[x] {
				r.used[x] = true
				return x, nil
			}
			continue
		}
		if near := alike(was, ask); near > best || near == best && r.used[nearest] && !r.used[x] {
			best, nearest = near, x
		}
	}
	switch {
	case same != nil && same.fails():
		return same, nil // the number of retries does not matter
	case same != nil:
		return nil, r.missing("request %d of this session is the one of %s, which was made fewer times", r.seen, same.file)
	}
	return nil, r.missing("request %d of this session is nearest to %s, and differs in %s", r.seen, nearest.file, difference(contentOf(nearest.Request), ask, ""))
}

// fails reports whether an exchange failed in a way that is retried.
func (x *recorded) fails() bool {
	if x.Response == nil || !x.Response.Ended {
		return true
	}
	if x.Response.Status/100 != 2 {
		_, temporary := kindOfStatus(x.Response.Status)
		return temporary
	}
	return !slices.ContainsFunc(x.Response.Body, func(p recordedPiece) bool { return finished().Match(p.bytes()) })
}

// finished matches the end of a complete reply: "finish_reason":"stop".
var finished = lazyregexp.New(`"finish_reason"\s*:\s*"`)

// contentOf returns a request's body without the members that may differ: the model's name, so
// that a recording can be replayed without the settings of its author, and whether the answer
// streams, which the recording decides.
func contentOf(body []byte) map[string]any {
	v, _ := decode(body)
	ask, ok := v.(map[string]any)
	if !ok {
		return map[string]any{}
	}
	for _, name := range []string{"model", "stream", "stream_options"} {
		delete(ask, name)
	}
	if limit, ok := ask["max_completion_tokens"]; ok {
		delete(ask, "max_completion_tokens")
		ask["max_tokens"] = limit
	}
	return ask
}

// alike scores how much two requests have in common; messages count most.
func alike(a, b map[string]any) (score int) {
	was, _ := a["messages"].([]any)
	now, _ := b["messages"].([]any)
	for i := range min(len(was), len(now)) {
		if reflect.DeepEqual(was[i], now[i]) {
			score += 10
		}
	}
	if len(was) == len(now) {
		score += 5
	}
	for _, name := range []string{"tools", "temperature", "top_p", "frequency_penalty", "max_tokens", "response_format"} {
		if reflect.DeepEqual(a[name], b[name]) {
			score++
		}
	}
	return score
}

// difference describes the first place where a request differs from the recorded one.
func difference(was, now any, path string) string {
	switch w := was.(type) {
	case map[string]any:
		n, ok := now.(map[string]any)
		if !ok {
			break
		}
		names := slices.Collect(maps.Keys(w))
		for name := range n {
			if _, both := w[name]; !both {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		for _, name := range names {
			at := name
			if path != "" {
				at = path + "." + name
			}
			a, recorded := w[name]
			b, asked := n[name]
			switch {
			case !asked:
				return at + ", which only the recording has"
			case !recorded:
				return at + ", which the recording does not have"
			case !reflect.DeepEqual(a, b):
				return difference(a, b, at)
			}
		}
	case []any:
		n, ok := now.([]any)
		if !ok {
			break
		}
		for i := range min(len(w), len(n)) {
			if !reflect.DeepEqual(w[i], n[i]) {
				return difference(w[i], n[i], fmt.Sprintf("%s[%d]", path, i))
			}
		}
		return fmt.Sprintf("%s, of which there are %d instead of %d", path, len(n), len(w))
	case string:
		n, ok := now.(string)
		if !ok {
			break
		}
		at := 0
		for at < min(len(w), len(n)) && w[at] == n[at] {
			at++
		}
		return fmt.Sprintf("%s at byte %d, with %q instead of %q", path, at, excerptAt(n, at), excerptAt(w, at))
	}
	doc := func(v any) string { data, _ := json.Marshal(v); return excerptAt(string(data), 0) } // it was decoded
	return fmt.Sprintf("%s, with %s instead of %s", path, doc(now), doc(was))
}

// excerptAt returns a short part of a text from an offset on.
func excerptAt(text string, at int) string {
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return phrase.StartBytes(text[at:], 40)
}
