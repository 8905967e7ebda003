package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"redline/agent/tool"
)

func TestFetchURL(t *testing.T) {
	b := newBench(t, nil)
	run := func(arguments string) tool.Result {
		return tool.FetchURL().Run(t.Context(), b.env, json.RawMessage(arguments))
	}
	if r := run(`{"url":"https://a.b/"}`); !r.IsError {
		t.Errorf("without a way to fetch: %+v", r)
	}
	b.env.Fetch = func(_ context.Context, url string) (tool.Fetched, error) {
		switch url {
		case "https://a.b/":
			return tool.Fetched{URL: url, Type: "text/plain", Text: "alpha\n"}, nil
		case "https://a.b/long":
			return tool.Fetched{URL: url, Text: strings.Repeat("ä", tool.MaxResult), Cut: true}, nil
		}
		return tool.Fetched{}, errors.New("it is not allowed")
	}
	if r := run(`{"url":"https://a.b/"}`); r.IsError || r.Text != "[https://a.b/, 6 bytes, data from outside]\nalpha\n" || r.Summary != "fetch https://a.b/: 6 bytes" {
		t.Errorf("got %+v", r)
	}
	if r := run(`{"url":"https://a.b/long"}`); len(r.Text) > tool.MaxResult || !strings.HasSuffix(r.Text, "\n… cut") {
		t.Errorf("got %d bytes that end in %q", len(r.Text), r.Text[len(r.Text)-20:])
	}
	if r := run(`{"url":"https://c.d/\n"}`); !r.IsError || r.Text != "error: it is not allowed" || strings.Contains(r.Summary, "\n") {
		t.Errorf("got %+v", r)
	}
	if r := run(`{}`); !r.IsError {
		t.Errorf("without an address: %+v", r)
	}
	for _, each := range tool.All() {
		if each.Name == "fetch_url" {
			t.Error("it is offered to everyone")
		}
	}
}
