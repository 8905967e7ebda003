package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"redline/agent/draft"
	"redline/agent/tool"
	"redline/fidelity/internal/cases"
	"redline/workspace"
)

// redline drives Redline's tools as a turn does: a call stages, and what is staged is written as an
// approval of all of it would.
type redline struct{}

func (redline) name() string { return "Redline" }
func (redline) close() error { return nil }

func (redline) run(dir string, call cases.Call) (said, message string, err error) {
	name, args := redlineCall(call)
	if name == "" {
		return hasNot, "", nil
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return "", "", err
	}
	w := workspace.New([]workspace.Folder{{Dir: dir}}, workspace.Options{})
	d := draft.New(w)
	found, ok := tool.Find(tool.All(), name)
	if !ok {
		return "", "", errors.New("Redline has no tool " + name)
	}
	r := found.Run(context.Background(), &tool.Env{Draft: d, Workspace: w, Edits: true, Changes: true}, raw)
	if err := write(dir, w, d); err != nil {
		return "", "", err
	}
	switch {
	case r.IsError:
		return refused, r.Text, nil
	case r.Refused > 0:
		return partly, r.Text, nil
	}
	return applied, r.Text, nil
}

// redlineCall returns the tool and its arguments.
func redlineCall(call cases.Call) (string, map[string]any) {
	switch {
	case call.Form == "whole":
		return "write_file", map[string]any{"path": call.Path, "content": call.Text}
	case call.Form == "editor" && call.After != nil:
		return "text_editor", map[string]any{"command": "insert", "path": call.Path, "insert_line": *call.After, "insert_text": call.Text}
	case len(call.Pairs) > 1:
		return "", nil // a call of edit_file has one pair
	case call.Form == "editor":
		return "text_editor", map[string]any{"command": "str_replace", "path": call.Path, "old_str": call.Pairs[0].Old, "new_str": call.Pairs[0].New}
	case call.Form == "pairs":
		p := call.Pairs[0]
		return "edit_file", map[string]any{"path": call.Path, "old_string": p.Old, "new_string": p.New, "replace_all": p.All}
	}
	return "apply_patch", map[string]any{"patch": call.Text}
}

// write writes what is staged, in the charset of each file.
func write(dir string, w *workspace.Workspace, d *draft.Draft) error {
	for path, f := range d.Files() {
		name := filepath.Join(dir, filepath.FromSlash(path))
		if !f.Exists {
			if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, w.Content(path, f.Text, f.BOM), 0o644); err != nil {
			return err
		}
	}
	return nil
}
