package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"redline/edits"
	"redline/internal/lazyregexp"
	"redline/internal/phrase"
	"redline/workspace"
)

// Limits of one answer with lines of a file.
const (
	maxReadLines = 2000
	maxReadBytes = 64 << 10
	maxRanges    = 20
	maxRest      = 2000 // bytes of an outline of the lines that are not shown
)

var readFile = define(Tool{
	Name: "read_file",
	params: params{
		pathParam,
		{name: "start_line", kind: integerKind, also: []string{"from_line", "line_start", "begin_line", "start", "from", "start_line_one_indexed"}, about: "From 1."},
		{name: "end_line", kind: integerKind, also: []string{"to_line", "line_end", "end", "to", "end_line_one_indexed", "end_line_one_indexed_inclusive"}, about: "-1 for the last."},
		{name: "ranges", kind: rangesKind, also: []string{"range", "line_range", "line_ranges", "lines", "view_range"}, about: "Instead: like [[1, 20], [90, 110]]."},
		charsParam,
	},
	prepare: prepareRead,
	run: func(_ context.Context, env *Env, c call) Result {
		return c.withinChars(readAsked(env, c))
	},
})

// readAsked shows the lines that a call asks for.
func readAsked(env *Env, c call) Result {
	if ranges, ok := c.args["ranges"].([][2]int); ok {
		if c.has("start_line") || c.has("end_line") {
			return failure("read "+c.text("path"), errors.New("give either ranges, or start_line and end_line"))
		}
		return readRanges(env, c.text("path"), ranges)
	}
	var from, to *int
	if c.has("start_line") {
		n := c.int("start_line")
		from = &n
	}
	if c.has("end_line") {
		n := c.int("end_line")
		to = &n
	}
	return read(env, c.text("path"), from, to)
}

// prepareRead converts the arguments of other programs' read tools: offset is the first line,
// from 1, and limit the number of lines.
func prepareRead(as given) error {
	if value, ok := as.take("should_read_entire_file", "read_entire_file"); ok && string(value) == "true" {
		as.take("start_line")
		as.take("end_line")
	}
	first, from, err := as.number("offset", "line_offset")
	if err != nil {
		return err
	}
	lines, some, err := as.number("limit", "max_lines", "num_lines", "line_count")
	switch {
	case err != nil:
		return err
	case from && as["start_line"] != nil:
		return errors.New(`"offset" and "start_line" both say where to begin; give one of them`)
	case some && as["end_line"] != nil:
		return errors.New(`"limit" and "end_line" both say where to end; give one of them`)
	case from:
		as.set("start_line", max(first, 1))
	}
	if !some {
		return nil
	}
	if lines < 1 {
		return errors.New(`the argument "limit" must be 1 or more: it is how many lines to show`)
	}
	start, ok := parseInt(as["start_line"])
	if !ok {
		start = 1
	}
	as.set("end_line", max(start, 1)+lines-1)
	return nil
}

// opened returns the lines of the file that a call names.
func opened(env *Env, name string) (path string, index *edits.Lines, err error) {
	if path, err = file(env, name); err != nil {
		return "", nil, err
	}
	text, exists, err := env.Draft.Read(path)
	switch {
	case err != nil:
		return "", nil, err
	case !exists:
		return "", nil, fmt.Errorf("%s %slist the files to see what there is", shown(path), env.Draft.Missing(path))
	}
	return path, edits.NewLines(text), nil
}

// read shows the lines from to to of a file, counted from 1. A nil bound means that end of the
// file. If both are nil, read shows the plain text, or for a large file its beginning and an
// outline of the rest.
func read(env *Env, name string, from, to *int) Result {
	fail := func(err error) Result { return failure("read "+name, err) }
	path, index, err := opened(env, name)
	if err != nil {
		return fail(err)
	}
	count := lineCount(index)
	if from == nil && to == nil {
		if count <= maxReadLines && len(index.Text()) <= maxReadBytes {
			env.saw(path, index, 1, count)
			return Result{Text: index.Text(), Summary: "read " + shown(path)}
		}
		return readBeginning(env, path, index)
	}
	first, last := 1, count
	if from != nil {
		first = max(*from, 1)
	}
	if to != nil && *to >= 0 {
		last = min(*to, count)
	}
	switch {
	case first > count && count > 0:
		return fail(fmt.Errorf("%s has only %d lines", shown(path), count))
	case to != nil && *to >= 0 && *to < first:
		return fail(fmt.Errorf("the last line, %d, is before the first, %d", *to, first))
	}
	text, last := piece(index, first, last, maxReadBytes)
	env.saw(path, index, first, last)
	return Result{Text: text, Summary: fmt.Sprintf("read %s lines %d-%d of %d", shown(path), min(first, count), last, count)}
}

// saw notes which lines of a file were shown.
func (env *Env) saw(path string, index *edits.Lines, first, last int) {
	if env.Saw != nil && first <= last {
		env.Saw(path, index.Text(), first, last)
	}
}

// readBeginning shows the beginning of a large file, and outlines what follows.
func readBeginning(env *Env, path string, index *edits.Lines) Result {
	count := lineCount(index)
	text, last := headed(index, 1, count, maxListing, "")
	env.saw(path, index, 1, last)
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if last < count {
		text += fmt.Sprintf("[%s more; give start_line, or ranges, to see them]", phrase.Count(count-last, "line"))
	}
	var rows []string
	for _, s := range env.Workspace.Outline(path, index.Text()) {
		if s.Line > last {
			rows = append(rows, outlineRow(s))
		}
	}
	if len(rows) > 0 {
		text += "\n" + within(maxRest, rows, 0, " declarations")
	}
	return Result{Text: text, Summary: fmt.Sprintf("read %s lines 1-%d of %d", shown(path), last, count)}
}

// readRanges shows several ranges of lines of a file.
func readRanges(env *Env, name string, ranges [][2]int) Result {
	fail := func(err error) Result { return failure("read "+name, err) }
	path, index, err := opened(env, name)
	if err != nil {
		return fail(err)
	}
	count := lineCount(index)
	if len(ranges) > maxRanges {
		return fail(fmt.Errorf("%d ranges are more than the %d that one call can have", len(ranges), maxRanges))
	}
	var b strings.Builder
	var wrong error // reports the first range that is outside the file
	found := 0
	for _, r := range ranges {
		first, last := max(r[0], 1), min(r[1], count)
		if r[1] < 0 {
			last = count
		}
		var why error
		switch {
		case first > count:
			why = fmt.Errorf("%s has only %d lines, so there is no range %d-%d", shown(path), count, r[0], r[1])
		case last < first:
			why = errors.New("the last line is before the first")
		}
		if why != nil {
			wrong = cmp.Or(wrong, why)
			fmt.Fprintf(&b, "[no lines %d-%d: %v]\n", r[0], r[1], why)
			continue
		}
		found++
		if b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
			b.WriteString("\n")
		}
		if b.Len() > maxReadBytes {
			fmt.Fprintf(&b, "[lines %d-%d have no room; ask for them in another call]\n", first, last)
			continue
		}
		text, end := piece(index, first, last, maxReadBytes-b.Len())
		env.saw(path, index, first, end)
		b.WriteString(text)
	}
	if found == 0 {
		return fail(cmp.Or(wrong, errors.New("no range was given")))
	}
	return Result{Text: b.String(), Summary: fmt.Sprintf("read %s, %s of %d", shown(path), phrase.Count(len(ranges), "range"), count)}
}

// piece returns the lines first to last, counted from 1, that fit, below a line that says which
// lines they are and which have no room, and the number of the last line shown.
func piece(index *edits.Lines, first, last, room int) (text string, end int) {
	return headed(index, first, last, room, "; lines %d-%d have no room: ask for them next")
}

// headed does what piece does. left says which lines have no room, "" for not saying so.
func headed(index *edits.Lines, first, last, room int, left string) (text string, end int) {
	count := lineCount(index)
	body, end, whole := window(index, first, last, room)
	if end < last && left != "" {
		left = fmt.Sprintf(left, end+1, last)
	} else {
		left = ""
	}
	text = fmt.Sprintf("[lines %d-%d of %d%s]\n%s", min(first, count), end, count, left, body)
	if !whole {
		text += fmt.Sprintf("…\nerror: line %d is longer than can be shown; its beginning is above", end)
	}
	return text, end
}

// window returns the lines first to last, counted from 1, that fit the limits, and the number of
// the last line included. room is in bytes. whole is false if that line alone is too long and
// was cut.
func window(index *edits.Lines, first, last, room int) (body string, end int, whole bool) {
	if last < first {
		return "", last, true
	}
	text := index.Text()
	start := index.Line(first - 1).Start
	stop := start
	for end = first - 1; end < last && end-first+1 < maxReadLines; end++ {
		line := index.Line(end)
		if line.End-start > room {
			break
		}
		stop = line.End
	}
	if stop > start || end == last {
		return text[start:stop], end, true
	}
	stop = start + room
	for stop > start && !utf8.RuneStart(text[stop]) {
		stop--
	}
	return text[start:stop], first, false
}

// lineCount returns the number of lines without the empty one after a final line end.
func lineCount(index *edits.Lines) int {
	n := index.Count()
	if index.Line(n-1).Len() == 0 {
		n--
	}
	return n
}

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

var outline = define(Tool{
	Name:   "outline",
	params: params{pathParam},
	run: func(ctx context.Context, env *Env, c call) Result {
		path, index, err := opened(env, c.text("path"))
		if err != nil {
			return failure("outline "+c.text("path"), err)
		}
		symbols := env.symbols(ctx, path, index.Text())
		rows := make([]string, len(symbols))
		for i, s := range symbols {
			rows[i] = outlineRow(s)
		}
		r := Result{Text: listing(rows, 0, ""), Summary: "outline " + shown(path)}
		if len(rows) == 0 {
			r.Text = "no declarations found; read the file instead"
		}
		return r
	},
})

// maxOutlineWait is how long an outline waits for a language server.
const maxOutlineWait = 2 * time.Second

// symbols returns the declarations in a file: those that its language server knows, if it answers in
// time, else what can be read in the text.
func (env *Env) symbols(ctx context.Context, path, text string) []workspace.Symbol {
	if env.Languages != nil && env.Languages.Answers(path) {
		ctx, cancel := context.WithTimeout(ctx, maxOutlineWait)
		defer cancel()
		if symbols, err := env.Languages.Symbols(ctx, env.Draft.Overlay(), path); err == nil && len(symbols) > 0 {
			return symbols
		}
	}
	return env.Workspace.Outline(path, text)
}

// outlineRow formats a declaration for models.
func outlineRow(s workspace.Symbol) string {
	return fmt.Sprintf("%d: %s%s %s", s.Line, strings.Repeat("  ", min(s.Depth, 20)), spaced(s.Kind), phrase.ClipBytes(spaced(s.Name), 200))
}
