package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"redline/internal/lazyregexp"
)

// failure is a provider's description of an error.
type failure struct {
	Message    string
	Codes      []string      // the provider's code, type and status for it, as far as they are words, in lower case
	Status     int           // the HTTP status that it names; 0 for none
	RetryAfter time.Duration // 0 if it does not say
}

// parseFailure reads the body of an error: {"error":{"message":…}} as OpenAI
// writes it, {"error":"…"}, {"message":…}, {"detail":…} or {"errors":[…]} as others do, or
// plain text. It returns nothing for a web page.
func parseFailure(body []byte) failure {
	var several []json.RawMessage // as Gemini writes it
	if json.Unmarshal(body, &several) == nil && len(several) > 0 {
		body = several[0]
	}
	var outer map[string]any
	if json.Unmarshal(body, &outer) != nil {
		text := strings.TrimSpace(string(body))
		if strings.HasPrefix(text, "<") || strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
			text = ""
		}
		return failure{Message: text}
	}
	var f failure
	inner, _ := outer["error"].(map[string]any)
	f.read(inner)
	f.read(outer)
	f.Message = cmp.Or(messageOf(inner), wordsOf(outer["error"]), messageOf(outer), wordsOf(outer["errors"]))
	if metadata, ok := inner["metadata"].(map[string]any); ok { // OpenRouter's, about the provider behind it
		f.behind(metadata)
	}
	if wrote, ok := inner["failed_generation"].(string); ok && wrote != "" { // Groq's, which its message refers to
		f.Message += ": " + wrote
	}
	return f
}

// messageOf returns the message among the members of an error.
func messageOf(of map[string]any) string {
	return cmp.Or(wordsOf(of["message"]), wordsOf(of["detail"]), wordsOf(of["msg"]))
}

// maxFaults is how many of several errors are named.
const maxFaults = 3

// wordsOf returns the text of a message, which some providers write as a list of faults with the
// place of each.
func wordsOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case map[string]any:
		said := messageOf(v)
		places, _ := v["loc"].([]any)
		if said == "" || len(places) == 0 {
			return said
		}
		return fmt.Sprint(places[len(places)-1]) + ": " + said
	case []any:
		var all []string
		for _, fault := range v[:min(maxFaults, len(v))] {
			if said := wordsOf(fault); said != "" {
				all = append(all, said)
			}
		}
		return strings.Join(all, "; ")
	}
	return ""
}

// read reads the codes among the members of an error.
func (f *failure) read(of map[string]any) {
	for _, name := range []string{"code", "type", "status", "status_code", "error_type"} {
		switch v := of[name].(type) {
		case float64:
			f.Status = cmp.Or(f.Status, int(v))
		case string:
			if n, err := strconv.Atoi(v); err == nil {
				f.Status = cmp.Or(f.Status, n)
			} else if v != "" {
				f.Codes = append(f.Codes, strings.ToLower(v))
			}
		}
	}
	if inner, ok := of["innererror"].(map[string]any); ok { // Azure's
		f.read(inner)
	}
	details, _ := of["details"].([]any) // Google's
	for _, d := range details {
		if d, ok := d.(map[string]any); ok {
			delay, _ := d["retryDelay"].(string)
			if wait, err := time.ParseDuration(delay); err == nil && wait > 0 {
				f.RetryAfter = wait
			}
			if reason, ok := d["reason"].(string); ok {
				f.Codes = append(f.Codes, strings.ToLower(reason))
			}
		}
	}
	if f.Status < 100 || f.Status > 599 { // a number of the provider's own
		f.Status = 0
	}
}

// behind adds what a router says about the provider that it has asked.
func (f *failure) behind(metadata map[string]any) {
	var said string
	switch raw := metadata["raw"].(type) {
	case string:
		if inner := parseFailure([]byte(raw)); inner.Message != "" {
			said = inner.Message
			f.Codes = append(f.Codes, inner.Codes...)
		}
	case map[string]any:
		if doc, err := json.Marshal(raw); err == nil {
			said = parseFailure(doc).Message
		}
	}
	if _, flagged := metadata["flagged_input"]; flagged {
		f.Codes = append(f.Codes, "content_filter")
	}
	if said == "" || strings.Contains(f.Message, said) {
		return
	}
	if name, ok := metadata["provider_name"].(string); ok && name != "" {
		said = name + ": " + said
	}
	f.Message = strings.TrimLeft(f.Message+": "+said, ": ")
}

// has reports whether one of the codes of f is in a list.
func (f failure) has(codes ...string) bool {
	return slices.ContainsFunc(f.Codes, func(c string) bool { return slices.Contains(codes, c) })
}

// Codes that say more than the status, in lower case.
var (
	filterCodes   = []string{"content_filter", "content_policy_violation", "responsibleaipolicyviolation", "data_inspection_failed", "datainspectionfailed", "moderation_blocked"}
	overflowCodes = []string{"context_length_exceeded", "exceed_context_size_error", "string_above_max_length", "model_context_window_exceeded"}
	limitCodes    = []string{"rate_limit_exceeded", "rate_limit_error", "rate_limit", "too_many_requests", "resource_exhausted", "throttling"}
	serverCodes   = []string{"server_error", "overloaded_error", "internal_server_error", "internalservererror", "api_error", "internal_error", "internal", "unavailable",
		"service_unavailable", "service_unavailable_error", "engine_overloaded_error", "server_overloaded", "provider_unavailable", "upstream_error", "timeout_error", "insufficient_system_resource"}
	keyCodes     = []string{"authentication_error", "invalid_api_key", "api_key_invalid", "unauthenticated", "permission_error", "permission_denied"}
	requestCodes = []string{"invalid_request_error", "badrequesterror", "bad_request", "invalid_argument", "not_found_error"}
	creditCodes  = []string{"billing_error", "insufficient_balance", "payment_required"}
)

// statusOf returns the HTTP status that an error within a stream would have had, 0 if it does not
// say.
func (f failure) statusOf() int {
	switch {
	case f.Status >= 400:
		return f.Status
	case f.has(limitCodes...):
		return http.StatusTooManyRequests
	case f.has(creditCodes...):
		return http.StatusPaymentRequired
	case f.has(keyCodes...):
		return http.StatusUnauthorized
	case f.has(serverCodes...):
		return http.StatusInternalServerError
	case f.has(requestCodes...):
		return http.StatusBadRequest
	}
	return 0
}

// failure returns the error that a provider describes. status is that of the answer; 200 for an
// error within a stream.
func (t *transport) failure(status int, said failure) *Error {
	as := status
	if status/100 == 2 {
		status, as = said.Status, said.statusOf()
	}
	kind, temporary := KindBroken, false
	if as != 0 {
		kind, temporary = kindOfStatus(as)
	}
	switch {
	case said.has("tool_use_failed"): // the model wrote a call that the provider could not read
		kind, temporary = KindBroken, true
	case said.has(filterCodes...), contentRisk().MatchString(said.Message):
		kind, temporary = KindFiltered, false
	case kind == KindRejected && said.has("api_key_invalid"): // Google's answer has status 400
		kind = KindUnauthorized
	case kind == KindRejected && noCredit().MatchString(said.Message): // and Anthropic's
		kind = KindUnpaid
	case said.has("insufficient_quota"): // waiting will not help
		temporary = false
	}
	e := t.failed(kind)
	e.Status, e.temporary, e.RetryAfter = status, temporary, said.RetryAfter
	if kind != KindUnauthorized || as == http.StatusForbidden { // the message about a key often quotes it
		e.Detail = t.scrub.line(said.Message)
	}
	if said.has(overflowCodes...) {
		e.Kind, e.temporary = KindTooLong, false
	}
	return e.judge()
}

// noCredit matches how Anthropic refuses a request of an account without credit.
var noCredit = lazyregexp.New(`(?i)credit balance is too low`)

// contentRisk matches how DeepSeek's content filter refuses a request.
var contentRisk = lazyregexp.New(`(?i)^content exists risk`)

// longer matches how providers say that a request is longer than the model can read at once.
// They have no status or code in common for it.
var longer = lazyregexp.New(`(?i)context[ _-]?(?:length|window|size|limit)|maximum (?:context|prompt length)|available context|context (?:the )?overflow|` +
	`(?:prompt|input|request|messages?)\b[^.]{0,40}\b(?:too long|too many tokens|exceed(?:s|ed)? (?:the (?:maximum|model|limit)|max|model token limit))|` +
	`string too long|range of input length should be|inputs?` + "`?" + ` tokens \+ ` + "`?" + `max_new_tokens|` +
	`too many (?:input |prompt )?tokens|token count\b[^.]{0,60}\bexceeds?|reduce the length of the (?:messages|prompt|input)`)

// tooLarge matches how providers say that a single request is over the tokens of a whole minute.
var tooLarge = lazyregexp.New(`(?i)request too large\b`)

// judge refines the kind of a refusal by its words. Some providers refuse with status 200, in
// the stream.
func (e *Error) judge() *Error {
	long := false
	switch e.Kind {
	case KindRejected, KindBroken:
		long = e.Status == http.StatusRequestEntityTooLarge || longer().MatchString(e.Detail)
	case KindOverloaded: // as llama.cpp's server did
		long = e.Status == http.StatusInternalServerError && longer().MatchString(e.Detail)
	case KindRateLimited: // waiting does not make it smaller
		long = tooLarge().MatchString(e.Detail)
	}
	if long {
		e.Kind, e.temporary = KindTooLong, false
	}
	return e
}

// reported returns the body of the error that a chunk of a stream holds, nil for none. It looks
// at the members of the chunk, wherever they stand in it.
func reported(chunk []byte) []byte {
	if !bytes.Contains(chunk, []byte(`"error"`)) && bytes.Contains(chunk, []byte(`"choices"`)) {
		return nil
	}
	var top map[string]json.RawMessage
	if json.Unmarshal(chunk, &top) != nil {
		return nil
	}
	_, answers := top["choices"]
	is := func(name string) bool { return string(top[name]) == `"error"` }
	said := func(name string) bool { return top[name] != nil && !isEmpty(top[name]) }
	if said("error") || !answers && (top["error"] != nil && string(top["error"]) != "null" || is("object") || is("type") || said("message") || said("detail")) {
		return chunk
	}
	var groq map[string]json.RawMessage // says there why it stopped early
	if json.Unmarshal(top["x_groq"], &groq) == nil && groq["error"] != nil && !isEmpty(groq["error"]) {
		return fmt.Appendf(nil, `{"error":%s}`, groq["error"])
	}
	var choices []map[string]json.RawMessage
	if json.Unmarshal(top["choices"], &choices) != nil {
		return nil
	}
	for _, c := range choices { // as OpenRouter does it
		if of := c["error"]; of != nil && !isEmpty(of) {
			return fmt.Appendf(nil, `{"error":%s}`, of)
		}
	}
	return nil
}

// isEmpty reports whether a JSON value says nothing.
func isEmpty(value json.RawMessage) bool {
	return slices.Contains([]string{"null", `""`, "{}", "[]", "false"}, string(bytes.TrimSpace(value)))
}
