package modeltest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// directives are the words that a line of a script starts with.
var directives = []string{"text", "long", "endless", "call", "calls", "finish", "status", "header", "raw", "wait", "cut", "for"}

// Parse reads a script in its text form: replies, separated by lines of "---",
// each of them lines of
//
//	text: TEXT                  a piece of the answer's text
//	long: SIZE TEXT             TEXT over and over, up to SIZE bytes
//	endless: TEXT               TEXT over and over, without an end
//	call: TOOL {ARGUMENTS}      a tool call; the arguments are sent as written
//	calls: N TOOL {ARGUMENTS}   N calls, with the number of each, from 1 on, for "%d"
//	finish: REASON              default: tool_calls if there are calls, else stop; none: no finish reason
//	status: CODE BODY           an HTTP failure instead of a stream
//	header: NAME: VALUE         a header of the HTTP answer
//	raw: LINE                   a line of the stream, sent as it is
//	for: TEXT                   the reply answers only a request with this text in it
//	wait: NAME                  nothing more until Release(NAME)
//	cut                         the connection breaks here
//
// A line that starts with none of these words goes on with the one above it,
// after a line break.
func Parse(text string) ([]Reply, error) {
	var (
		replies []Reply
		block   []string
		first   = 1
	)
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range append(lines, "---") {
		if strings.TrimRight(line, " \r") != "---" {
			block = append(block, line)
			continue
		}
		reply, err := parseReply(block, first)
		if err != nil {
			return nil, err
		}
		replies = append(replies, reply)
		block, first = nil, i+2
	}
	return replies, nil
}

// parseReply reads one reply, whose first line has the given number.
func parseReply(lines []string, first int) (Reply, error) {
	var r Reply
	for i := 0; i < len(lines); {
		word, value, ok := directive(lines[i])
		if !ok {
			if strings.TrimSpace(lines[i]) != "" {
				return r, fmt.Errorf("line %d: %q is none of %s", first+i, lines[i], strings.Join(directives, ", "))
			}
			i++
			continue
		}
		at := first + i
		for i++; i < len(lines); i++ {
			if _, _, ok := directive(lines[i]); ok {
				break
			}
			value += "\n" + lines[i]
		}
		if err := r.set(word, strings.TrimRight(value, "\n")); err != nil {
			return r, fmt.Errorf("line %d: %w", at, err)
		}
	}
	return r, nil
}

// directive splits a line that starts one.
func directive(line string) (word, value string, ok bool) {
	word, value, colon := strings.Cut(line, ":")
	if !colon {
		word = strings.TrimSpace(word)
		return word, "", word == "cut"
	}
	return word, strings.TrimPrefix(value, " "), slices.Contains(directives, word) && word != "cut"
}

func (r *Reply) set(word, value string) error {
	switch word {
	case "text":
		r.Parts = append(r.Parts, Text(value))
	case "long":
		size, text, _ := strings.Cut(value, " ")
		n, err := strconv.Atoi(size)
		if err != nil || n < 1 || text == "" {
			return fmt.Errorf("long is written SIZE TEXT")
		}
		r.Parts = append(r.Parts, Long(n, text))
	case "endless":
		r.Parts = append(r.Parts, Endless(value))
	case "calls":
		count, call, _ := strings.Cut(strings.TrimSpace(value), " ")
		n, err := strconv.Atoi(count)
		if err != nil || n < 1 || call == "" {
			return fmt.Errorf("calls is written N TOOL {ARGUMENTS}")
		}
		for i := range n {
			if err := r.set("call", strings.ReplaceAll(call, "%d", strconv.Itoa(i+1))); err != nil {
				return err
			}
		}
	case "call":
		name, arguments, _ := strings.Cut(strings.TrimSpace(value), " ")
		if name == "" {
			return fmt.Errorf("a call needs the name of a tool")
		}
		r.Parts = append(r.Parts, Call(name, arguments))
	case "raw":
		r.Parts = append(r.Parts, Raw(value+"\n"))
	case "wait":
		r.Parts = append(r.Parts, Wait(strings.TrimSpace(value)))
	case "cut":
		r.Parts = append(r.Parts, Cut())
	case "for":
		r.For = value
	case "finish":
		r.Finish = strings.TrimSpace(value)
	case "header":
		name, content, ok := strings.Cut(value, ":")
		if !ok {
			return fmt.Errorf("a header is written NAME: VALUE")
		}
		if r.Header == nil {
			r.Header = make(http.Header)
		}
		r.Header.Add(strings.TrimSpace(name), strings.TrimSpace(content))
	case "status":
		code, body, _ := strings.Cut(value, " ")
		status, err := strconv.Atoi(code)
		if err != nil || status < 200 || status > 599 {
			return fmt.Errorf("%q is no HTTP status", code)
		}
		r.Status, r.Body = status, body
	}
	return nil
}
