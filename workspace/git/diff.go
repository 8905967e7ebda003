package git

import (
	"bytes"
	"cmp"
	"context"
	"strconv"
	"strings"
)

// maxChanges is how many bytes of a list of changes are read.
const maxChanges = 1 << 20

// kinds maps Git's letters to kinds of changes.
var kinds = map[byte]Kind{'M': Modified, 'A': Added, 'D': Deleted, 'R': Renamed, 'C': Copied, 'T': Retyped, 'U': Conflict}

// Between returns the files in the workspace folder, or below a path in it, that differ
// between two commits, and whether there are more. "" means HEAD. from may be a range:
// "a..b" compares two commits, and "a...b" compares b with the merge base of both.
func (r *Repo) Between(ctx context.Context, from, to, path string) (changes []Changed, more bool, err error) {
	return r.between(ctx, path, func(v *view) (a, b string, err error) {
		return v.ends(from, to)
	})
}

// ends returns the hashes of two commits, or of the two ends of a range.
func (v *view) ends(from, to string) (a, b string, err error) {
	base := false
	for _, dots := range []string{"...", ".."} {
		if before, after, ok := strings.Cut(from, dots); ok {
			from, to, base = before, after, dots == "..."
			break
		}
	}
	if a, err = v.resolve(from); err != nil {
		return "", "", err
	}
	if b, err = v.resolve(to); err != nil || !base {
		return a, b, err
	}
	out, err := v.git(nil, 1<<10, "merge-base", a, b)
	if exitCode(err) == 1 {
		return "", "", &Unknown{from + "..." + to}
	}
	return strings.TrimSpace(string(out.text)), b, err
}

// In is like Between, for the changes of one commit; a merge is compared with its first
// parent.
func (r *Repo) In(ctx context.Context, commit, path string) (changes []Changed, more bool, err error) {
	return r.between(ctx, path, func(v *view) (a, b string, err error) {
		if b, err = v.resolve(commit); err != nil {
			return "", "", err
		}
		a, err = v.resolve(b + "^")
		if _, ok := err.(*Unknown); ok { // a commit without a parent
			return emptyTree(b), b, nil
		}
		return a, b, err
	})
}

func (r *Repo) between(ctx context.Context, path string, ends func(*view) (a, b string, err error)) ([]Changed, bool, error) {
	v, err := r.open(ctx, allRefs)
	if err != nil {
		return nil, false, err
	}
	defer v.close()
	a, b, err := ends(v)
	if err != nil {
		return nil, false, err
	}
	path = cmp.Or(path, ".")
	out, err := v.git(nil, maxChanges, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--find-renames", "--no-ext-diff", "--no-textconv",
		"--ignore-submodules=all", a, b, "--", path)
	if err != nil {
		return nil, false, err
	}
	return parseRaw(string(out.text), v.prefix), out.cut, nil
}

// parseRaw parses the raw output format of git-diff-tree(1): ":mode mode object object
// kind", a path, and for renames and copies a second path.
func parseRaw(text, prefix string) (changes []Changed) {
	for {
		entry, rest, _ := strings.Cut(text, "\x00")
		f := strings.Fields(strings.TrimPrefix(entry, ":"))
		if len(f) != 5 {
			return changes
		}
		c := Changed{Kind: kinds[f[4][0]], Old: present(f[2]), New: present(f[3]), Link: isLink(f[:2])}
		var ok bool
		if c.Path, text, ok = strings.Cut(rest, "\x00"); ok && (c.Kind == Renamed || c.Kind == Copied) {
			c.OldPath = strings.TrimPrefix(c.Path, prefix)
			c.Path, text, ok = strings.Cut(text, "\x00")
		}
		if !ok {
			return changes // the output was cut off
		}
		c.Path = strings.TrimPrefix(c.Path, prefix)
		changes = append(changes, c)
	}
}

// Objects returns the objects of files in the last commit, by path. It omits files that
// the commit does not have. Use it for few paths: they are arguments of Git.
func (r *Repo) Objects(ctx context.Context, paths []string) (map[string]string, error) {
	objects := map[string]string{}
	if len(paths) == 0 {
		return objects, nil
	}
	v, err := r.open(ctx, headOnly)
	if err != nil {
		return nil, err
	}
	defer v.close()
	head, err := v.resolve("")
	if _, ok := err.(*Unknown); ok {
		return objects, nil
	}
	if err != nil {
		return nil, err
	}
	out, err := v.git(nil, maxChanges, append([]string{"ls-tree", "-z", head, "--"}, paths...)...)
	if err != nil {
		return nil, err
	}
	for entry := range strings.SplitSeq(string(out.text), "\x00") { // "mode type object\tpath"
		about, path, _ := strings.Cut(entry, "\t")
		if f := strings.Fields(about); len(f) == 3 && f[1] == "blob" && f[0] != "120000" {
			objects[path] = f[2]
		}
	}
	return objects, nil
}

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
		if hash().MatchString(o) {
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
