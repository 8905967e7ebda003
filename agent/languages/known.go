package languages

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	"redline/workspace/language"
)

// report is what a server has reported about texts.
type report struct {
	key      string // of what it was shown, see [server.keyOf]
	problems []language.Problem
}

// maxKnown is how many reports of a server are remembered: those of some plans, and what they are compared with.
const maxKnown = 8

// problems returns what the server reports about texts. It is not asked again what it has answered, as long as
// nothing changes on the disk.
func (s *server) problems(ctx, life context.Context, live Server, texts map[string]language.Text) ([]language.Problem, error) {
	key := s.keyOf(live, texts)
	if i := slices.IndexFunc(s.known, func(r report) bool { return r.key == key }); i >= 0 {
		found := s.known[i]
		s.known = append(slices.Delete(s.known, i, i+1), found)
		return found.problems, nil
	}
	if err := s.show(life, live, texts); err != nil {
		return nil, err
	}
	found, err := live.Problems(ctx)
	if err != nil {
		return nil, err
	}
	s.known = append(s.known, report{s.keyOf(live, texts), found}) // more documents may be open than before
	s.known = s.known[max(0, len(s.known)-maxKnown):]
	return found, nil
}

// keyOf names what a server sees: the texts that differ from the disk, and which documents are open. Of a file that has the
// text of the disk it only matters that it is open. Some servers report only about files that use one that is shown: for
// them all texts count, and nothing else that is open.
func (s *server) keyOf(live Server, texts map[string]language.Text) string {
	h := sha256.New()
	of := s.adapter.OfShown()
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		text := texts[name]
		if original, err := s.read(name); !of && err == nil && original == text {
			continue
		}
		fmt.Fprintf(h, "%q %t %d\n%s", name, text.Gone, len(text.Text), text.Text)
	}
	if !of {
		fmt.Fprintf(h, "%q", live.Opens(texts))
	}
	return string(h.Sum(nil))
}
