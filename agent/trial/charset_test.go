package trial

import (
	"testing"

	"redline/agent/view"
	"redline/workspace/world"
)

// What a command leaves in another charset than UTF-8 is captured as text where the charset is known and
// the same as before.
func TestCaptureCharsets(t *testing.T) {
	f := newCapturing(t, map[string]string{
		".editorconfig": "[*.txt]\ncharset = latin1\n", "a.txt": "caf\xe9\n", "ascii.txt": "a\n", "mark.c": "\xff\xfea\x00", "to8.txt": "\xe9\n", "unsaved.txt": "\xe9\n",
		"same.txt": "\xe9\n", "plain.c": "a\n",
	})
	f.leaves(world.FileEntry, "a.txt", "th\xe9\n", 0o644)
	f.leaves(world.FileEntry, "ascii.txt", "\xe0\n", 0o644)
	f.leaves(world.FileEntry, "mark.c", "\xff\xfe\xa9\x03", 0o644)
	f.leaves(world.FileEntry, "new.c", "\xff\xfea\x00", 0o644)
	f.leaves(world.FileEntry, "new.txt", "\xe9\n", 0o644)
	f.leaves(world.FileEntry, "plain.c", "\xe9\n", 0o644)
	f.leaves(world.FileEntry, "same.txt", "\xe9\n", 0o644)
	f.leaves(world.FileEntry, "to8.txt", "é\n", 0o644)
	f.leaves(world.FileEntry, "unsaved.txt", "\xfc\n", 0o644)
	f.wants(t, f.capture(t, view.TriedTexts{"unsaved.txt": {Text: "ö\n"}}),
		`a.txt: "café\n" → "thé\n"`, `ascii.txt: "a\n" → "à\n"`, `mark.c: "a" → "Ω" with a mark`, `new.txt: new "é\n"`, `unsaved.txt: "ö\n" → "ü\n"`,
		"not new.c: it is in UTF-16, and no rule says so of new files", "not plain.c: it is no UTF-8 text", "not to8.txt: its charset was changed to UTF-8")
}
