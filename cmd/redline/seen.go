package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"

	"redline/agent/state"
	"redline/agent/store"
	"redline/internal/smallfile"
)

// seenPlans remembers which revision of a plan a terminal printed last, so that an approval
// prints only what has changed since. It is a convenience: a file that cannot be read or written
// makes an approval print the whole plan.
type seenPlans struct {
	file      string // "" to remember nothing
	workspace string
}

// seenRevision is a revision that was printed.
type seenRevision struct {
	Revision int    `json:"revision"`
	Hash     string `json:"hash"`
}

// Limits of the file: its bytes, and how many plans of all workspaces it has.
const (
	maxSeenFile  = 1 << 20
	maxSeenPlans = 1000
)

func seenIn(stateDir, workspace string) seenPlans {
	return seenPlans{filepath.Join(stateDir, store.SeenName), workspace}
}

func (s seenPlans) key(n int) string { return s.workspace + "\x00" + strconv.Itoa(n) }

func (s seenPlans) read() map[string]seenRevision {
	all := map[string]seenRevision{}
	text, err := smallfile.Read(s.file, maxSeenFile)
	if err != nil || len(text) > maxSeenFile || json.Unmarshal([]byte(text), &all) != nil {
		return map[string]seenRevision{}
	}
	return all
}

// revision returns the revision of a plan that was printed last, 0 for none. A revision with
// another hash than the plan's was not of this plan.
func (s seenPlans) revision(p *state.Plan) int {
	if s.file == "" {
		return 0
	}
	seen := s.read()[s.key(p.Plan)]
	for _, r := range p.Revisions {
		if r.Revision == seen.Revision && r.Hash == seen.Hash {
			return r.Revision
		}
	}
	return 0
}

// note remembers that the current revision of a plan was printed.
func (s seenPlans) note(p *state.Plan) {
	if s.file == "" || s.revision(p) == p.Revision {
		return
	}
	all := s.read()
	if len(all) >= maxSeenPlans {
		clear(all)
	}
	all[s.key(p.Plan)] = seenRevision{p.Revision, p.Hash}
	data, err := json.Marshal(all)
	if err != nil {
		return
	}
	temp, err := os.CreateTemp(filepath.Dir(s.file), store.SeenName+".*")
	if err != nil {
		return
	}
	_, err = temp.Write(data)
	if closed := temp.Close(); err != nil || closed != nil || os.Rename(temp.Name(), s.file) != nil {
		_ = os.Remove(temp.Name())
	}
}
