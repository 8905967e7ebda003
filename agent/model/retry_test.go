package model_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"redline/agent/model"
	"redline/agent/model/modeltest"
)

func TestRetry(t *testing.T) {
	busy := func(status int, after string) modeltest.Reply {
		r := modeltest.Fail(status, "")
		if after != "" {
			r.Header = http.Header{"Retry-After": {after}}
		}
		return r
	}
	good := modeltest.Stream(modeltest.Text("hi"))
	for _, test := range []struct {
		name     string
		first    modeltest.Reply
		min, max time.Duration // until the second try
	}{
		{"seconds", busy(429, "3"), 3 * time.Second, 3 * time.Second},
		{"longer than a provider without a word is asked", busy(429, "30"), 30 * time.Second, 30 * time.Second},
		{"date", busy(503, "@4s"), 3 * time.Second, 4 * time.Second},
		{"past date", busy(429, "Fri, 01 Jan 1999 15:04:05 GMT"), time.Millisecond, time.Second},
		{"none", busy(500, ""), time.Millisecond, time.Second},
		{"nonsense", busy(500, "soon"), time.Millisecond, time.Second},
		{"negative", busy(500, "-5"), time.Millisecond, time.Second},
		{"cut before anything came", modeltest.Stream(modeltest.Cut()), time.Millisecond, time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if test.first.Header.Get("Retry-After") == "@4s" {
					test.first.Header.Set("Retry-After", time.Now().Add(4*time.Second).UTC().Format(http.TimeFormat))
				}
				start := time.Now()
				reply, err := inProcess(modeltest.New(test.first, good)).Complete(t.Context(), hello(), nil)
				if err != nil || reply.Text != "hi" {
					t.Fatalf("got %q, %v", reply.Text, err)
				}
				if waited := time.Since(start); waited < test.min || waited > test.max {
					t.Errorf("waited %v, want %v to %v", waited, test.min, test.max)
				}
			})
		})
	}
}

// A wait that is longer than the patience does not start.
func TestRetryAfterTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := modeltest.Fail(429, "")
		busy.Header = http.Header{"Retry-After": {"61"}}
		start := time.Now()
		_, err := inProcess(modeltest.New(busy)).Complete(t.Context(), hello(), nil)
		e := wantKind(t, err, model.KindRateLimited)
		if e.RetryAfter != 61*time.Second || time.Since(start) != 0 {
			t.Errorf("%v after %v", e, time.Since(start))
		}
		if want := "The model provider at model.test is limiting requests (429): try again in 1m1s, or check the account's quota."; e.Error() != want {
			t.Errorf("got  %s\nwant %s", e, want)
		}
	})
}

// A provider that asks to wait again and again is waited for a minute in all.
func TestRetryAfterAgainAndAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := modeltest.Fail(429, "")
		busy.Header = http.Header{"Retry-After": {"25"}}
		start := time.Now()
		_, err := inProcess(modeltest.New(busy, busy, busy, busy)).Complete(t.Context(), hello(), nil)
		wantKind(t, err, model.KindRateLimited)
		if waited := time.Since(start); waited != 50*time.Second {
			t.Errorf("waited %v", waited)
		}
	})
}

func TestCancelWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		busy := modeltest.Fail(429, "")
		busy.Header = http.Header{"Retry-After": {"5"}}
		start := time.Now()
		_, err := inProcess(modeltest.New(busy)).Complete(ctx, hello(), nil)
		if err != context.DeadlineExceeded || time.Since(start) != 100*time.Millisecond {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
	})
}

// A cancelled request ends at once, leaves no goroutine, also over a real connection, and keeps the
// text that it had received.
func TestCancel(t *testing.T) {
	for _, where := range []string{"before anything came", "in the stream"} {
		t.Run(where, func(t *testing.T) {
			defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
			parts := []modeltest.Part{modeltest.Text("so far"), modeltest.Wait("never")}
			if where == "before anything came" {
				parts = parts[1:]
			}
			server := modeltest.New(modeltest.Stream(parts...))
			base, err := server.Start()
			if err != nil {
				t.Fatal(err)
			}
			defer server.Close()
			via := &http.Transport{}
			defer via.CloseIdleConnections()
			p := model.New(model.Config{BaseURL: base, Name: "m", Transport: via})

			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if where == "before anything came" {
				go func() {
					_ = server.Await(ctx, 1)
					cancel()
				}()
			}
			text := ""
			reply, err := p.Complete(ctx, hello(), func(e model.Event) {
				if text += e.Text; text == "so far" {
					cancel()
				}
			})
			if err != context.Canceled || reply.Text != text {
				t.Errorf("got %+v, %v", reply, err)
			}
		})
	}
}

// Over a real connection, with the provider's own transport.
func TestOverHTTP(t *testing.T) {
	server := modeltest.New(
		modeltest.Stream(modeltest.Text("one"), modeltest.Call("f", `{"a":1}`)),
		modeltest.Stream(modeltest.Text("two"), modeltest.Cut()),
		modeltest.Stream(modeltest.Text("three")),
	)
	base, err := server.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	p := model.New(model.Config{BaseURL: base + "/", APIKey: testKey, Name: "m"})
	if reply, err := p.Complete(t.Context(), hello(), nil); err != nil || reply.Text != "one" || len(reply.Calls) != 1 {
		t.Errorf("got %+v, %v", reply, err)
	}
	reply, err := p.Complete(t.Context(), hello(), nil)
	wantKind(t, err, model.KindBroken)
	if reply.Text != "two" {
		t.Errorf("of the broken reply is left %q", reply.Text)
	}
	if reply, err := p.Complete(t.Context(), hello(), nil); err != nil || reply.Text != "three" {
		t.Errorf("got %+v, %v", reply, err)
	}
	_, err = p.Complete(t.Context(), hello(), nil)
	e := wantKind(t, err, model.KindRejected)
	if e.Detail != "modeltest: the script has 3 replies, and this is request 4" {
		t.Errorf("an exhausted script says %q", e.Detail)
	}
	if errors.Is(err, context.Canceled) || server.Unused() != 0 {
		t.Errorf("%v; %d unused", err, server.Unused())
	}
}

// The observer of a request gets each failed attempt, in a few words without the host, and the time
// until the next one.
func TestRetryIsObserved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := modeltest.Fail(503, "")
		busy.Header = http.Header{"Retry-After": {"4"}}
		var said []string
		ctx := model.Observe(t.Context(), &model.Observer{Again: func(name string, r model.Retry) {
			said = append(said, fmt.Sprintf("%s: %s, retry %d after %v, until %v", name, r.Why, r.Number, r.Wait, r.Left))
		}})
		reply, err := inProcess(modeltest.New(busy, modeltest.Fail(429, ""), modeltest.Stream(modeltest.Text("hi")))).Complete(ctx, hello(), nil)
		if err != nil || reply.Text != "hi" {
			t.Fatalf("got %q, %v", reply.Text, err)
		}
		if len(said) != 2 || said[0] != "test-model: the server is busy, retry 1 after 4s, until 14s" ||
			!strings.HasPrefix(said[1], "test-model: too many requests, retry 2 after ") || !strings.HasSuffix(said[1], ", until 10s") {
			t.Errorf("it was told %q", said)
		}
	})
}
