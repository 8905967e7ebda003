package tool

import (
	"context"
	"fmt"
	"unicode/utf8"

	"redline/edits"
)

// Limits of one read.
const (
	maxReadLines = 2000
	maxReadBytes = 256 << 10
)

var readFile = define(Tool{
	Name: "read_file",
	params: params{
		{name: "path", kind: stringKind, required: true, about: "The file, relative to the workspace."},
		{name: "start_line", kind: integerKind, about: "First line to show, from 1."},
		{name: "end_line", kind: integerKind, about: "Last line to show, inclusive; -1 for the last one of the file."},
	},
	run: func(_ context.Context, env *Env, c call) Result {
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
	},
})

// read shows lines from to to, counted from 1, of a file; nil for either means that end of
// the file, nil for both the bare text.
func read(env *Env, name string, from, to *int) Result {
	fail := func(err error) Result { return failure("read "+name, err) }
	path, err := file(env, name)
	if err != nil {
		return fail(err)
	}
	text, exists, err := env.Draft.Read(path)
	if err != nil {
		return fail(err)
	}
	if !exists {
		return fail(fmt.Errorf("%s %slist the files to see what there is", shown(path), env.Draft.Missing(path)))
	}
	index := edits.NewLines(text)
	count := lineCount(index)
	if from == nil && to == nil && count <= maxReadLines && len(text) <= maxReadBytes {
		return Result{Text: text, Summary: "read " + shown(path)}
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
	body, last, whole := window(index, first, last)
	r := Result{
		Text:    fmt.Sprintf("[lines %d-%d of %d]\n%s", min(first, count), last, count, body),
		Summary: fmt.Sprintf("read %s lines %d-%d of %d", shown(path), min(first, count), last, count),
	}
	if !whole {
		r.Text += fmt.Sprintf("…\nerror: line %d is longer than can be shown; its beginning is above", last)
	}
	return r
}

// window returns the lines first to last, counted from 1, as far as the limits allow, and the
// last line included. whole is false if that line is cut because it alone is too long.
func window(index *edits.Lines, first, last int) (body string, end int, whole bool) {
	if last < first {
		return "", last, true
	}
	text := index.Text()
	start := index.Line(first - 1).Start
	stop := start
	for end = first - 1; end < last && end-first+1 < maxReadLines; end++ {
		line := index.Line(end)
		if line.End-start > maxReadBytes {
			break
		}
		stop = line.End
	}
	if stop > start || end == last {
		return text[start:stop], end, true
	}
	stop = start + maxReadBytes
	for !utf8.RuneStart(text[stop]) {
		stop--
	}
	return text[start:stop], first, false
}

// lineCount returns the number of lines as people count: without the empty one after a final
// line end.
func lineCount(index *edits.Lines) int {
	n := index.Count()
	if index.Line(n-1).Len() == 0 {
		n--
	}
	return n
}
