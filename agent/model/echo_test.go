package model_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"redline/agent/model"
	"redline/agent/model/modeltest"
)

// withKey sends a request with a key to a scripted endpoint.
func withKey(key string, s *modeltest.Server) model.Provider {
	return model.New(model.Config{BaseURL: modeltest.BaseURL, APIKey: key, Name: "m", Transport: s})
}

// If a model writes the key that the request was sent with, the key is not stored.
func TestTheKeyIsRemovedFromReplies(t *testing.T) {
	server := modeltest.New(modeltest.Stream(
		modeltest.Text("The key is "+testKey+", and again: "+testKey+testKey+"."),
		modeltest.Call("write_file", `{"path":"k","content":"key=`+testKey+`"}`),
		modeltest.Call(testKey, `{}`),
	))
	var events []model.Event
	reply, err := inProcess(server).Complete(t.Context(), hello(), func(e model.Event) { events = append(events, e) })
	if err != nil {
		t.Fatal(err)
	}
	if want := "The key is [key removed], and again: [key removed][key removed]."; reply.Text != want {
		t.Errorf("got  %s\nwant %s", reply.Text, want)
	}
	if diff := cmp.Diff([]model.Call{
		{ID: "call_1_0", Name: "write_file", Arguments: `{"path":"k","content":"key=[key removed]"}`},
		{ID: "call_1_1", Name: "[key removed]", Arguments: `{}`},
	}, reply.Calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	checkEvents(t, events, reply)
}

// A short key can be an ordinary word: "test", "none", "ollama".
func TestShortKeysAreLeft(t *testing.T) {
	for key, want := range map[string]string{"ollama7": "use ollama7", "ollama78": "use [key removed]"} {
		reply, err := withKey(key, modeltest.New(modeltest.Stream(modeltest.Text("use "+key)))).Complete(t.Context(), hello(), nil)
		if err != nil || reply.Text != want {
			t.Errorf("got %q, %v, want %q", reply.Text, err, want)
		}
	}
}

// A reply that ends inside the key keeps a part that may be a word and loses a part that is most of
// the key.
func TestKeyCutOff(t *testing.T) {
	const key = "secret-0123456789"
	for text, want := range map[string]string{
		"it is secret":            "it is secret",
		"it is secret-012345678":  "it is [key removed]",
		"it is secret-0123456789": "it is [key removed]",
	} {
		synctest.Test(t, func(t *testing.T) {
			for _, end := range [][]modeltest.Part{nil, {modeltest.Cut()}} {
				var events []model.Event
				server := modeltest.New(modeltest.Stream(slices.Concat([]modeltest.Part{modeltest.Text(text)}, end)...))
				reply, err := withKey(key, server).Complete(t.Context(), hello(), func(e model.Event) { events = append(events, e) })
				if reply.Text != want || (err != nil) != (end != nil) {
					t.Errorf("of %q came %q, %v, want %q", text, reply.Text, err, want)
				}
				checkEvents(t, events, reply)
			}
		})
	}
}

// Wherever the stream is cut, no event and no reply contains the key, and nothing else is lost.
func TestKeyInAnyFragmentationProperty(t *testing.T) {
	const key = "abababac"
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.SampledFrom([]string{key, "ab", "a", "abababa", "c", "é", " "})).Draw(t, "words")
		text := strings.Join(words, "") + "."
		var body strings.Builder
		for _, piece := range cuts(t, text) {
			fmt.Fprintf(&body, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", piece)
		}
		body.WriteString(`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n")
		var events []model.Event
		reply, err := withKey(key, modeltest.New(raw(body.String()))).Complete(t.Context(), hello(), func(e model.Event) { events = append(events, e) })
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.ReplaceAll(text, key, "[key removed]"); reply.Text != want {
			t.Fatalf("got %q, want %q", reply.Text, want)
		}
		checkEvents(t, events, reply)
	})
}
