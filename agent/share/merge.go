package share

import (
	"fmt"
	"maps"
	"slices"
)

// Merge returns the document of a plan with all that two documents of it have: every revision, known
// by its content hash, every decision, comment, trial and text. Where both made a revision of the
// same one, both are there. State, goal, rating, progress and current revision are those of the document that
// was updated last. Neither document is changed.
//
// The order of documents and of merges does not matter, and merging what is there already changes
// nothing.
func Merge(ours, theirs *Document) (*Document, error) {
	if ours.ID != theirs.ID || ours.ID == "" {
		return nil, fmt.Errorf("is of another plan: %s, not %s", short(theirs.ID), short(ours.ID))
	}
	out := *later(ours, theirs)
	if c := theirs.Created; c.Before(ours.Created) {
		out.Created = c
	} else {
		out.Created = ours.Created
	}
	out.Revisions, out.Current = mergeRevisions(ours, theirs, out.Revisions[out.Current-1].Content)
	out.Decisions = merged(ours.Decisions, theirs.Decisions, func(d Decision) string { return d.ID }, func(x, y Decision) Decision {
		x.By = max(x.By, y.By)
		return x
	})
	out.Comments = merged(ours.Comments, theirs.Comments, Comment.key, func(x, y Comment) Comment {
		x.Author, x.Done = max(x.Author, y.Author), x.Done || y.Done
		return x
	})
	out.Trials = merged(ours.Trials, theirs.Trials, func(t Trial) string { return t.ID }, func(x, y Trial) Trial {
		x.By, x.Output = max(x.By, y.By), max(x.Output, y.Output)
		return x
	})
	out.Problems = merged(ours.Problems, theirs.Problems, func(r Report) string { return r.Content }, newest)
	out.Conversation = merged(ours.Conversation, theirs.Conversation, func(e Exchange) string { return keyOf(e) }, func(x, _ Exchange) Exchange { return x })
	out.Texts = merged(ours.Texts, theirs.Texts, func(t Text) string { return t.Name }, func(x, _ Text) Text { return x })
	out.arrange()
	return &out, nil
}

// newest returns the newest of two reports on a revision.
func newest(x, y Report) Report {
	if c := x.At.Compare(y.At); c > 0 || c == 0 && x.key() > y.key() {
		return x
	}
	return y
}

// later returns the document that was updated last; of two that were updated at the same time, always
// the same one.
func later(x, y *Document) *Document {
	place := func(d *Document) string {
		return keyOf([]any{d.Plan, d.Goal, d.State, d.Rating, d.Revisions[d.Current-1].Content, d.Progress})
	}
	if c := x.Updated.Compare(y.Updated); c > 0 || c == 0 && place(x) > place(y) {
		return x
	}
	return y
}

// mergeRevisions returns the revisions of both documents, each after its parent, and the number of
// the current one.
func mergeRevisions(ours, theirs *Document, current string) ([]Revision, int) {
	out, numbers := slices.Clone(ours.Revisions), ours.numbers()
	for _, r := range theirs.Revisions {
		if n := numbers[r.Content]; n > 0 {
			out[n-1].By = max(out[n-1].By, r.By)
			continue
		}
		if r.Parent > 0 {
			r.Parent = numbers[theirs.Revisions[r.Parent-1].Content]
		}
		r.Revision = len(out) + 1
		numbers[r.Content] = r.Revision
		out = append(out, r)
	}
	return out, numbers[current]
}

// merged returns the items of both lists, each key once; join makes one of two with the same key.
func merged[T any](ours, theirs []T, key func(T) string, join func(x, y T) T) []T {
	all := make(map[string]T, len(ours)+len(theirs))
	for _, list := range [][]T{ours, theirs} {
		for _, item := range list {
			k := key(item)
			if was, ok := all[k]; ok {
				item = join(was, item)
			}
			all[k] = item
		}
	}
	return slices.AppendSeq(make([]T, 0, len(all)), maps.Values(all))
}
