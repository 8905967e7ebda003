package draft

import (
	"fmt"
	"slices"
	"strings"

	"redline/agent/plan"
	"redline/edits"
	"redline/edits/patch"
)

const (
	maxFirst  = 80  // bytes of a quoted line
	maxChunks = 100 // chunks of a refused patch to check one by one
)

// refused is a file whose patch was refused.
type refused struct {
	plan.Refused
	earlier bool          // in the turn that made the revision from which the draft was resumed
	alike   []string      // the files that may have been meant, if there is none at that path
	chunks  []patch.Chunk // the chunks of its patch, if there are several
}

// is reports whether two refusals are the same.
func (r refused) is(other refused) bool {
	return r.Refused == other.Refused && r.earlier == other.earlier
}

// isSettledBy reports whether the refusal no longer counts once something is staged for the
// file name: it is the refused file, or one that the patch may have meant by a path without a
// file.
func (r refused) isSettledBy(name string) bool {
	outside := strings.HasPrefix(r.Path, "/") || strings.HasPrefix(r.Path, "../")
	return r.Path == name || slices.Contains(r.alike, name) || outside && strings.HasSuffix(r.Path, "/"+name)
}

func hasRefused(all []refused, r refused) bool { return slices.ContainsFunc(all, r.is) }

// RefusePart does what Refuse does, for a file with these chunks. When something is staged for
// the file later, those chunks stay refused that would be possible by themselves and are still
// not made.
func (draft *Draft) RefusePart(f plan.Refused, chunks []patch.Chunk) {
	draft.Refuse(f)
	d, done := draft.open()
	defer done()
	if n := len(d.refused); len(chunks) > 1 && len(chunks) <= maxChunks && n > 0 && d.refused[n-1].Refused == f {
		d.refused[n-1].chunks = chunks
	}
}

// Refuse records refused parts of a patch. A file keeps its last reason until something is
// staged for it.
func (draft *Draft) Refuse(files ...plan.Refused) {
	d, done := draft.open()
	defer done()
	for _, f := range files {
		d.refused = slices.DeleteFunc(slices.Clone(d.refused), func(r refused) bool { return r.isSettledBy(f.Path) })
		d.refused = append(d.refused, refused{Refused: f, alike: d.meantBy(f.Path)})
	}
}

// Refused returns the files with a refused patch and nothing staged since, in order.
// With now set, it leaves out those of earlier turns.
func (draft *Draft) Refused(now bool) []plan.Refused {
	d, done := draft.open()
	defer done()
	var all []plan.Refused
	for _, r := range d.refused {
		if !now || !r.earlier {
			all = append(all, r.Refused)
		}
	}
	return all
}

// settleRefused removes the refusals of a file for which something was staged, except those
// of chunks that are still not made.
func (d *content) settleRefused(path string) {
	var left []refused
	for _, r := range d.refused {
		if r.isSettledBy(path) {
			if r.chunks = d.unmade(path, r.chunks); len(r.chunks) == 0 {
				continue
			}
			first, _, _ := strings.Cut(strings.TrimSpace(r.chunks[0].Old), "\n")
			first = strings.ToValidUTF8(first[:min(len(first), maxFirst)], "")
			r.Reason = fmt.Sprintf("a part of it was not sent again, the change of %q", edits.VisibleLine(first))
		}
		left = append(left, r)
	}
	d.refused = left
}

// unmade returns the chunks that are not made: their old lines are still in the file.
// It leaves out chunks that only add lines, for which that proves nothing.
func (d *content) unmade(path string, chunks []patch.Chunk) []patch.Chunk {
	f := d.files[path]
	if f == nil || !f.exists {
		return nil
	}
	var now patch.Text
	now.Set(f.text)
	return slices.DeleteFunc(slices.Clone(chunks), func(c patch.Chunk) bool {
		return c.Standing(&now, nil) != patch.Open || c.KeepsOld()
	})
}

// Besides calls stage, which stages something that the model did not ask for, and keeps the
// refusals.
func (draft *Draft) Besides(stage func() error) error {
	was := draft.copied().refused
	err := stage()
	d, done := draft.open()
	defer done()
	d.refused = was
	return err
}

// joinRefused joins the refusals of several forks. An earlier refusal is settled if one of
// them has settled it. A refusal in a fork still counts, since another may not have done the
// same.
func (d *content) joinRefused(parts []*content) []refused {
	var all []refused
	for _, r := range d.refused {
		if !slices.ContainsFunc(parts, func(p *content) bool { return !hasRefused(p.refused, r) }) {
			all = append(all, r)
		}
	}
	for _, p := range parts {
		for _, r := range p.refused {
			if !hasRefused(d.refused, r) && !hasRefused(all, r) {
				all = append(all, r)
			}
		}
	}
	return all
}

// Refusal is the reason why an operation cannot be staged: an answer, in one sentence, to the
// model that asked for it.
type Refusal struct {
	Path   string // "" if the reason is a sentence without it
	Reason string // what follows the path: "does not exist"
}

func (r *Refusal) Error() string {
	if r.Path == "" {
		return r.Reason
	}
	return r.Path + " " + r.Reason
}

func refuse(path, format string, args ...any) *Refusal {
	return &Refusal{Path: path, Reason: fmt.Sprintf(format, args...)}
}
