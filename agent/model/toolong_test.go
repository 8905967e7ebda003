package model_test

import (
	"fmt"
	"testing"

	"redline/agent/model"
	"redline/agent/model/modeltest"
)

// A request that is too long for the model is distinguished from other refusals, in the words of
// several providers, and is not sent again unchanged.
func TestTooLongARequest(t *testing.T) {
	for _, says := range []string{
		"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens (8000 in the messages, 1000 in the functions).",
		"the request exceeds the available context size, try increasing it",
		"prompt is too long: 210042 tokens > 200000 maximum",
		"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
		"Your input exceeds the context window of this model.",
		"Please reduce the length of the messages or completion.",
		"Request too many tokens: 140000 > 131072",
	} {
		server := modeltest.New(modeltest.Fail(400, fmt.Sprintf(`{"error":{"message":%q}}`, says)))
		_, err := inProcess(server).Complete(t.Context(), working(), nil)
		wantKind(t, err, model.KindTooLong)
		if n := len(server.Requests()); n != 1 {
			t.Errorf("%s: asked %d times", says, n)
		}
	}
	// With status 200, as an event of the stream.
	server := modeltest.New(modeltest.Stream(modeltest.Raw(`data: {"error":{"message":"The context size has been exceeded.","code":400}}` + "\n\n")))
	_, err := inProcess(server).Complete(t.Context(), working(), nil)
	wantKind(t, err, model.KindTooLong)
	server = modeltest.New(modeltest.Fail(413, "Payload Too Large"))
	_, err = inProcess(server).Complete(t.Context(), working(), nil)
	wantKind(t, err, model.KindTooLong)
}
