package model

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"redline/internal/lazyregexp"
	"redline/internal/phrase"
)

// How providers name a tool that they refuse, besides by its name: by its place in the request.
// Gemini has all functions in its first tool.
var (
	functionPlace = lazyregexp.New(`(?i)\bfunction_?declarations\W{1,5}(\d{1,3})\b`)
	toolPlace     = lazyregexp.New(`(?i)\btools\W{1,5}(\d{1,3})\b`)
	aboutMessages = lazyregexp.New(`(?i)\bmessages?\W{1,5}\d|\btool_?(?:calls?|use)\b`)
)

// without returns the request without the optional tools that a model has refused.
func (c *capabilities) without(model string, req Request) Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	refused := c.refused[model]
	if len(refused) == 0 {
		return req
	}
	req.Tools = slices.DeleteFunc(slices.Clone(req.Tools), func(t Tool) bool { return t.Optional && refused[keyOf(t)] })
	return req
}

// keyOf distinguishes tools that models may judge differently: a server may correct its schema.
func keyOf(t Tool) string { return t.Name + "\x00" + string(t.Parameters) }

// learnTools remembers the optional tools of a request that a refusal names. notice is a sentence
// for the user, "" if the refusal names none, or if they were refused in another request meanwhile.
func (c *capabilities) learnTools(model string, req Request, was lacks, e *Error) (notice string, learned bool) {
	if was.tools || !e.teaches() || aboutMessages().MatchString(e.Detail) {
		return "", false
	}
	var fresh []string
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range named(req.Tools, e.Detail) {
		learned = true
		if c.refused[model][keyOf(t)] {
			continue
		}
		if c.refused == nil {
			c.refused = map[string]map[string]bool{}
		}
		if c.refused[model] == nil {
			c.refused[model] = map[string]bool{}
		}
		c.refused[model][keyOf(t)] = true
		fresh = append(fresh, t.Name)
	}
	if len(fresh) == 0 {
		return "", learned
	}
	return fmt.Sprintf("The model %q refuses the %s, so it is asked without: %s.",
		model, phrase.Named("tool", fresh), e.Detail), true
}

// named returns the optional tools that a refusal names.
func named(tools []Tool, detail string) []Tool {
	var found []Tool
	for _, t := range tools {
		if t.Optional && regexp.MustCompile(`(?:^|[^\w-])`+regexp.QuoteMeta(t.Name)+`(?:$|[^\w-])`).MatchString(detail) {
			found = append(found, t)
		}
	}
	if len(found) > 0 {
		return found
	}
	place := functionPlace().FindStringSubmatch(detail)
	if place == nil {
		place = toolPlace().FindStringSubmatch(detail)
	}
	if place == nil {
		return nil
	}
	if i, err := strconv.Atoi(place[1]); err == nil && i < len(tools) && tools[i].Optional {
		return []Tool{tools[i]}
	}
	return nil
}
