package main

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"redline/fidelity/internal/cases"
)

// result is the outcome of a call.
type result struct {
	c       *cases.Case
	call    cases.Call
	is      outcome
	message string            // the words of the tool
	got     map[string]string // the files that it left
}

// wanted is a call that is to be made.
type wanted struct {
	c    *cases.Case
	call cases.Call
}

// choose returns the calls of all cases that some function takes.
func choose(all []cases.Case, take func(id string) bool) (calls []wanted) {
	for i := range all {
		for _, call := range all[i].Calls {
			if take(all[i].ID(call)) {
				calls = append(calls, wanted{&all[i], call})
			}
		}
	}
	return calls
}

// mix orders calls so that those at the start are a sample of all.
func mix(calls []wanted) {
	slices.SortStableFunc(calls, func(a, b wanted) int { return cmp.Compare(hash(a.c.ID(a.call)), hash(b.c.ID(b.call))) })
}

// sampled reports whether a call is in a sample of one of so many. The sample is always the same, and has
// a part of each form and trouble.
func sampled(id string, every int) bool { return int(hash(id))%every == 0 }

func hash(id string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(id)) // never fails
	return h.Sum32()
}

// runAll makes calls until a time, each in a folder of its own. The zero time never comes.
func runAll(a adapter, calls []wanted, until time.Time) (out []result, err error) {
	for _, w := range calls {
		if !until.IsZero() && time.Now().After(until) {
			break
		}
		r, err := runOne(a, w.c, w.call)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.c.ID(w.call), err)
		}
		out = append(out, r)
	}
	return out, nil
}

func runOne(a adapter, c *cases.Case, call cases.Call) (r result, err error) {
	above, err := os.MkdirTemp("", "fidelity")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(above)) }()
	dir := filepath.Join(above, "files") // what lands beside it is found too
	if err := os.Mkdir(dir, 0o755); err != nil {
		return r, err
	}
	for name, text := range c.Before {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return r, err
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			return r, err
		}
	}
	said, message, err := a.run(dir, call)
	if err != nil {
		return r, err
	}
	got, err := filesBelow(above, dir)
	return result{c, call, judge(c, said, got), message, got}, err
}

// filesBelow returns the texts of files by their paths from a folder.
func filesBelow(above, dir string) (map[string]string, error) {
	got := map[string]string{}
	err := filepath.WalkDir(above, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		path, err := filepath.Rel(dir, name)
		got[filepath.ToSlash(path)] = string(text)
		return err
	})
	return got, err
}
