package model

// Price is the price of a million tokens of a model, in any currency.
type Price struct {
	Prompt     float64
	Completion float64
	Cached     float64 // of the prompt, what the provider had from before
}

// cost returns the cost of a request: by the model's price, or as the provider reported it if
// no price is set.
func (p *client) cost(model string, u Usage, reported float64) float64 {
	price, ok := p.prices[model]
	if !ok {
		return reported
	}
	fresh := max(0, u.Prompt-u.Cached)
	return (float64(fresh)*price.Prompt + float64(u.Cached)*price.Cached + float64(u.Completion)*price.Completion) / 1e6
}
