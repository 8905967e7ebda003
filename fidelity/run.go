package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

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

// runAll makes the calls of all cases that are wanted, each in a folder of its own.
func runAll(a adapter, all []cases.Case, wanted func(*cases.Case, cases.Call) bool) ([]result, error) {
	var out []result
	for i := range all {
		for _, call := range all[i].Calls {
			if !wanted(&all[i], call) {
				continue
			}
			r, err := runOne(a, &all[i], call)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", all[i].ID(call), err)
			}
			out = append(out, r)
		}
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
