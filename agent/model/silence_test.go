package model_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"redline/agent/model"
	"redline/agent/model/modeltest"
)

// mute accepts requests and never answers.
type mute struct{}

func (mute) RoundTrip(req *http.Request) (*http.Response, error) {
	<-req.Context().Done()
	return nil, req.Context().Err()
}

// repeating answers with the same bytes repeatedly, with a pause before each.
type repeating struct {
	bytes string
	pause time.Duration
}

func (r repeating) RoundTrip(req *http.Request) (*http.Response, error) {
	header := http.Header{"Content-Type": {"text/event-stream"}}
	return &http.Response{StatusCode: http.StatusOK, Header: header, Body: repeatingBody{r, req.Context()}, Request: req}, nil
}

type repeatingBody struct {
	repeating
	ctx context.Context
}

func (b repeatingBody) Read(p []byte) (int, error) {
	select {
	case <-time.After(b.pause):
		return copy(p, b.bytes), nil
	case <-b.ctx.Done():
		return 0, b.ctx.Err()
	}
}

func (repeatingBody) Close() error { return nil }

// A request fails if the provider sends nothing, or nothing but keep-alives; a provider that is
// only slow is not given up.
func TestSilence(t *testing.T) {
	finished := `data: {"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}]}` + "\n\n"
	stuck := modeltest.New(modeltest.Stream(modeltest.Text("some"), modeltest.Wait("never")))
	for name, c := range map[string]struct {
		via     http.RoundTripper
		silence time.Duration
		says    string // the reason; "" for a reply
		took    time.Duration
		text    string
	}{
		"never a byte":          {mute{}, 0, "nothing came for 60 s", time.Minute, ""},
		"never a byte, set":     {mute{}, 90 * time.Second, "nothing came for 90 s", 90 * time.Second, ""},
		"never a byte, long":    {mute{}, 10 * time.Minute, "nothing came for 600 s", 10 * time.Minute, ""},
		"in the stream":         {stuck, 0, "nothing came for 60 s", time.Minute, "some"},
		"only comments":         {repeating{": busy\n\n", 10 * time.Second}, 0, "only keep-alives came for 300 s", 5 * time.Minute, ""},
		"only empty events":     {repeating{"event: ping\ndata:\n\n", 10 * time.Second}, 0, "only keep-alives came for 300 s", 5 * time.Minute, ""},
		"only comments, longer": {repeating{": busy\n\n", 10 * time.Second}, 10 * time.Minute, "only keep-alives came for 1200 s", 20 * time.Minute, ""},
		"slow":                  {repeating{finished, 59 * time.Second}, 0, "", 59*time.Second + 2*time.Second, "hi"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := model.New(model.Config{BaseURL: modeltest.BaseURL, Transport: c.via, Silence: c.silence})
				start := time.Now()
				reply, err := p.Complete(t.Context(), hello(), nil)
				if took := time.Since(start); took != c.took {
					t.Errorf("it took %v, want %v", took, c.took)
				}
				if reply.Text != c.text {
					t.Errorf("what came is %q, want %q", reply.Text, c.text)
				}
				if c.says == "" {
					if err != nil {
						t.Error(err)
					}
					return
				}
				e := wantKind(t, err, model.KindTimeout)
				want := "The model provider at model.test does not answer (" + c.says + "): try again, or raise provider_silence_seconds in [limits] of your settings."
				if e.Error() != want {
					t.Errorf("got  %s\nwant %s", e, want)
				}
			})
		})
	}
}

// A reply may take hours: it is not silence as long as events arrive.
func TestLongReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const events = 400
		via := &counted{left: events, repeating: repeating{`data: {"choices":[{"index":0,"delta":{"content":"x"}}]}` + "\n\n", 50 * time.Second}}
		p := model.New(model.Config{BaseURL: modeltest.BaseURL, Transport: via})
		reply, err := p.Complete(t.Context(), hello(), nil)
		if err != nil || reply.Text != strings.Repeat("x", events) {
			t.Errorf("%d pieces came, %v", len(reply.Text), err)
		}
	})
}

// counted ends the reply after a number of repetitions.
type counted struct {
	repeating
	left int
}

func (c *counted) RoundTrip(req *http.Request) (*http.Response, error) {
	response, err := c.repeating.RoundTrip(req)
	response.Body = &countedBody{response.Body, c.left}
	return response, err
}

type countedBody struct {
	io.ReadCloser
	left int
}

func (b *countedBody) Read(p []byte) (int, error) {
	if b.left--; b.left >= 0 {
		return b.ReadCloser.Read(p)
	}
	return copy(p, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\n"), io.EOF
}
