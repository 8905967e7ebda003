package model

// Price is what a million tokens of a model cost, in any currency.
type Price struct {
	Prompt     float64
	Completion float64
	Cached     float64 // of the prompt, what the provider had from before
}

// cost is what a request cost: by the model's price, else as the provider has
// reported it.
func (p *client) cost(model string, u Usage, reported float64) float64 {
	price, ok := p.prices[model]
	if !ok {
		return reported
	}
	fresh := max(0, u.Prompt-u.Cached)
	return (float64(fresh)*price.Prompt + float64(u.Cached)*price.Cached + float64(u.Completion)*price.Completion) / 1e6
}
