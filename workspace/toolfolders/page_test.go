package toolfolders

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"redline/internal/pagetest"
)

var update = flag.Bool("update", false, "write the table of docs/reference/tool-folders.md")

// The page has every row of the table.
func TestPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("| for | folder | use | trials see | program |\n| --- | --- | --- | --- | --- |\n")
	for _, r := range table {
		seen := map[string]string{"": "all", "-": "nothing but the rows below"}[r.seen]
		if seen == "" {
			seen = code(r.seen)
		}
		program := r.program
		if program != "" && program != "*" {
			program = code(program)
		} else if program == "*" {
			program = "any"
		}
		fmt.Fprintf(&b, "| %s | %s | *%s* | %s | %s |\n", r.tool, code(r.at), r.use, seen, program)
	}
	pagetest.Part(t, "docs/reference/tool-folders.md", "table", b.String(), *update)
}

// code quotes each word.
func code(words string) string {
	return "`" + strings.Join(strings.Fields(words), "`, `") + "`"
}
