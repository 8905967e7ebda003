package gitremote

import (
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
	out, err := r.git(ctx, command{args: []string{"rev-parse", "--verify", "--end-of-options", theirs}, limit: 1 << 10})
	object = strings.TrimSpace(string(out))
	if err != nil || !isObject(object) {
		return "", fmt.Errorf("%s at %s cannot be read: git rev-parse failed", r.Ref(id), r.name)
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
	kind, size, err := r.about(ctx, object)
	switch {
	case err != nil:
		return nil, err
	case kind != "commit":
		return nil, fmt.Errorf("it is a %s instead of a commit", kind)
	case size > maxCommit:
		return nil, errors.New("its commit is too large")
	}
	if kind, size, err = r.about(ctx, object+"^{tree}"); err != nil || kind != "tree" || size > maxTree {
		return nil, errors.New("its tree is too large")
	}
	tree, err := r.git(ctx, command{args: []string{"ls-tree", "-z", object}, limit: maxTree * 2})
	if err != nil {
		return nil, err
	}
	// "100644 blob OBJECT\tplan.json\x00"
	about, name, _ := strings.Cut(strings.TrimSuffix(string(tree), "\x00"), "\t")
	fields := strings.Fields(about)
	if name != fileName || len(fields) != 3 || fields[0] != "100644" || fields[1] != "blob" {
		return nil, errors.New("its tree has something else than the file " + fileName)
	}
	if kind, size, err = r.about(ctx, fields[2]); err != nil || kind != "blob" || size > maxDocument {
		return nil, fmt.Errorf("its file is larger than %d MB", MaxDocument>>20)
	}
	d := &Document{ID: id}
	if d.Text, err = r.git(ctx, command{args: []string{"cat-file", "blob", fields[2]}, limit: MaxDocument + 1}); err != nil {
		return nil, err
	}
	d.Commit, err = r.commit(ctx, object)
	return d, err
}

// about returns the kind and the size of an object without reading it whole.
func (r *Remote) about(ctx context.Context, object string) (kind string, size int64, err error) {
	out, err := r.git(ctx, command{args: []string{"cat-file", "--batch-check=%(objecttype) %(objectsize)"}, in: []byte(object + "\n"), limit: 1 << 10})
	if err != nil {
		return "", 0, err
	}
	kind, digits, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if size, err = strconv.ParseInt(digits, 10, 64); err != nil {
		return "", 0, errors.New("an object is missing")
	}
	return kind, size, nil
}

// commit reads who made a commit, and checks its signature with the programs and the trusted keys
// of the user's own settings.
func (r *Remote) commit(ctx context.Context, object string) (Commit, error) {
	c := Commit{Object: object, Signature: Unsigned}
	raw, err := r.git(ctx, command{args: []string{"cat-file", "commit", object}, limit: maxCommit})
	if err != nil {
		return c, err
	}
	headers, _, _ := strings.Cut(string(raw), "\n\n")
	if strings.Contains(headers, "\ngpgsig") {
		c.Signature = Unverified
	}
	format := "%an%x00%ae%x00%at"
	if c.Signature == Unverified {
		format += "%x00%G?%x00%GS"
	}
	out, err := r.git(ctx, command{args: []string{"log", "-1", "--no-color", "--no-show-signature", "--encoding=UTF-8", "--format=" + format, object}, limit: maxCommit})
	if err != nil {
		return c, err
	}
	fields := strings.Split(strings.TrimSuffix(string(out), "\n"), "\x00")
	if len(fields) < 3 {
		return c, errors.New("its commit has no author")
	}
	seconds, _ := strconv.ParseInt(fields[2], 10, 64)
	c.Name, c.Email, c.Time = fields[0], fields[1], time.Unix(seconds, 0)
	if len(fields) == 5 && fields[3] == "G" {
		c.Signature, c.Signer = Verified, fields[4]
	}
	return c, nil
}
