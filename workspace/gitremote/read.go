package gitremote

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"redline/internal/smallfile"
)

// Signature says what is known of who made a commit.
type Signature string

// The states of a signature.
const (
	Verified   Signature = "verified"   // by a key that the user's settings of Git trust
	Unverified Signature = "unverified" // by an unknown or ended key, or one that does not fit
	Unsigned   Signature = "unsigned"
)

// Commit is the last change of a document. Names are as its author wrote them: only a verified
// signature shows that they are true.
type Commit struct {
	Object    string
	Name      string
	Email     string
	Time      time.Time
	Signature Signature
	Signer    string // who the trusted key belongs to, for a verified signature
}

// Document is what a ref has.
type Document struct {
	ID   string
	Text []byte
	Commit
}

// Listed is a document of a remote that was not fetched.
type Listed struct {
	ID     string
	Object string
}

// ErrMissing is the error if the remote has no document with an id.
var ErrMissing = errors.New("the remote has no such plan")

// List returns the documents of the remote in the order of their ids, and how many other refs are
// where documents should be. It fetches none.
func (r *Remote) List(ctx context.Context) (all []Listed, others int, err error) {
	refs, err := r.refs(ctx, r.prefix+"*")
	if err != nil {
		return nil, 0, err
	}
	for _, ref := range refs {
		id, ok := strings.CutPrefix(ref.ID, r.prefix)
		if !ok || !ValidID(id) || len(all) == maxRefs {
			others++
			continue
		}
		all = append(all, Listed{ID: id, Object: ref.Object})
	}
	slices.SortFunc(all, func(a, b Listed) int { return strings.Compare(a.ID, b.ID) })
	return all, others, nil
}

// refs returns the refs of the remote that a pattern matches, by their whole names.
func (r *Remote) refs(ctx context.Context, pattern string) (all []Listed, err error) {
	out, err := r.git(ctx, command{args: []string{"ls-remote", "--refs", "--quiet", own, pattern}, limit: maxListed, asks: true})
	if err != nil {
		return nil, r.explained(err)
	}
	for line := range strings.Lines(string(out)) {
		if object, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); ok && isObject(object) {
			all = append(all, Listed{ID: name, Object: object})
		}
	}
	return all, nil
}

func isObject(name string) bool {
	return (len(name) == 40 || len(name) == 64) && strings.Trim(name, "0123456789abcdef") == ""
}

// Pull returns a document of the remote. It fetches that one only.
func (r *Remote) Pull(ctx context.Context, id string) (*Document, error) {
	if !ValidID(id) {
		return nil, fmt.Errorf("%q is not the id of a plan", id)
	}
	object, err := r.fetchTip(ctx, id)
	if err != nil {
		return nil, err
	}
	d, err := r.document(ctx, id, object)
	if err != nil {
		return nil, fmt.Errorf("%s at %s is no plan: %w", r.Ref(id), r.name, err)
	}
	return d, nil
}

// theirs is the ref of the private repository that has what was fetched.
const theirs = "refs/redline/theirs"

// fetchTip fetches the last commit of a document, and returns its name.
func (r *Remote) fetchTip(ctx context.Context, id string) (object string, err error) {
	for _, name := range []string{theirs, "shallow"} { // of an earlier fetch
		if err := os.Remove(filepath.Join(r.dir, filepath.FromSlash(name))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	_, err = r.git(ctx, command{limit: 64 << 10, asks: true, args: []string{
		"fetch", "--quiet", "--depth=1", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--refmap=",
		own, "+" + r.Ref(id) + ":" + theirs}})
	if f, ok := errors.AsType[*failed](err); ok && strings.Contains(f.text, "couldn't find remote ref") {
		return "", ErrMissing
	}
	if errors.Is(err, errLarge) {
		return "", fmt.Errorf("%s at %s is no plan: %w", r.Ref(id), r.name, err)
	}
	if err != nil {
		return "", r.explained(err)
	}
	text, err := smallfile.Read(filepath.Join(r.dir, filepath.FromSlash(theirs)), 1<<10)
	object = strings.TrimSpace(text)
	if err != nil || !isObject(object) {
		return "", fmt.Errorf("%s at %s cannot be read: git fetch wrote no ref", r.Ref(id), r.name)
	}
	return object, nil
}

// fileName is the file that the tree of a commit has.
const fileName = "plan.json"

// Limits of the objects around a document.
const (
	maxCommit = 256 << 10
	maxTree   = 4 << 10
)

// document reads what a commit has. The errors complete "it is no plan: ".
func (r *Remote) document(ctx context.Context, id, object string) (*Document, error) {
	names := []string{object, object + "^{tree}", object + ":" + fileName}
	sizes, err := r.git(ctx, command{args: []string{"cat-file", "--batch-check=%(objecttype) %(objectsize)"}, in: []byte(strings.Join(names, "\n") + "\n"), limit: 4 << 10})
	if err != nil {
		return nil, err
	}
	var kinds [3]string
	var size [3]int64
	for i, line := range slices.Collect(strings.Lines(string(sizes))) { // "blob 123", or "NAME missing"
		kind, digits, _ := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.ParseInt(digits, 10, 64); err == nil && i < len(kinds) {
			kinds[i], size[i] = kind, n
		}
	}
	switch {
	case kinds[0] != "commit":
		return nil, fmt.Errorf("it is a %s instead of a commit", cmp.Or(kinds[0], "missing object"))
	case size[0] > maxCommit:
		return nil, errors.New("its commit is too large")
	case kinds[1] != "tree" || size[1] > maxTree:
		return nil, errors.New("its tree is too large")
	case kinds[2] != "blob":
		return nil, errTree
	case size[2] > maxDocument:
		return nil, fmt.Errorf("its file is larger than %d MB", MaxDocument>>20)
	}
	all, err := r.git(ctx, command{args: []string{"cat-file", "--batch=%(objectsize)"}, in: []byte(strings.Join(names, "\n") + "\n"), limit: int(size[0]+size[1]+size[2]) + 1<<10})
	if err != nil {
		return nil, err
	}
	var texts [3][]byte
	for i := range texts { // the size, a newline, the text and a newline
		_, rest, _ := bytes.Cut(all, []byte("\n"))
		if int64(len(rest)) <= size[i] {
			return nil, errors.New("an object is not as long as it says")
		}
		texts[i], all = rest[:size[i]], rest[size[i]+1:]
	}
	if entry, ok := bytes.CutPrefix(texts[1], []byte("100644 "+fileName+"\x00")); !ok || len(entry) != len(object)/2 {
		return nil, errTree
	}
	d := &Document{ID: id, Text: texts[2]}
	d.Commit, err = r.commit(ctx, object, string(texts[0]))
	return d, err
}

var errTree = errors.New("its tree has something else than the file " + fileName)

// commit reads who made a commit, and checks its signature with the programs and the trusted keys
// of the user's own settings.
func (r *Remote) commit(ctx context.Context, object, text string) (Commit, error) {
	c := Commit{Object: object, Signature: Unsigned}
	headers, _, _ := strings.Cut(text, "\n\n")
	for line := range strings.Lines(headers) {
		if author, ok := strings.CutPrefix(line, "author "); ok && c.Time.IsZero() { // "Ada <ada@example.org> 1700000000 +0100"
			name, rest, _ := strings.Cut(author, "<")
			email, at, _ := strings.Cut(rest, "> ")
			digits, _, _ := strings.Cut(at, " ")
			seconds, err := strconv.ParseInt(digits, 10, 64)
			if err != nil {
				return c, errors.New("its commit has no author")
			}
			c.Name, c.Email, c.Time = strings.TrimSpace(name), email, time.Unix(seconds, 0)
		}
		if strings.HasPrefix(line, "gpgsig") {
			c.Signature = Unverified
		}
	}
	if c.Signature == Unsigned {
		return c, nil
	}
	out, err := r.git(ctx, command{args: []string{"log", "-1", "--no-color", "--no-show-signature", "--encoding=UTF-8", "--format=%G?%x00%GS", object}, limit: maxCommit})
	if status, signer, _ := strings.Cut(strings.TrimSuffix(string(out), "\n"), "\x00"); status == "G" {
		c.Signature, c.Signer = Verified, signer
	}
	return c, err
}
