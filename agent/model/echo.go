package model

import "strings"

// keyRemoved replaces the key where a model wrote the key of its own request.
const keyRemoved = "[key removed]"

// minEcho is how long a key must be, in bytes, to be recognised by its text. Shorter keys, which
// some local servers are given, are words of ordinary replies.
const minEcho = 8

// echo removes a key from what a model writes, so that it is never stored. The zero value
// removes nothing.
type echo struct {
	key  string
	held string // the end of the text so far, which may be the start of the key
}

func newEcho(key string) echo {
	if len(key) < minEcho {
		return echo{}
	}
	return echo{key: key}
}

// without returns a whole text without the key.
func (e *echo) without(text string) string {
	if e.key == "" {
		return text
	}
	return strings.ReplaceAll(text, e.key, keyRemoved)
}

// next reads a fragment of a text and returns what can be passed on by now.
func (e *echo) next(fragment string) string {
	if e.key == "" {
		return fragment
	}
	var out strings.Builder
	text := e.held + fragment
	for {
		before, after, found := strings.Cut(text, e.key)
		if !found {
			break
		}
		out.WriteString(before + keyRemoved)
		text = after
	}
	hold := min(len(text), len(e.key)-1)
	for !strings.HasSuffix(text, e.key[:hold]) {
		hold--
	}
	e.held = text[len(text)-hold:]
	out.WriteString(text[:len(text)-hold])
	return out.String()
}

// rest returns what was held back, once no more fragments come. Most of a key is as secret as
// all of it.
func (e *echo) rest() string {
	held := e.held
	e.held = ""
	if 2*len(held) > len(e.key) {
		return keyRemoved
	}
	return held
}

// echoes removes several secrets.
type echoes []echo

func newEchoes(secrets []string) echoes {
	var all echoes
	for _, s := range secrets {
		if e := newEcho(s); e.key != "" {
			all = append(all, e)
		}
	}
	return all
}

func (es echoes) without(text string) string {
	for i := range es {
		text = es[i].without(text)
	}
	return text
}

func (es echoes) next(fragment string) string {
	for i := range es {
		fragment = es[i].next(fragment)
	}
	return fragment
}

func (es echoes) rest() (rest string) {
	for i := range es {
		rest = es[i].next(rest) + es[i].rest()
	}
	return rest
}
