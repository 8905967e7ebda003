package edittest

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// Act is what somebody does to one line of NumberedLines.
type Act struct {
	Line int
	Verb string
}

// After returns n numbered lines after the acts.
func After(n int, who string, acts ...Act) string {
	var b strings.Builder
	for i := range n {
		line := fmt.Sprintf("line %d;\n", i)
		for _, a := range acts {
			if a.Line != i {
				continue
			}
			switch a.Verb {
			case "change":
				line = fmt.Sprintf("%s's %d;\n", who, i)
			case "delete":
				line = ""
			case "insert":
				line += fmt.Sprintf("%s's after %d;\nand another after %d;\n", who, i, i)
			case "rewrite":
				line = fmt.Sprintf("%s's %d;\n%s's too %d;\n", who, i, who, i)
			}
		}
		b.WriteString(line)
	}
	return b.String()
}

// TwoParties generates acts of two parties on lines that are not next to each other, at
// most one act a line.
func TwoParties(t *rapid.T, n int) (mine, theirs []Act) {
	verbs := rapid.SampledFrom([]string{"change", "delete", "insert", "rewrite"})
	whose := rapid.SampledFrom([]string{"mine", "theirs", "nobody's"})
	last, lastAt := "nobody's", -2
	for i := range n {
		who := whose.Draw(t, "whose")
		if who == "nobody's" || who != last && last != "nobody's" && lastAt >= i-2 {
			continue
		}
		a := Act{i, verbs.Draw(t, "verb")}
		if who == "mine" {
			mine = append(mine, a)
		} else {
			theirs = append(theirs, a)
		}
		last, lastAt = who, i
	}
	return mine, theirs
}

// NumberedLines returns n lines, each different.
func NumberedLines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d;\n", i)
	}
	return b.String()
}
