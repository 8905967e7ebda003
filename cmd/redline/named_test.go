package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

var (
	codeOnPages  = regexp.MustCompile("(?ms)^ *```.*?^ *```$|`[^`\n]+`")
	commandLine  = regexp.MustCompile("(?m)(?:^|[`$] ?|[A-Z_]+=\\S* |go run \\./cmd/)redline( [a-z][a-z-]*[^`\n]*)")
	codeLanguage = regexp.MustCompile("(?:^ *```)([a-z]+)")
	quotedText   = regexp.MustCompile(`'[^']*'|"[^"]*"`)
	plainWord    = regexp.MustCompile(`^[a-z][a-z-]+$`)
	longFlag     = regexp.MustCompile(`(?:^|[ \[])--([a-z][a-z-]*)`)
)

// Every command line on a page exists, and so do its flags.
func TestCommandLinesOnPages(t *testing.T) {
	var pages []string
	for _, pattern := range []string{"../../*.md", "../../docs/*.md", "../../editors/*/README.md", "../../editors/vscode/walkthrough/*.md"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, names...)
	}
	root := testRoot()
	root.InitDefaultCompletionCmd("bash")
	found := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, code := range codeOnPages.FindAllString(string(text), -1) {
			if language := codeLanguage.FindStringSubmatch(code); language != nil && language[1] != "text" {
				continue // in an editor's configuration
			}
			for _, m := range commandLine.FindAllStringSubmatch(code, -1) {
				found++
				checkLine(t, page, root, m[1])
			}
		}
	}
	if found < 100 {
		t.Errorf("found %d command lines in %d pages: does this test still look in the right place?", found, len(pages))
	}
}

// checkLine checks the arguments of the program in a command line.
func checkLine(t *testing.T, page string, root *cobra.Command, line string) {
	t.Helper()
	if line == " exchange 1" {
		return // the name of a format
	}
	line, _, _ = strings.Cut(quotedText.ReplaceAllString(line, "TEXT"), " #")
	for _, end := range []string{" | ", " > ", " && ", ";"} {
		line, _, _ = strings.Cut(line, end)
	}
	cmd := root
	for word := range strings.FieldsSeq(line) {
		if !plainWord.MatchString(word) || !cmd.HasSubCommands() {
			break
		}
		next, _, err := cmd.Find([]string{word})
		if err != nil || next == cmd {
			t.Errorf("%s has the command line redline%s: %s has no command %s", filepath.ToSlash(page), line, cmd.CommandPath(), word)
			return
		}
		cmd = next
	}
	for _, m := range longFlag.FindAllStringSubmatch(line, -1) {
		if m[1] != "help" && cmd.Flag(m[1]) == nil {
			t.Errorf("%s has the command line redline%s: %s has no flag --%s", filepath.ToSlash(page), line, cmd.CommandPath(), m[1])
		}
	}
}
