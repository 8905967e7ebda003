package gitremote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// maxTries is how often a push is tried that others come before.
const maxTries = 5

// Merge returns the text to push and its title. theirs is what the remote has, nil for nothing.
type Merge func(theirs *Document) (text []byte, title string, err error)

// Pushed is the result of a push.
type Pushed struct {
	Commit string
	Made   bool // the remote had no such document
	Same   bool // the remote has the text already: nothing was sent
	Merged bool // the remote had another text, which went into this one
	Tries  int
}

// Push puts a document into its ref at the remote. If the remote has it already, or gets it
// meanwhile, merge joins both; a push that another came before is made again, at most five times.
func (r *Remote) Push(ctx context.Context, id string, merge Merge) (Pushed, error) {
	if !ValidID(id) {
		return Pushed{}, fmt.Errorf("%q is not the id of a plan", id)
	}
	var refused error
	was := "none" // what the last try started from
	for try := 1; try <= maxTries; try++ {
		object, err := r.fetchTip(ctx, id)
		if err != nil && !errors.Is(err, ErrMissing) {
			return Pushed{}, err
		}
		if refused != nil && object == was { // nobody came before
			return Pushed{}, refused
		}
		result := Pushed{Made: object == "", Tries: try}
		var their *Document
		if object != "" {
			if their, err = r.document(ctx, id, object); err != nil {
				return Pushed{}, fmt.Errorf("%s at %s is no plan: %w; redline plans rm %s --remote %s removes it", r.Ref(id), r.name, err, id, r.name)
			}
		}
		text, title, err := merge(their)
		switch {
		case err != nil:
			return Pushed{}, err
		case their != nil && bytes.Equal(text, their.Text):
			result.Same, result.Commit = true, object
			return result, nil
		case len(text) > MaxDocument:
			return Pushed{}, fmt.Errorf("the plan is larger than %d MB, which is the most that can be shared", MaxDocument>>20)
		}
		result.Merged = their != nil
		if result.Commit, err = r.makeCommit(ctx, text, title, object); err != nil {
			return Pushed{}, err
		}
		if err = r.send(ctx, result.Commit, r.Ref(id), object); err == nil {
			return result, nil
		} else if _, ok := errors.AsType[*failed](err); !ok {
			return Pushed{}, r.explained(err)
		}
		refused, was = r.refusal(err), object
		if err := pause(ctx, try); err != nil {
			return Pushed{}, err
		}
	}
	return Pushed{}, fmt.Errorf("others pushed the plan to %s each time, %d times: push again", r.name, maxTries)
}

// pause waits a little longer after each try.
func pause(ctx context.Context, try int) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(time.Duration(try-1) * 100 * time.Millisecond):
		return nil
	}
}

// makeCommit writes the objects of a document.
func (r *Remote) makeCommit(ctx context.Context, text []byte, title, parent string) (string, error) {
	blob, err := r.object(ctx, text, "hash-object", "-w", "--stdin")
	if err != nil {
		return "", err
	}
	tree, err := r.object(ctx, []byte("100644 blob "+blob+"\t"+fileName+"\n"), "mktree")
	if err != nil {
		return "", err
	}
	args := []string{"commit-tree"}
	if parent != "" {
		args = append(args, "-p", parent)
	}
	if r.signs {
		args = append(args, "-S")
	} else {
		args = append(args, "--no-gpg-sign")
	}
	if r.branch {
		title += "\n\n[skip ci]" // a pipeline has nothing to do for a plan
	}
	commit, err := r.object(ctx, []byte(title+"\n"), append(args, tree)...)
	if isUnknown(err) {
		return "", errUnknown
	}
	if f, ok := errors.AsType[*failed](err); ok && r.signs {
		return "", fmt.Errorf("git cannot sign (%s): check that git commit -S works here without asking, or set commit.gpgSign to false", firstLine(f.text))
	}
	return commit, err
}

var errUnknown = errors.New("git does not know who you are: set user.name and user.email with git config --global")

// isUnknown reports whether git lacks the name or the address of the user.
func isUnknown(err error) bool {
	f, ok := errors.AsType[*failed](err)
	return ok && slices.ContainsFunc([]string{"tell me who you are", "no name was given", "no email was given", "auto-detection is disabled", "empty ident"},
		func(part string) bool { return strings.Contains(f.text, part) })
}

// Author returns who makes the commits: "Ada <ada@example.org>".
func (r *Remote) Author(ctx context.Context) (string, error) {
	out, err := r.git(ctx, command{args: []string{"var", "GIT_AUTHOR_IDENT"}, limit: maxCommit})
	if isUnknown(err) {
		return "", errUnknown
	}
	who := string(out) // with a time at its end
	return who[:strings.LastIndexByte(who, '>')+1], err
}

// Signs reports whether commits are signed.
func (r *Remote) Signs() bool { return r.signs }

// object runs a command of git that prints the name of an object.
func (r *Remote) object(ctx context.Context, in []byte, args ...string) (string, error) {
	out, err := r.git(ctx, command{args: args, in: in, limit: 1 << 10})
	name := strings.TrimSpace(string(out))
	if err == nil && !isObject(name) {
		err = fmt.Errorf("git %s printed no object", args[0])
	}
	return name, err
}

// send pushes an object to a ref that must still be at an object, "" for no ref. An object "" removes
// the ref.
func (r *Remote) send(ctx context.Context, object, ref, expected string) error {
	_, err := r.git(ctx, command{limit: 64 << 10, asks: true, args: []string{
		"push", "--quiet", "--porcelain", "--no-verify", "--no-signed", "--no-follow-tags", "--no-recurse-submodules",
		"--force-with-lease=" + ref + ":" + expected, own, object + ":" + ref}})
	return err
}

// refusal returns what it means that the remote did not take a push.
func (r *Remote) refusal(err error) error {
	f, ok := errors.AsType[*failed](err)
	if !ok || !strings.Contains(f.out, "\t[") { // "!\tREF:REF\t[remote rejected] (pre-receive hook declined)"
		return r.explained(err)
	}
	why := f.out[strings.LastIndex(f.out, "\t[")+1:]
	why, _, _ = strings.Cut(why, "\n")
	for line := range strings.Lines(f.text) {
		if said, ok := strings.CutPrefix(line, "remote: "); ok && strings.TrimSpace(said) != "" {
			why += ": " + strings.TrimSpace(said)
			break
		}
	}
	if r.branch {
		return fmt.Errorf("%s refuses %s: %s", r.name, r.prefix, why)
	}
	return fmt.Errorf("%s refuses refs in %s (%s): if it only takes branches, set share.branch = \"redline/plans\"", r.name, strings.TrimSuffix(r.prefix, "/"), why)
}

// Remove removes a document's ref from the remote, whatever it has.
func (r *Remote) Remove(ctx context.Context, id string) error {
	if !ValidID(id) {
		return fmt.Errorf("%q is not the id of a plan", id)
	}
	var refused error
	was := ""
	for try := 1; try <= maxTries; try++ {
		refs, err := r.refs(ctx, r.Ref(id))
		if err != nil {
			return err
		}
		object := ""
		for _, ref := range refs {
			if ref.ID == r.Ref(id) {
				object = ref.Object
			}
		}
		switch {
		case object == "":
			return ErrMissing
		case refused != nil && object == was:
			return refused
		}
		err = r.send(ctx, "", r.Ref(id), object)
		if _, ok := errors.AsType[*failed](err); !ok {
			return err
		}
		refused, was = r.refusal(err), object
	}
	return refused
}
