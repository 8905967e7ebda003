package tool

import (
	"encoding/json"
	"strings"

	"redline/internal/lazyregexp"
)

// rangeForm matches a range of lines: "3-9", "3:9", "3..9", "3,9" or "3".
var rangeForm = lazyregexp.New(`^\s*\[?\s*(-?\d+)\s*(?:(?:-|:|,|\.\.)\s*(-?\d+))?\s*\]?\s*$`)

// parseRanges reads ranges of lines in the forms that models use: [[1, 20], [50, 60]], [1, 20],
// ["1-20", "50-60"], "1-20, 50-60", and objects with two numbers such as {"start": 1, "end": 20}.
func parseRanges(value json.RawMessage) (any, bool) {
	var out [][2]int
	text := unquoted(value)
	var list []json.RawMessage
	if json.Unmarshal([]byte(text), &list) != nil {
		if one, ok := parseRange(value); ok {
			return append(out, one), true
		}
		for part := range strings.SplitSeq(text, ",") {
			one, ok := rangeIn(rangeForm().FindStringSubmatch(part))
			if !ok {
				return nil, false
			}
			out = append(out, one)
		}
		return out, true
	}
	if len(list) == 2 {
		if first, ok := parseInt(list[0]); ok {
			last, ok := parseInt(list[1])
			return append(out, [2]int{first, last}), ok
		}
	}
	for _, item := range list {
		one, ok := parseRange(item)
		if !ok {
			return nil, false
		}
		out = append(out, one)
	}
	return out, len(out) > 0
}

// parseRange reads one range of lines.
func parseRange(value json.RawMessage) ([2]int, bool) {
	if one, ok := rangeIn(rangeForm().FindStringSubmatch(unquoted(value))); ok {
		return one, true
	}
	var pair []json.RawMessage
	if json.Unmarshal([]byte(unquoted(value)), &pair) == nil {
		if len(pair) != 2 {
			return [2]int{}, false
		}
		first, ok1 := parseInt(pair[0])
		last, ok2 := parseInt(pair[1])
		return [2]int{first, last}, ok1 && ok2
	}
	var object given
	if json.Unmarshal(value, &object) != nil {
		return [2]int{}, false
	}
	first, ok1, err1 := object.number("start", "start_line", "from", "first", "begin")
	last, ok2, err2 := object.number("end", "end_line", "to", "last", "stop")
	return [2]int{first, last}, ok1 && ok2 && err1 == nil && err2 == nil && len(object) == 0
}

// rangeIn returns the range in a match of rangeForm. One number means one line.
func rangeIn(match []string) ([2]int, bool) {
	if match == nil {
		return [2]int{}, false
	}
	first, ok1 := parseInt(json.RawMessage(match[1]))
	if match[2] == "" {
		return [2]int{first, first}, ok1
	}
	last, ok2 := parseInt(json.RawMessage(match[2]))
	return [2]int{first, last}, ok1 && ok2
}
