package model

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"redline/internal/lazyregexp"
)

// listed is one model in an endpoint's list. Only the id is always there.
type listed struct {
	ID       string `json:"id"`
	Window   int    `json:"context_length"` // of OpenRouter
	MaxModel int    `json:"max_model_len"`  // of vLLM
}

// otherWork matches the names of models that do not chat: those for embedding, hearing,
// speaking, drawing or judging.
var otherWork = lazyregexp.New(`(?i)embed|whisper|\btts\b|dall-e|moderation|gpt-image|sora|transcribe|realtime|-audio\b|audio-preview|davinci-00|babbage-00|rerank`)

// List asks an endpoint for its models and returns their names in its order, without those that
// do not chat. It ignores c.Name. Its error is an [*Error], or ctx's.
func List(ctx context.Context, c Config) ([]string, error) {
	all, err := newClient(c).list(ctx)
	if err != nil {
		return nil, err
	}
	names := []string{}
	for _, m := range all {
		if name := strings.TrimSpace(m.ID); name != "" && !otherWork().MatchString(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

func (p *client) list(ctx context.Context) ([]listed, error) {
	var answer struct {
		Data []listed `json:"data"`
	}
	address := p.under("models")
	if err := p.document(ctx, http.MethodGet, address, nil, &answer); err != nil {
		return nil, err
	}
	if answer.Data == nil {
		e := p.failed(KindBroken)
		e.Detail = "its answer is no list of models"
		return nil, e
	}
	return answer.Data, nil
}
