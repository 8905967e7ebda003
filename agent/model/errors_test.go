package model_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"redline/agent/model"
	"redline/agent/model/modeltest"
)

func newPost(ctx context.Context) (*http.Request, error) {
	return http.NewRequestWithContext(ctx, http.MethodPost, modeltest.BaseURL+"/chat/completions", strings.NewReader("{}"))
}

// wantKind checks that err is a Error of a kind, and one plain sentence.
func wantKind(t *testing.T, err error, kind model.Kind) *model.Error {
	t.Helper()
	e, ok := errors.AsType[*model.Error](err)
	if !ok {
		t.Fatalf("got the error %v (%T), want kind %s", err, err, kind)
	}
	if e.Kind != kind {
		t.Errorf("got kind %s (%v), want %s", e.Kind, e, kind)
	}
	if text := e.Error(); strings.ContainsAny(text, "\n\r\x1b") || len(text) > 600 || !strings.HasSuffix(text, ".") {
		t.Errorf("%q is no bounded sentence", text)
	}
	return e
}

// always is a script that is longer than any number of attempts.
func always(reply modeltest.Reply) *modeltest.Server {
	s := modeltest.New()
	for range 200 {
		s.Add(reply)
	}
	return s
}

func TestErrors(t *testing.T) {
	html := modeltest.Reply{Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}}
	html.Parts = []modeltest.Part{modeltest.Raw("<!DOCTYPE html><title>Hi</title>")}
	moved := modeltest.Reply{Status: 307, Header: http.Header{"Location": {"https://user:hunter22@elsewhere.test/v1?token=abc"}}}
	tests := []struct {
		name  string
		reply modeltest.Reply
		kind  model.Kind
		says  string // in the error's text
		tries bool   // sent more than once
	}{
		{"401", modeltest.Fail(401, `{"error":{"message":"bad key `+testKey+`"}}`), model.KindUnauthorized,
			"The model provider at model.test refused the key (401): check OPENAI_API_KEY.", false},
		{"403", modeltest.Fail(403, `{"error":{"message":"not in your country"}}`), model.KindUnauthorized,
			"(403: not in your country): check what the key", false},
		{"404", modeltest.Fail(404, `{"error":{"message":"no such model"}}`), model.KindNotFound,
			`does not know the model "test-model" or this address (404: no such model): check REDLINE_MODEL and OPENAI_BASE_URL.`, false},
		{"404 page", modeltest.Fail(404, "<html>nothing here</html>"), model.KindNotFound, "(404)", false},
		{"redirect", moved, model.KindNotFound, "(307: it points to https://elsewhere.test/v1)", false},
		{"400", modeltest.Fail(400, "{\"error\":{\"message\":\"too\\nlong\\u001b[31m\"}}"), model.KindRejected, "(400: too long [31m)", false},
		{"408", modeltest.Fail(408, ""), model.KindTimeout, "gave up waiting (408): try again later.", true},
		{"422 list", modeltest.Fail(422, `{"detail":[{"loc":["body"]}]}`), model.KindRejected, "(422)", false},
		{"429", modeltest.Fail(429, `{"error":"slow down"}`), model.KindRateLimited, "(429: slow down): try again later", true},
		{"429 quota", modeltest.Fail(429, `{"error":{"message":"pay","code":"insufficient_quota"}}`), model.KindRateLimited, "(429: pay)", false},
		{"500", modeltest.Fail(500, "oops"), model.KindOverloaded, "(500: oops): try again later.", true},
		{"502 page", modeltest.Fail(502, "<html>"), model.KindOverloaded, "(502)", true},
		{"web page", html, model.KindWebPage, "answered with a web page: check OPENAI_BASE_URL", false},
		{"web page, called a stream", raw("\n <html>"), model.KindWebPage, "web page", false},
		{"JSON instead of a stream", raw(`{"choices":[{"message":{"content":"hi"}}]}`), model.KindBroken, "something else than a stream", false},
		{"error with status 200", raw("{\n\"error\": {\"message\": \"no\"}\n}"), model.KindBroken, "(no)", false},
		{"error in the stream", raw(`data: {"error":{"message":"later","type":"server_error"}}` + "\n\n"), model.KindOverloaded, "(later)", true},
		{"no chunk", raw("data: {nonsense\n\n"), model.KindBroken, "before it was complete", true},
		{"empty", raw(""), model.KindBroken, "before it was complete", true},
		{"[DONE] only", raw("data: [DONE]\n\n"), model.KindBroken, "before it was complete", true},
		{"text only", raw("hello there\n\n"), model.KindBroken, "before it was complete", true},
		{"endless line", raw("data: " + strings.Repeat("x", 5<<20)), model.KindTooLarge, "too large", false},
		{"endless text", raw(strings.Repeat(": "+strings.Repeat("x", 1<<20)+"\n", 65)), model.KindTooLarge, "too large", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := always(test.reply)
				start := time.Now()
				reply, err := inProcess(server).Complete(t.Context(), hello(), nil)
				e := wantKind(t, err, test.kind)
				if !strings.Contains(e.Error(), test.says) {
					t.Errorf("the error is\n%s\nwant in it\n%s", e, test.says)
				}
				if reply.Finish != "" || len(reply.Calls) != 0 {
					t.Errorf("a reply came: %+v", reply)
				}
				if n := len(server.Requests()); (n > 1) != test.tries {
					t.Errorf("asked %d times", n)
				}
				if took := time.Since(start); took > model.DefaultGiveUp {
					t.Errorf("gave up after %v", took)
				}
			})
		})
	}
}

func TestTenMegabytes(t *testing.T) {
	piece := strings.Repeat("0123456789", 1000)
	parts := make([]modeltest.Part, 1000)
	line := recorded(t, modeltest.Reply{Parts: []modeltest.Part{modeltest.Raw("")}, Finish: "stop"})
	for i := range parts {
		parts[i] = modeltest.Raw(`data: {"choices":[{"index":0,"delta":{"content":"` + piece + `"}}]}` + "\n\n")
	}
	reply, err := inProcess(modeltest.New(modeltest.Reply{Parts: append(parts, modeltest.Raw(line))})).Complete(t.Context(), hello(), nil)
	if err != nil || len(reply.Text) != 10_000_000 {
		t.Errorf("%d bytes came, %v", len(reply.Text), err)
	}
}

func TestUnreachable(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close() // nothing listens there now
	p := model.New(model.Config{BaseURL: "http://" + address + "/v1", GiveUp: 200 * time.Millisecond})
	_, err = p.Complete(t.Context(), hello(), nil)
	e := wantKind(t, err, model.KindUnreachable)
	if want := "The model provider at " + address + " cannot be reached (connection refused): check OPENAI_BASE_URL and the network."; e.Error() != want {
		t.Errorf("got  %s\nwant %s", e, want)
	}
}

func TestMisconfigured(t *testing.T) {
	for _, base := range []string{"localhost:8080/v1", "ftp://host/v1", "http://", "://", "http://a b/v1"} {
		_, err := model.New(model.Config{BaseURL: base, APIKey: testKey}).Complete(t.Context(), hello(), nil)
		wantKind(t, err, model.KindMisconfigured)
	}
}

// Whatever a provider does with the key, no error contains it.
func TestKeysAreNeverShown(t *testing.T) {
	const key, password, query = "my%secret/key+1 2", "pass-w0rd", "q-s3cret"
	user := base64.StdEncoding.EncodeToString([]byte("joe:" + password))
	echo := fmt.Sprintf("key=%s Authorization: Bearer %s, at https://joe:%s@host.test/v1?api=%s basic %s sk-live-abcdef", key, key, password, query, user)
	config := model.Config{BaseURL: "http://joe:" + password + "@model.test/v1?api=" + query, APIKey: key, GiveUp: time.Nanosecond}
	bodies := map[string]modeltest.Reply{
		"stream":  raw(fmt.Sprintf("data: {\"error\":{\"message\":%q}}\n\n", echo)),
		"200":     raw(fmt.Sprintf(`{"error":%q}`, echo)),
		"garbage": raw("data: " + echo + "\n\n"),
		"header":  {Status: 302, Header: http.Header{"Location": {"https://joe:" + password + "@host.test/" + key + "?api=" + query}}},
	}
	for _, status := range []int{400, 401, 403, 404, 418, 429, 500} {
		bodies[fmt.Sprint(status, " json")] = modeltest.Fail(status, fmt.Sprintf(`{"error":{"message":%q,"code":%q}}`, echo, key))
		bodies[fmt.Sprint(status, " text")] = modeltest.Fail(status, echo)
		bodies[fmt.Sprint(status, " long")] = modeltest.Fail(status, strings.Repeat("x", 290)+echo)
	}
	check := func(t *testing.T, err error) {
		t.Helper()
		if err == nil {
			t.Fatal("no error")
		}
		for _, text := range []string{err.Error(), fmt.Sprintf("%+v %#v", err, err)} {
			for _, secret := range []string{key, "my%25secret", "secret/key", password, query, user, "sk-live"} {
				if strings.Contains(text, secret) {
					t.Errorf("%q is in the error: %s", secret, text)
				}
			}
		}
	}
	for name, reply := range bodies {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				config.Transport = always(reply)
				_, err := model.New(config).Complete(t.Context(), hello(), nil)
				check(t, err)
			})
		})
	}
	t.Run("network", func(t *testing.T) {
		config.Transport = failing{fmt.Errorf("proxy: %s", echo)}
		_, err := model.New(config).Complete(t.Context(), hello(), nil)
		check(t, err)
	})
	t.Run("info", func(t *testing.T) {
		if got := model.New(config).Info().BaseURL; got != "http://model.test/v1" {
			t.Errorf("the base URL is shown as %s", got)
		}
	})
}

type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }
