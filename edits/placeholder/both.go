package placeholder

import (
	"slices"
	"strings"
)

// maxParts is how many placeholders a text may have: for each, the whole file is searched.
const maxParts = 50

// Expand is for a text to replace that leaves lines out, in the file at path: it has
// placeholders that text, the file's, does not have, and new has the same ones in the same order. It
// returns both texts with the lines of the file instead. ok is false unless there is one way to do so:
// what is above the first placeholder is in text once, and what is below one is once in what then
// follows.
func Expand(path, text, old, new string) (olds, news string, found []Placeholder, ok bool) {
	if !slices.ContainsFunc(splitLines(old), mayStand) {
		return "", "", nil, false
	}
	there := splitLines(text)
	had := counts(there)
	l := languageOf(path)
	was, wasMarks := partsOf(l, old, had)
	now, marks := partsOf(l, new, had)
	if len(marks) == 0 || len(marks) > maxParts || !slices.EqualFunc(wasMarks, marks, func(a, b Placeholder) bool { return a.Text == b.Text }) || strings.Count(text, "\r") > strings.Count(text, "\r\n") {
		return "", "", nil, false
	}
	was, now, ok = withoutBlankEnds(was, now)
	if !ok {
		return "", "", nil, false
	}
	file, at := strings.Join(there, "\n")+"\n", 0
	var o, n strings.Builder
	for k, part := range was {
		start, end := onlyIn(file, part, at)
		if start < 0 {
			return "", "", nil, false
		}
		if k > 0 {
			o.WriteString(file[at:start])
			n.WriteString(file[at:start])
		}
		o.WriteString(part)
		n.WriteString(now[k])
		at = end
	}
	olds, news = o.String(), n.String()
	if !strings.HasSuffix(old, "\n") && !strings.HasSuffix(new, "\n") {
		olds, news = strings.TrimSuffix(olds, "\n"), strings.TrimSuffix(news, "\n")
	}
	return olds, news, marks, true
}

// partsOf returns the lines of a text between placeholders that the file does not have, each with a line
// end, and these placeholders.
func partsOf(l language, text string, had map[string]int) (parts []string, marks []Placeholder) {
	lines := splitLines(text)
	from := 0
	part := func(to int) {
		if from == to {
			parts = append(parts, "")
		} else {
			parts = append(parts, strings.Join(lines[from:to], "\n")+"\n")
		}
		from = to + 1
	}
	for _, c := range scan(l, lines, func(line string) bool { return had[line] == 0 }) {
		if c.grade >= likely && c.alone {
			part(c.Line - 1)
			marks = append(marks, c.Placeholder)
		}
	}
	part(len(lines))
	return parts, marks
}

// withoutBlankEnds leaves out the parts above a first and below a last placeholder if neither text has
// anything there. ok is false if another part of the text to replace has only blank lines.
func withoutBlankEnds(was, now []string) (olds, news []string, ok bool) {
	blank := func(part string) bool { return strings.TrimSpace(part) == "" }
	if blank(was[0]) && blank(now[0]) {
		was, now = was[1:], now[1:]
	}
	if last := len(was) - 1; last >= 0 && blank(was[last]) && blank(now[last]) {
		was, now = was[:last], now[:last]
	}
	return was, now, len(was) > 0 && !slices.ContainsFunc(was, blank)
}

// onlyIn returns where the lines of a part are in the file from an offset on, -1 if they are not there,
// or also somewhere else, inside of lines too.
func onlyIn(file, part string, from int) (start, end int) {
	content := strings.TrimSuffix(part, "\n")
	i := strings.Index(file[from:], content)
	if i < 0 || strings.Contains(file[from+i+1:], content) {
		return -1, -1
	}
	start = from + i
	end = start + len(content)
	if start > 0 && file[start-1] != '\n' || file[end] != '\n' {
		return -1, -1
	}
	return start, end + 1
}
