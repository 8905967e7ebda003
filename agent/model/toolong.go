package model

import (
	"net/http"

	"redline/internal/lazyregexp"
)

// longer is how providers say that a request is above what the model can read at
// once. There is no status or code for it that they agree on.
var longer = lazyregexp.New(`(?i)context[ _-]?(?:length|window|size)|maximum context|available context|` +
	`(?:prompt|input|request|messages?)\b[^.]{0,40}\b(?:too long|too many tokens|exceeds? the (?:maximum|model|limit))|` +
	`too many (?:input |prompt )?tokens|token count\b[^.]{0,60}\bexceeds?|reduce the length of the (?:messages|prompt|input)`)

// judge names what a refusal is about more closely than its status does. Some
// providers refuse with status 200, in the stream.
func (e *Error) judge() *Error {
	if (e.Kind == KindRejected || e.Kind == KindBroken) && (e.Status == http.StatusRequestEntityTooLarge || longer().MatchString(e.Detail)) {
		e.Kind = KindTooLong
	}
	return e
}
