package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"redline/agent/model"
	"redline/agent/model/modeltest"
)

// offline fails the test if a request is sent through it.
type offline struct {
	t interface{ Errorf(string, ...any) }
}

func (o offline) RoundTrip(r *http.Request) (*http.Response, error) {
	o.t.Errorf("a request went to %s", r.URL)
	return nil, errors.New("offline")
}

// filesIn returns the files of a recording, by name.
func filesIn(t testing.TB, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(data)
	}
	return files
}

// Recorded requests are answered again, including failures, offline.
func TestReplayIsTheSame(t *testing.T) {
	html := modeltest.Reply{Header: http.Header{"Content-Type": {"text/html"}}, Parts: []modeltest.Part{modeltest.Raw("<html>")}}
	busy := modeltest.Fail(429, `{"error":"slow down"}`)
	busy.Header = http.Header{"Retry-After": {"1"}}
	stream := modeltest.Stream(modeltest.Text("Text π."), modeltest.Call("read_file", `{"path":"a"}`))
	for name, replies := range map[string][]modeltest.Reply{
		"stream":       {stream},
		"several":      {stream, modeltest.Stream(modeltest.Text("other"))},
		"whole":        {raw(`{"choices":[{"finish_reason":"stop","message":{"content":"hi"}}]}`)},
		"not UTF-8":    {raw("data: {\"choices\":[{\"delta\":{\"content\":\"\xff\"},\"finish_reason\":\"stop\"}]}\n\n")},
		"cut":          {modeltest.Stream(modeltest.Text("some"), modeltest.Cut())},
		"busy":         {busy, stream},
		"learned":      {modeltest.Fail(400, `{"error":"m does not support tools"}`), stream},
		"401":          {modeltest.Fail(401, `{"error":"no"}`)},
		"404":          {modeltest.Fail(404, `{"error":"no such model"}`)},
		"web page":     {html},
		"always 500":   {modeltest.Fail(500, "oops")},
		"empty":        {raw("")},
		"[DONE] alone": {raw("data: [DONE]\n\n")},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "new", "recording")
				server := modeltest.New(replies...)
				for range 30 {
					server.Add(replies[len(replies)-1])
				}
				ask := func(c model.Config) (all []string) {
					p := model.New(c)
					for i := range 2 { // the same request twice
						request := working()
						if i == 1 && name != "several" {
							request.Messages[1].Content = "other"
						}
						reply, err := p.Complete(t.Context(), request, nil)
						all = append(all, fmt.Sprintf("%+v %v", reply, err))
					}
					return all
				}
				config := model.Config{BaseURL: modeltest.BaseURL, APIKey: testKey, Name: "m", Transport: server}
				config.Record = dir
				was := ask(config)
				config.Record, config.Transport = "", offline{t}
				config.Replay = dir
				if diff := cmp.Diff(was, ask(config)); diff != "" {
					t.Errorf("replayed (-recorded +replayed):\n%s", diff)
				}
			})
		})
	}
}

// A replay needs no settings, only the recording.
func TestReplayAlone(t *testing.T) {
	dir := t.TempDir()
	config := model.Config{BaseURL: modeltest.BaseURL, APIKey: testKey, Name: "o3-mini", Transport: modeltest.New(modeltest.Stream(modeltest.Text("hi"))), Record: dir}
	request := model.Request{Messages: hello().Messages, MaxTokens: 9}
	if _, err := model.New(config).Complete(t.Context(), request, nil); err != nil {
		t.Fatal(err)
	}
	p := model.New(model.Config{Replay: dir})
	if reply, err := p.Complete(t.Context(), request, nil); err != nil || reply.Text != "hi" {
		t.Errorf("got %+v, %v", reply, err)
	}
	if got, want := p.Info(), (model.Info{Provider: "replay", Name: "o3-mini"}); got != want {
		t.Errorf("it is called %+v, want %+v", got, want)
	}
}

// The built-in model is recorded like any other.
func TestBuiltinIsRecorded(t *testing.T) {
	dir := t.TempDir()
	was, err := model.New(model.Config{Record: dir}).Complete(t.Context(), hello(), nil)
	if err != nil {
		t.Fatal(err)
	}
	p := model.New(model.Config{Replay: dir})
	again, err := p.Complete(t.Context(), hello(), nil)
	if diff := cmp.Diff(was, again); err != nil || diff != "" {
		t.Errorf("%v, replayed (-recorded +replayed):\n%s", err, diff)
	}
	if got := p.Info(); got.Provider != "builtin" { // it gets fewer requests than others
		t.Errorf("it is called %+v", got)
	}
}

// A file of a recording has the request as it was sent, the answer as it was received, and the
// time.
func TestWhatIsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		reply := modeltest.Stream(modeltest.Text("one"), modeltest.Wait("on"), modeltest.Text("two"))
		reply.Header = http.Header{"Set-Cookie": {"session=never"}, "Content-Type": {"text/event-stream"}}
		server := modeltest.New(reply)
		wire := recorded(t, modeltest.Stream(modeltest.Text("one"), modeltest.Text("two")))
		p := model.New(model.Config{BaseURL: modeltest.BaseURL, Name: "m", Transport: server, Record: dir})
		done := make(chan error, 1)
		go func() {
			_, err := p.Complete(model.Labelled(t.Context(), "t7"), hello(), nil)
			done <- err
		}()
		time.Sleep(1500 * time.Millisecond)
		server.Release("on")
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		var x struct {
			Format, Turn, Endpoint string
			Began                  time.Time
			Request                map[string]any
			Response               struct {
				Status  int
				Headers map[string]string
				Ended   bool
				Body    []struct {
					Ms   int64
					Text string
				}
			}
		}
		files := filesIn(t, dir)
		if err := json.Unmarshal([]byte(files["0001.json"]), &x); err != nil || len(files) != 1 {
			t.Fatalf("%v in %v", err, files)
		}
		if x.Format != "redline exchange 1" || x.Turn != "t7" || x.Endpoint != modeltest.BaseURL || !x.Began.Equal(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)) {
			t.Errorf("got %+v", x)
		}
		if x.Request["model"] != "m" || x.Response.Status != 200 || !x.Response.Ended || len(x.Response.Headers) != 1 {
			t.Errorf("got %+v", x)
		}
		all := ""
		for i, p := range x.Response.Body {
			all += p.Text
			if want := int64(1500); i >= 3 && p.Ms != want || i < 3 && p.Ms != 0 { // a text is three fragments
				t.Errorf("piece %d came after %d ms", i, p.Ms)
			}
		}
		if all != wire {
			t.Errorf("recorded is\n%s\nwant\n%s", all, wire)
		}
		if info, err := os.Stat(filepath.Join(dir, "0001.json")); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("others may read it: %v, %v", info.Mode(), err)
		}
	})
}

// A recording has no key, no header and no secret of the base URL, whatever the user's files and
// the provider contain.
func TestNoSecretIsRecorded(t *testing.T) {
	const key, gateway, password, query = "sk-canary-0123456789", "gw-canary-é\"0123", "pw-canary-012345", "qu-canary-012345"
	secrets := []string{key, gateway, password, query}
	said := strings.Join(secrets, " and ")
	escaped, _ := json.Marshal(said)
	split := func(s string) (parts []modeltest.Part) {
		for _, r := range s {
			parts = append(parts, modeltest.Text(string(r)))
		}
		return parts
	}
	twoCalls := ""
	for i, r := range key + "xx" { // fragments of two calls, one by one
		for index := range 2 {
			head := ""
			if i == 0 {
				head = fmt.Sprintf(`"name":"f","id":"c%d",`, index)
			}
			_ = head
			twoCalls += fmt.Sprintf(`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,"function":{%s"arguments":%q}}]}}]}`+"\n\n", index, strings.TrimSuffix(head, `"id":"c0",`), string(r))
		}
	}
	for name, reply := range map[string]modeltest.Reply{
		"text":       modeltest.Stream(modeltest.Text(said)),
		"characters": {Parts: split(said)},
		"arguments":  modeltest.Stream(modeltest.Call("write_file", `{"content":`+string(escaped)+`}`)),
		"two calls":  raw(twoCalls),
		"escapes":    raw(`data: {"choices":[{"index":0,"delta":{"content":"\u0073k-canary-0123456789"},"finish_reason":"stop"}]}` + "\n\n"),
		"whole":      raw(`{"choices":[{"finish_reason":"stop","message":{"content":` + string(escaped) + `}}]}`),
		"error":      modeltest.Fail(400, said),
		"JSON error": modeltest.Fail(401, `{"error":{"message":`+string(escaped)+`}}`),
		"comment":    raw(": " + said + "\n\n" + string(escaped) + "\n"),
		"cut":        modeltest.Stream(modeltest.Text(said), modeltest.Cut()),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			config := model.Config{
				BaseURL: "http://joe:" + password + "@model.test/v1?code=" + query, APIKey: key, Name: "m", GiveUp: time.Millisecond,
				Headers: []model.Header{{Name: "X-Gateway", Value: gateway, Secret: true}}, Transport: modeltest.New(reply), Record: dir,
			}
			request := hello()
			request.Messages[0].Content = "My file says: " + said
			_, _ = model.New(config).Complete(t.Context(), request, nil) // its end does not matter
			files := filesIn(t, dir)
			if len(files) == 0 {
				t.Fatal("nothing was recorded")
			}
			for file, text := range files {
				var doc any
				if err := json.Unmarshal([]byte(text), &doc); err != nil {
					t.Fatalf("%s: %v", file, err)
				}
				decoded := fmt.Sprint(doc)
				for _, secret := range append(secrets, "Authorization", "X-Gateway", "Bearer") {
					quoted, _ := json.Marshal(secret)
					if strings.Contains(decoded, secret) || strings.Contains(text, secret) || strings.Contains(decoded, strings.Trim(string(quoted), `"`)) {
						t.Errorf("%s holds %s:\n%s", file, secret, text)
					}
				}
				if !strings.Contains(text, "[key removed]") {
					t.Errorf("nothing was removed from %s", text)
				}
			}

			// Replies from which the key was removed can be replayed too.
			config.Record, config.Replay, config.Transport = "", dir, offline{t}
			if _, err := model.New(config).Complete(t.Context(), request, nil); err != nil && strings.Contains(err.Error(), "not in the recording") {
				t.Error(err)
			}
		})
	}
}

// A request that was not recorded is an error that names the request and its difference.
func TestNotInTheRecording(t *testing.T) {
	dir := t.TempDir()
	ok := modeltest.Stream(modeltest.Text("ok"))
	record := model.New(model.Config{BaseURL: modeltest.BaseURL, Name: "m", Transport: modeltest.New(ok, ok), Record: dir})
	for _, request := range []model.Request{hello(), working()} {
		if _, err := record.Complete(t.Context(), request, nil); err != nil {
			t.Fatal(err)
		}
	}
	changed := func(change func(*model.Request)) model.Request {
		r := working()
		change(&r)
		return r
	}
	for name, test := range map[string]struct {
		request model.Request
		says    string
	}{
		"text": {changed(func(r *model.Request) { r.Messages[3].Content = "the changed text" }),
			`nearest to 0002.json, and differs in messages[3].content at byte 4, with "changed text" instead of "text"`},
		"fewer messages": {changed(func(r *model.Request) { r.Messages = r.Messages[:4] }), "differs in messages, of which there are 4 instead of 5"},
		"a tool":         {changed(func(r *model.Request) { r.Tools = r.Tools[:1] }), "differs in tools, of which there are 1 instead of 2"},
		"no tools":       {changed(func(r *model.Request) { r.Tools = nil }), "differs in tools, which only the recording has"},
		"a limit":        {changed(func(r *model.Request) { r.MaxTokens = 8 }), "differs in max_tokens, with 8 instead of 9"},
		"nearly hello":   {model.Request{Messages: []model.Message{{Role: model.RoleUser, Content: "hell"}}}, `nearest to 0001.json, and differs in messages[0].content at byte 4, with "" instead of "o"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := model.New(model.Config{Replay: dir}).Complete(t.Context(), test.request, nil)
			e := wantKind(t, err, model.KindNotRecorded)
			if text := e.Error(); !strings.Contains(text, test.says) || !strings.Contains(text, dir) || !strings.Contains(text, "request 1 of this session") {
				t.Errorf("got  %s\nwant in it %s", text, test.says)
			}
		})
	}
	t.Run("too often", func(t *testing.T) {
		p := model.New(model.Config{Replay: dir})
		if _, err := p.Complete(t.Context(), hello(), nil); err != nil {
			t.Fatal(err)
		}
		_, err := p.Complete(t.Context(), hello(), nil)
		if e := wantKind(t, err, model.KindNotRecorded); !strings.Contains(e.Error(), "request 2 of this session is the one of 0001.json, which was made fewer times") {
			t.Errorf("got %s", e)
		}
	})
	for name, text := range map[string]string{"no recording": "", "no JSON": "{", "another format": `{"format":"redline exchange 99"}`} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if text != "" {
				if err := os.WriteFile(filepath.Join(dir, "0001.json"), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, err := model.New(model.Config{Replay: dir}).Complete(t.Context(), hello(), nil)
			wantKind(t, err, model.KindNotRecorded)
		})
	}
}

// A recording with a gap is invalid: the next request says so.
func TestWhatCannotBeRecorded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	server := modeltest.New(modeltest.Stream(modeltest.Text("ok")))
	_, err := model.New(model.Config{BaseURL: modeltest.BaseURL, Transport: server, Record: dir}).Complete(t.Context(), hello(), nil)
	wantKind(t, err, model.KindNotKept)
	if len(server.Requests()) != 0 {
		t.Error("the request was sent all the same")
	}

	dir = t.TempDir()
	server = modeltest.New(modeltest.Stream(modeltest.Text("ok"), modeltest.Wait("on")), modeltest.Stream(modeltest.Text("ok")))
	p := model.New(model.Config{BaseURL: modeltest.BaseURL, Transport: server, Record: dir})
	_, err = p.Complete(t.Context(), hello(), func(e model.Event) {
		if e.Text != "" {
			os.RemoveAll(dir)
			server.Release("on")
		}
	})
	if err != nil {
		t.Errorf("the reply that was there is lost: %v", err)
	}
	_, err = p.Complete(t.Context(), hello(), nil)
	wantKind(t, err, model.KindNotKept)
}

// Several processes record several requests at a time into one directory.
func TestRecordingAtTheSameTime(t *testing.T) {
	dir := t.TempDir()
	const each = 20
	var work sync.WaitGroup
	for process := range 2 {
		server := modeltest.New()
		for range each {
			server.Add(modeltest.Stream(modeltest.Text("ok")))
		}
		p := model.New(model.Config{BaseURL: modeltest.BaseURL, Transport: server, Record: dir})
		for i := range each {
			work.Go(func() {
				request := hello()
				request.Messages[0].Content = fmt.Sprint(process, " ", i)
				if _, err := p.Complete(context.Background(), request, nil); err != nil {
					t.Error(err)
				}
			})
		}
	}
	work.Wait()
	if n := len(filesIn(t, dir)); n != 2*each {
		t.Errorf("there are %d files, want %d", n, 2*each)
	}
	p := model.New(model.Config{Replay: dir})
	for process := range 2 {
		for i := range each {
			request := hello()
			request.Messages[0].Content = fmt.Sprint(process, " ", i)
			if reply, err := p.Complete(t.Context(), request, nil); err != nil || reply.Text != "ok" {
				t.Errorf("%d %d: got %+v, %v", process, i, reply, err)
			}
		}
	}
}

// Any bytes of an answer are replayed as they were received, or lead to the same reply.
func TestReplayProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp("", "recording")
		if err != nil {
			rt.Fatal(err)
		}
		defer os.RemoveAll(dir)
		reply := model.Reply{
			Text:  rapid.SampledFrom([]string{"", "some text", "π😀 " + testKey, "<think>x</think>y"}).Draw(rt, "text"),
			Calls: []model.Call{called("a", "edit_file", `{"path":"`+testKey+`"}`), called("b", "f", "{}")}[:rapid.IntRange(0, 2).Draw(rt, "calls")],
		}
		body := fragments(rt, reply, numbering{index: true, id: true})
		if rapid.Bool().Draw(rt, "cut") {
			body = body[:rapid.IntRange(0, len(body)).Draw(rt, "at")]
		}
		config := model.Config{BaseURL: modeltest.BaseURL, APIKey: testKey, Name: "m", GiveUp: time.Nanosecond, Transport: always(raw(body)), Record: dir}
		was, wasErr := model.New(config).Complete(context.Background(), hello(), nil)
		config.Record, config.Replay, config.Transport = "", dir, offline{rt}
		got, err := model.New(config).Complete(context.Background(), hello(), nil)
		if diff := cmp.Diff(was, got); diff != "" || fmt.Sprint(wasErr) != fmt.Sprint(err) {
			rt.Errorf("recorded %v, replayed %v (-recorded +replayed):\n%s", wasErr, err, diff)
		}
	})
}
