package model

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Kind is the kind of a provider's failure.
type Kind string

// The kinds of [Error].
const (
	KindMisconfigured Kind = "misconfigured" // the base URL is invalid
	KindForbidden     Kind = "forbidden"     // the machine's policy forbids it
	KindUnauthorized  Kind = "unauthorized"  // 401, 403: the key
	KindNotFound      Kind = "not_found"     // 404 and redirects: the model's name or the base URL
	KindRateLimited   Kind = "rate_limited"  // 429
	KindOverloaded    Kind = "overloaded"    // 5xx
	KindUnreachable   Kind = "unreachable"   // no connection: name, network, certificate
	KindWebPage       Kind = "web_page"      // an HTML page instead of a reply
	KindUnpaid        Kind = "unpaid"        // 402: the account's credit
	KindFiltered      Kind = "filtered"      // the provider's content filter
	KindRejected      Kind = "rejected"      // 400 and others: the request itself
	KindBroken        Kind = "broken"        // the reply broke off or was not a reply
	KindTooLong       Kind = "too_long"      // the request is longer than the model can read at once
	KindTooLarge      Kind = "too_large"     // the reply is over the limits
	KindTimeout       Kind = "timeout"       // nothing arrived for too long
	KindEmpty         Kind = "empty"         // the reply was complete but empty
	KindNotKept       Kind = "not_kept"      // the exchange could not be recorded
	KindKey           Kind = "key_command"   // the command that prints the key has failed
	KindNotRecorded   Kind = "not_recorded"  // the request is not in the recording
)

// Error says why a provider gave no complete reply. Its text is one sentence that says what to
// do. Neither the text nor any field holds a key.
type Error struct {
	Kind   Kind
	Status int    // HTTP status, or the one that an error within a stream names; 0 when there was none
	Host   string // the provider's host, and port if one is given; for KindNotRecorded the recording's directory
	Model  string // the model of the request
	Detail string // the words of the provider or the network, one bounded line; may be ""
	// RetryAfter is how long the provider asks to wait; 0 if it does not say.
	RetryAfter time.Duration

	noKey     bool   // no key was sent
	baseFrom  string // the setting that has the base URL; "" means OPENAI_BASE_URL
	keyFrom   string // where the key comes from: a variable, or "api_key_command"; "" means OPENAI_API_KEY
	temporary bool   // another try may succeed
}

// Error says what happened and what to do.
func (e *Error) Error() string {
	provider, keyFrom := "The model provider at "+e.Host, cmp.Or(e.keyFrom, "OPENAI_API_KEY")
	baseFrom := cmp.Or(e.baseFrom, "OPENAI_BASE_URL")
	switch e.Kind {
	case KindMisconfigured:
		return "The base URL of the model provider is not an http or https address: check " + baseFrom + "; it should look like " + DefaultBaseURL + "."
	case KindForbidden:
		return "Nothing was sent to the model, since " + e.Detail + ": choose one of these with `redline setup`, or ask who administers this machine."
	case KindUnauthorized:
		switch {
		case e.noKey:
			return provider + " wants a key" + e.because() + ": set " + keyFrom + ", or run redline setup."
		case e.Status == 403:
			return provider + " does not allow this request" + e.because() + ": check what the key in " + keyFrom + " may use."
		}
		return provider + " refused the key" + e.because() + ": check " + keyFrom + "."
	case KindNotFound:
		return fmt.Sprintf("%s does not know the model %q or this address%s: check REDLINE_MODEL and %s.", provider, e.Model, e.because(), baseFrom)
	case KindRateLimited:
		return provider + " is limiting requests" + e.because() + ": " + e.later() + ", or check the account's quota."
	case KindOverloaded:
		return provider + " has a problem of its own" + e.because() + ": " + e.later() + "."
	case KindUnreachable:
		return provider + " cannot be reached" + e.because() + ": check " + baseFrom + " and the network."
	case KindWebPage:
		return provider + " answered with a web page: check " + baseFrom + ", which usually ends in /v1."
	case KindUnpaid:
		return provider + " refused the request for lack of credit" + e.because() + ": add credit to the account, or choose another model with REDLINE_MODEL."
	case KindFiltered:
		return "The content filter of the model provider at " + e.Host + " refused the request" + e.because() + ": put it in other words, or choose another model with REDLINE_MODEL."
	case KindRejected:
		return provider + " refused the request" + e.because() + ": check REDLINE_MODEL and the model's settings."
	case KindTooLong:
		return fmt.Sprintf("The request is longer than the model %q can read at once%s: ask for less at a time, start afresh with /new, or lower tokens in [context] of your settings.", e.Model, e.because())
	case KindTooLarge:
		return provider + " sent a reply that is too large" + e.because() + ": ask for less at a time."
	case KindTimeout:
		if e.Status != 0 {
			return provider + " gave up waiting" + e.because() + ": " + e.later() + "."
		}
		return provider + " does not answer" + e.because() + ": try again, or raise provider_silence_seconds in [limits] of your settings."
	case KindEmpty:
		return fmt.Sprintf("The model %q answered with nothing%s: ask again, or choose another model with REDLINE_MODEL.", e.Model, e.because())
	case KindNotKept:
		return "The exchange with the model cannot be recorded" + e.because() + ": make room in the directory that REDLINE_RECORD names, or name another."
	case KindKey:
		return "The key of the model provider at " + e.Host + " could not be read: " + e.Detail + ". Run that command in a terminal to see why; it is api_key_command in [model] of your settings."
	case KindNotRecorded:
		return "The request is not in the recording in " + e.Host + ": " + e.Detail + ". Record the turn again, on the same files and with the same settings."
	default:
		return provider + " ended its reply before it was complete" + e.because() + ": try again."
	}
}

// inShort says in a few words why a request failed, for a progress line. It contains no host and
// none of the provider's words.
func inShort(err error) string {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return "it failed"
	}
	switch e.Kind {
	case KindRateLimited:
		return "too many requests"
	case KindOverloaded:
		return "the server is busy"
	case KindUnreachable:
		return "the server cannot be reached"
	case KindTimeout:
		return "the server does not answer"
	case KindBroken:
		return "the reply broke off"
	}
	return "the request failed"
}

// Empty returns the error of an empty reply, without which the turn would end with neither an
// answer nor a change.
func Empty(of Info, r Reply) *Error {
	e := &Error{Kind: KindEmpty, Model: of.Name}
	switch {
	case r.Finish == FinishLength:
		e.Detail = "it came to the longest reply that it may make, see --max-tokens"
	case r.Finish == FinishFilter:
		e.Detail = "its provider has withheld the reply"
	case r.Thought != "":
		e.Detail = "it only thought"
	}
	return e
}

// because returns the reason in brackets, "" if it is not known.
func (e *Error) because() string {
	switch {
	case e.Status == 0 && e.Detail == "":
		return ""
	case e.Status == 0:
		return " (" + e.Detail + ")"
	case e.Detail == "":
		return fmt.Sprintf(" (%d)", e.Status)
	}
	return fmt.Sprintf(" (%d: %s)", e.Status, e.Detail)
}

// later says when to try again.
func (e *Error) later() string {
	if e.RetryAfter > 0 {
		return "try again in " + e.RetryAfter.Round(time.Second).String()
	}
	return "try again later"
}

// Failed reports whether an error is a provider's failure.
func Failed(err error) bool {
	return errors.As(err, new(*Error))
}

// maxErrorBody is how many bytes are read of an answer that is not a reply.
const maxErrorBody = 64 << 10

// noCapacity is the status of Groq for a request that it has no room for at the moment.
const noCapacity = 498

func kindOfStatus(status int) (kind Kind, temporary bool) {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return KindUnauthorized, false
	case status == http.StatusNotFound, status < 400:
		return KindNotFound, false
	case status == http.StatusPaymentRequired:
		return KindUnpaid, false
	case status == http.StatusTooManyRequests:
		return KindRateLimited, true
	case status >= 500, status == noCapacity:
		return KindOverloaded, true
	case status == http.StatusRequestTimeout:
		return KindTimeout, true
	default:
		return KindRejected, false
	}
}

// retryAfter reads the named header (RFC 9110 section 10.2.3): seconds, or a date. It returns 0
// if no wait is asked for.
func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil {
		const longest = 24 * 60 * 60
		return time.Duration(max(0, min(seconds, longest)) * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}
