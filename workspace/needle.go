package workspace

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"redline/edits"
)

// needle finds the lines that match a query.
type needle struct {
	re       *regexp.Regexp // nil: a line with one of the literals matches
	literals []fixed        // a line without any of them does not match; nil: any line may
}

// maxExpression is the longest regular expression accepted, in bytes: longer ones take long
// to compile.
const maxExpression = 2000

func newNeedle(q Query) (needle, error) {
	switch {
	case q.Pattern == "":
		return needle{}, refuse("", "the search pattern is empty; give some text to look for")
	case strings.ContainsAny(q.Pattern, "\r\n"):
		return needle{}, refuse("", "the search pattern has several lines; search for one line at a time")
	}
	if (q.Regexp || q.IgnoreCase) && len(q.Pattern) > maxExpression {
		return needle{}, refuse("", "the search pattern has more than %d bytes; search for a shorter part of it", maxExpression)
	}
	if !q.Regexp && !q.IgnoreCase {
		return needle{literals: []fixed{newFixed(q.Pattern, false)}}, nil
	}
	expr := q.Pattern
	if !q.Regexp {
		expr = regexp.QuoteMeta(expr)
	}
	if q.IgnoreCase {
		expr = "(?i:" + expr + ")"
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return needle{}, refuse("", "the search pattern is not a regular expression (%v); correct it or search for plain text", err)
	}
	n := needle{re: re}
	if parsed, err := syntax.Parse(expr, syntax.Perl); err == nil {
		n.literals = required(parsed.Simplify())
	}
	return n, nil
}

// match returns the index of the first match in line, or -1. If there are literals, line
// has one of them, the first at literal.
func (n *needle) match(ctx context.Context, line []byte, literal int) int {
	if n.re == nil {
		return literal
	}
	if len(line) > checkEvery {
		if at := n.re.FindReaderIndex(&runes{ctx: ctx, left: line}); at != nil {
			return at[0]
		}
		return -1
	}
	if at := n.re.FindIndex(line); at != nil {
		return at[0]
	}
	return -1
}

// checkEvery is the number of bytes after which a search checks for cancellation: often
// enough for the slowest expressions too.
const checkEvery = 64 << 10

// runes reads a long line until ctx ends.
type runes struct {
	ctx  context.Context
	left []byte
	read int // since the last check of ctx
}

// ReadRune implements [io.RuneReader].
func (r *runes) ReadRune() (c rune, size int, err error) {
	if r.read >= checkEvery {
		if r.read = 0; r.ctx.Err() != nil {
			return 0, 0, r.ctx.Err()
		}
	}
	if len(r.left) == 0 {
		return 0, 0, io.EOF
	}
	c, size = utf8.DecodeRune(r.left)
	r.left = r.left[size:]
	r.read += size
	return c, size, nil
}

// each calls found for each matching line of data, in order, with its number, from 1, its
// place in data without the line end, and the index of the match in it, until found returns
// false or ctx ends.
func (n *needle) each(ctx context.Context, data []byte, found func(number int, line edits.Span, at int) bool) {
	next := make([]int, len(n.literals)) // the next index of each literal, -1 if not searched yet
	for i := range next {
		next[i] = -1
	}
	number, counted, checked := 1, 0, 0
	for pos := 0; pos < len(data); {
		if pos-checked >= checkEvery {
			if checked = pos; ctx.Err() != nil {
				return
			}
		}
		at := n.candidate(data, pos, next)
		if at < 0 {
			return
		}
		start := pos
		if n.literals != nil {
			start = pos + bytes.LastIndexByte(data[pos:at], '\n') + 1
		}
		end := len(data)
		if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
			end = at + i
		}
		line := bytes.TrimSuffix(data[start:end], []byte{'\r'})
		if m := n.match(ctx, line, at-start); m >= 0 {
			number += bytes.Count(data[counted:start], []byte{'\n'})
			counted = start
			if !found(number, edits.Span{Start: start, End: start + len(line)}, m) {
				return
			}
		}
		pos = end + 1
	}
}

// candidate returns an index at or after pos in the next line that may match, or -1. next
// caches the positions of the literals.
func (n *needle) candidate(data []byte, pos int, next []int) int {
	if n.literals == nil {
		return pos
	}
	first := len(data)
	for i, l := range n.literals {
		if next[i] < pos {
			next[i] = len(data)
			if at := l.index(data[pos:]); at >= 0 {
				next[i] = pos + at
			}
		}
		first = min(first, next[i])
	}
	if first == len(data) {
		return -1
	}
	return first
}
