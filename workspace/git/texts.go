package git

import (
	"bytes"
	"context"
	"strconv"
	"strings"
)

// Limits of texts, in bytes.
const (
	maxText  = 1 << 20
	maxTexts = 16 << 20 // of all texts together
)

// Texts returns the texts of objects, as stored in the repository. It omits missing
// objects, and those that would exceed the limits.
func (r *Repo) Texts(ctx context.Context, objects []string) (map[string]string, error) {
	var wanted strings.Builder
	for _, o := range objects {
		if hash.MatchString(o) {
			wanted.WriteString(o + "\n")
		}
	}
	texts := map[string]string{}
	if wanted.Len() == 0 {
		return texts, nil
	}
	v, err := r.open(ctx, headOnly)
	if err != nil {
		return nil, err
	}
	defer v.close()
	sizes, err := v.git(strings.NewReader(wanted.String()), wanted.Len()*2, "cat-file", "--batch-check")
	if err != nil {
		return nil, err
	}
	wanted.Reset()
	room := maxTexts
	for line := range strings.Lines(string(sizes.text)) {
		if object, size, ok := blob(line); ok && size <= min(maxText, room) {
			room -= size
			wanted.WriteString(object + "\n")
		}
	}
	out, err := v.git(strings.NewReader(wanted.String()), maxTexts+wanted.Len()*2, "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	rest := out.text
	for {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			return texts, nil
		}
		object, size, ok := blob(string(rest[:end]))
		rest = rest[end+1:]
		if ok && size < len(rest) { // a line feed follows the text
			texts[object] = string(rest[:size])
			rest = rest[size+1:]
		}
	}
}

// blob parses a line about an object: "hash blob size".
func blob(line string) (object string, size int, ok bool) {
	f := strings.Fields(line)
	if len(f) != 3 || f[1] != "blob" {
		return "", 0, false
	}
	size, err := strconv.Atoi(f[2])
	return f[0], size, err == nil
}
