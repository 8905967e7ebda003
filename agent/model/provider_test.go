package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"redline/agent/model"
	"redline/agent/model/modeltest"
)

// noting keeps the last request that passes, with its key.
type noting struct {
	http.RoundTripper
	last *http.Request
}

func (n *noting) RoundTrip(r *http.Request) (*http.Response, error) {
	n.last = r
	return n.RoundTripper.RoundTrip(r)
}

// The address of a request, and the client that it names.
func TestHeadersAndQuery(t *testing.T) {
	for name, test := range map[string]struct {
		config  model.Config
		url     string
		headers map[string]string // "" for absent
	}{
		"OpenAI": {model.Config{BaseURL: "https://api.test/v1/", APIKey: "k-123"}, "https://api.test/v1/chat/completions",
			map[string]string{"Authorization": "Bearer k-123", "Api-Key": ""}},
		"Azure": {model.Config{BaseURL: "https://x.azure.test/openai/deployments/d", APIKey: "k-123", KeyHeader: "api-key", APIVersion: "2024-10-21"},
			"https://x.azure.test/openai/deployments/d/chat/completions?api-version=2024-10-21", map[string]string{"Authorization": "", "Api-Key": "k-123"}},
		"query kept": {model.Config{BaseURL: "https://x.test/v1?tenant=a", APIVersion: "1"}, "https://x.test/v1/chat/completions?api-version=1&tenant=a", nil},
		"OpenRouter": {model.Config{BaseURL: "https://or.test/api/v1", APIKey: "k-123", Headers: []model.Header{{Name: "X-Title", Value: "Mine"}}},
			"https://or.test/api/v1/chat/completions", map[string]string{"Authorization": "Bearer k-123", "X-Title": "Mine"}},
		"own authorization": {model.Config{BaseURL: "https://x.test/v1", APIKey: "k-123", Headers: []model.Header{{Name: "authorization", Value: "Basic abc"}}},
			"https://x.test/v1/chat/completions", map[string]string{"Authorization": "Basic abc"}},
	} {
		t.Run(name, func(t *testing.T) {
			via := &noting{RoundTripper: modeltest.New(modeltest.Stream(modeltest.Text("ok")))}
			test.config.Transport = via
			if _, err := model.New(test.config).Complete(t.Context(), hello(), nil); err != nil {
				t.Fatal(err)
			}
			if got := via.last.URL.String(); got != test.url {
				t.Errorf("asked at %s, want %s", got, test.url)
			}
			for name, want := range test.headers {
				if got := via.last.Header.Get(name); got != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
		})
	}
}

// Headers with a secret are in no error and in no reply.
func TestSecretHeaders(t *testing.T) {
	const gateway, plain, named = "gw-0123456789", "visible-0123", "named-0123456789"
	said := strings.Join([]string{gateway, plain, named}, " ")
	config := model.Config{BaseURL: modeltest.BaseURL, Name: "m", Headers: []model.Header{
		{Name: "X-Gateway", Value: "Bearer " + gateway, Secret: true}, {Name: "X-Title", Value: plain}, {Name: "X-Auth-Token", Value: named},
	}}
	config.Transport = modeltest.New(modeltest.Fail(400, said))
	_, err := model.New(config).Complete(t.Context(), hello(), nil)
	if e := wantKind(t, err, model.KindRejected); e.Detail != "[removed] visible-0123 [removed]" {
		t.Errorf("the error says %q", e.Detail)
	}
	config.Transport = modeltest.New(modeltest.Stream(modeltest.Text(said)))
	reply, err := model.New(config).Complete(t.Context(), hello(), nil)
	if err != nil || reply.Text != "[key removed] visible-0123 [key removed]" {
		t.Errorf("got %q, %v", reply.Text, err)
	}
}

func TestModelsForPurposes(t *testing.T) {
	server := modeltest.New()
	for range 6 {
		server.Add(modeltest.Stream(modeltest.Text("ok")))
	}
	p := model.New(model.Config{BaseURL: modeltest.BaseURL, Name: "usual", Transport: server, Models: model.Models{Edit: "coder", Classify: "small"}})
	ask := func(p model.Provider, named string) {
		if _, err := p.Complete(t.Context(), model.Request{Model: named}, nil); err != nil {
			t.Fatal(err)
		}
	}
	ask(p, "")
	ask(model.For(p, model.Planning), "")
	ask(model.For(p, model.Editing), "")
	ask(model.For(p, model.Classifying), "")
	ask(model.For(p, model.Classifying), "named")
	ask(model.For(model.For(p, model.Classifying), model.Editing), "")
	want := []string{"usual", "usual", "coder", "small", "named", "coder"}
	for i, r := range server.Requests() {
		if r.Model != want[i] {
			t.Errorf("request %d went to %s, want %s", i, r.Model, want[i])
		}
	}
	if got := model.For(p, model.Editing).Info().Name; got != "coder" {
		t.Errorf("the model for edits is called %s", got)
	}
	if got := model.For(model.New(model.Config{}), model.Editing).Info().Name; got != "builtin" {
		t.Errorf("the built-in model is called %s", got)
	}
	other := struct{ model.Provider }{p}
	if model.For(other, model.Editing) != model.Provider(other) {
		t.Error("a provider that knows no purposes is not itself")
	}
}

func TestCost(t *testing.T) {
	usage := func(more string) modeltest.Reply {
		return raw(`data: {"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]}` + "\n\n" +
			`data: {"choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":100` + more + `}}` + "\n\ndata: [DONE]\n\n")
	}
	prices := map[string]model.Price{"m": {Prompt: 2, Cached: 0.5, Completion: 8}}
	for name, test := range map[string]struct {
		reply  modeltest.Reply
		prices map[string]model.Price
		want   float64
	}{
		"unknown":         {usage(""), nil, 0},
		"priced":          {usage(""), prices, 0.0028},
		"with a cache":    {usage(`,"prompt_tokens_details":{"cached_tokens":600}`), prices, 0.0019},
		"reported":        {usage(`,"cost":0.125`), nil, 0.125},
		"price before it": {usage(`,"cost":0.125`), prices, 0.0028},
	} {
		p := model.New(model.Config{BaseURL: modeltest.BaseURL, Name: "m", Transport: modeltest.New(test.reply), Prices: test.prices})
		reply, err := p.Complete(t.Context(), hello(), nil)
		if diff := reply.Usage.Cost - test.want; err != nil || diff > 1e-12 || diff < -1e-12 {
			t.Errorf("%s: cost %v, %v, want %v", name, reply.Usage.Cost, err, test.want)
		}
	}
}

// Data that a provider wants back with a call is sent back with it.
func TestExtraContent(t *testing.T) {
	call := func(index int, more string) string {
		doc, err := json.Marshal(index)
		if err != nil {
			t.Fatal(err)
		}
		return `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":` + string(doc) + `,"function":{"name":"f","arguments":"{}"}` + more + `}]}}]}` + "\n\n"
	}
	server := modeltest.New(
		raw(call(0, `,"id":"a","extra_content":{"google":{"thought_signature":"sig=="}}`)+call(1, `,"id":"b"`)+call(2, `,"extra_content":{"n":1}`)+
			`data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`+"\n\n"),
		modeltest.Stream(modeltest.Text("ok")),
	)
	p := inProcess(server)
	reply, err := p.Complete(t.Context(), hello(), nil)
	if err != nil || len(reply.Calls) != 3 {
		t.Fatalf("got %+v, %v", reply, err)
	}
	if _, err := p.Complete(context.Background(), model.Request{Messages: []model.Message{{Role: model.RoleAssistant, Calls: reply.Calls}}}, nil); err != nil {
		t.Fatal(err)
	}
	body := string(server.Requests()[1].Body)
	for _, want := range []string{`"extra_content":{"google":{"thought_signature":"sig=="}}`, `"extra_content":{"n":1}`} {
		if strings.Count(body, want) != 1 {
			t.Errorf("%s is not in %s", want, body)
		}
	}
}

// What came with calls goes back with those calls, though another reply has calls with the same
// ids.
func TestExtrasOfEqualIDs(t *testing.T) {
	message := func(sign string) model.Message {
		return model.Message{Role: model.RoleAssistant, Calls: []model.Call{{ID: "call_0", Name: "f", Arguments: "{}", Extra: `{"s":"` + sign + `"}`}}, Extra: `{"reasoning_details":["` + sign + `"]}`}
	}
	result := model.Message{Role: model.RoleTool, CallID: "call_0", Content: "r"}
	server := modeltest.New(modeltest.Stream(modeltest.Text("ok")))
	if _, err := inProcess(server).Complete(t.Context(), model.Request{Messages: []model.Message{message("one"), result, message("two"), result}}, nil); err != nil {
		t.Fatal(err)
	}
	body := string(server.Requests()[0].Body)
	for _, want := range []string{`"extra_content":{"s":"one"}`, `"extra_content":{"s":"two"}`, `"reasoning_details":["one"]`, `"reasoning_details":["two"]`} {
		if strings.Count(body, want) != 1 {
			t.Errorf("%s is not once in %s", want, body)
		}
	}
}

// The check of an endpoint uses the same address as a request.
func TestReach(t *testing.T) {
	via := &noting{RoundTripper: modeltest.New(modeltest.Fail(404, ""))}
	status, err := model.Reach(t.Context(), model.Config{
		BaseURL: "https://x.test/v1/?tenant=a", APIKey: "k-123", KeyHeader: "api-key", APIVersion: "1",
		Headers: []model.Header{{Name: "X-Title", Value: "Mine"}}, Transport: via,
	})
	if err != nil || status == 0 {
		t.Fatal(status, err)
	}
	got := via.last
	if got.URL.String() != "https://x.test/v1/models?api-version=1&tenant=a" || got.Header.Get("Api-Key") != "k-123" ||
		got.Header.Get("Authorization") != "" || got.Header.Get("X-Title") != "Mine" {
		t.Errorf("asked at %s with %v", got.URL, got.Header)
	}
	_, err = model.Reach(t.Context(), model.Config{BaseURL: "https://x.test/v1", APIKey: testKey, Transport: failing{errors.New("dial " + testKey)}})
	if e := wantKind(t, err, model.KindUnreachable); strings.Contains(e.Error(), testKey) {
		t.Errorf("the key is in %s", e)
	}
}
