package modeline

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestBreak(t *testing.T) {
	for text, want := range map[string]string{
		"vim: set ts=77:": `vim\: set ts=77:`, " /* vi:ts=77 */": ` /* vi\:ts=77 */`, "x ex: se ts=7": `x ex\: se ts=7`,
		"# Vim>700: set ts=7:": `# Vim>700\: set ts=7:`, "vim703: x": `vim703\: x`, "vim=900:": `vim=900\:`,
		";; Local Variables:": `;; Local Variables\:`, "LOCAL VARIABLES:": `LOCAL VARIABLES\:`,
		"index: 1, neovim: 2, http://x": "index: 1, neovim: 2, http://x", "no colon": "no colon",
	} {
		if got := Break(text, `\:`); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestBreakJSON(t *testing.T) {
	texts := []string{"-*- mode: x -*- vim: set ts=77:", "\tvi:x Local Variables:", "ex:", "plain: \"vim\":"}
	data, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	escaped := BreakJSON(string(data))
	if err := json.Unmarshal([]byte(escaped), &got); err != nil || !slices.Equal(got, texts) {
		t.Errorf("%s is %q, %v", escaped, got, err)
	}
	if strings.Contains(escaped, "-*-") || strings.Contains(escaped, "Variables:") || strings.Contains(escaped, "vim: ") {
		t.Error(escaped)
	}
}

func TestFoot(t *testing.T) {
	foot := Foot("One.", "Two.")
	if lines := strings.Split(strings.TrimSuffix(foot, "\n"), "\n"); len(lines) != Lines || !IsPage(lines[0]) || IsPage(lines[1]) {
		t.Errorf("%q", lines)
	}
}
