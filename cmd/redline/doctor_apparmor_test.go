package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestProfileName(t *testing.T) {
	for name, want := range map[string]string{
		"/usr/local/bin/redline": `"/usr/local/bin/redline"`,
		"/home/a b/{x}*/redline": `"/home/a b/\{x\}\*/redline"`,
		`/odd"\[1]?/redline`:     `"/odd\"\\\[1\]\?/redline"`,
	} {
		if got := profileName(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// The page on trials shows the profile that doctor prints.
func TestProfileOnPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/running.md")
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(profile, profileName("/usr/local/bin/redline"))
	_, rules, _ := strings.Cut(text, "abi ")
	var indented strings.Builder
	for line := range strings.Lines("abi " + rules) {
		if line != "\n" {
			line = "  " + line
		}
		indented.WriteString(line)
	}
	if !strings.Contains(string(page), indented.String()) {
		t.Errorf("docs/running.md does not have\n%s", indented.String())
	}
}
