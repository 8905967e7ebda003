package patch_test

import (
	"testing"

	"redline/edits/patch"
)

// The path on the line above a fence or a tag is the file of the block in it, whatever the words
// before it name.
func TestPathAboveAFence(t *testing.T) {
	const block = "<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n"
	for _, c := range []struct{ name, text, path string }{
		{"a fence", "I change the `/tokens` command.\n\na.txt\n```\n" + block + "```\n", "a.txt"},
		{"a fence with a language", "I change the `/tokens` command.\n\na.txt\n```python\n" + block + "```\n", "a.txt"},
		{"a tag", "I change the `/tokens` command.\n\na.txt\n<source>\n" + block + "</source>\n", "a.txt"},
		{"a tag with a language", "I change the `/tokens` command.\n\na.txt\n<source>python\n" + block + "</source>\n", "a.txt"},
		{"another tag with a language", "See b.txt for `/tokens`.\n\na.txt\n<code>c++\n" + block + "</code>\n", "a.txt"},
		{"a new file", "As `b.txt` does.\n\nnew/a.txt\n<source>go\n<<<<<<< SEARCH\n=======\ntwo\n>>>>>>> REPLACE\n</source>\n", "new/a.txt"},
		{"a tag and other words", "In `b.txt`, and:\n\na.txt\n<source>python is good\n" + block + "</source>\n", ""},
		{"words between", "In `b.txt`, and:\n\na.txt\nis next.\n<source>python\n" + block + "</source>\n", ""},
		{"a list of files", "- a.txt\n- b.txt\n\nThe change:\n<source>python\n" + block + "</source>\n", ""},
	} {
		files, err := patch.Parse(c.text)
		switch {
		case err != nil && c.path != "":
			t.Errorf("%s: %v", c.name, err)
		case err == nil && (len(files) != 1 || files[0].Path != c.path):
			t.Errorf("%s: %+v, want %q", c.name, files, c.path)
		}
		if all := patch.Attempts(c.text); len(all) != 1 || all[0].Path != c.path {
			t.Errorf("%s: attempts %+v, want %q", c.name, all, c.path)
		}
	}
}
