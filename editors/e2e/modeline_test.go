package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"redline/agent/chat"
	"redline/agent/plan"
	"redline/agent/preview"
	"redline/agent/share"
	"redline/agent/trace"
	texts "redline/edits"
)

// Each line of it is a modeline of Vim and a line of Emacs, and it ends with local variables.
const (
	hostileLine = "vim: set synmaxcol=77 : -*- fill-column: 77 -*-"
	hostileText = hostileLine + "\n" + hostileLine + "\n" + hostileLine + "\nLocal Variables:\nfill-column: 77\nEnd:\n" + hostileLine + "\n"
)

// hostileDocuments are the documents that Redline writes, full of words that would set options.
func hostileDocuments(t *testing.T) map[string]string {
	t.Helper()
	docs := map[string]string{}
	blobs := map[plan.Blob]string{}
	blob := func(text string) plan.Blob { blobs[plan.BlobOf(text)] = text; return plan.BlobOf(text) }
	of := func(b plan.Blob) string { return blobs[b] }
	blob("")
	command, err := json.Marshal(map[string]string{"command": hostileText})
	if err != nil {
		t.Fatal(err)
	}
	steps := []plan.Step{{ID: "s1", Description: hostileLine, Rationale: hostileText, Risk: hostileLine}}
	create := plan.Change{
		Path: "a.txt", Action: plan.Create, Base: plan.BlobOf(""), Proposed: blob(hostileText), Operations: []string{"o1"},
		Hunks: plan.Hunks(plan.Create, "", hostileText, nil),
	}
	writes := plan.Operation{ID: "o1", Step: "s1", Tool: "write_file", Path: "a.txt", Args: json.RawMessage(`{}`)}
	runs := plan.Operation{ID: "o2", Step: "s1", Tool: "run_command", Command: hostileText, Args: command}
	for name, r := range map[string]plan.Revision{
		"words":    {TextOnly: true, Predicted: []string{hostileLine}},
		"nothing":  {},
		"commands": {Steps: steps, Operations: []plan.Operation{runs}},
		"edits":    {Steps: steps, Operations: []plan.Operation{writes}, Changes: []plan.Change{create}},
		"both":     {Steps: steps, Operations: []plan.Operation{writes, runs}, Changes: []plan.Change{create}},
	} {
		p := &plan.Plan{Number: 1, Goal: hostileLine, State: plan.AwaitingApproval, NextOperation: 2}
		r.Description, r.Created, r.Author = hostileText, time.Unix(1e9, 0), plan.AuthorModel
		docs[name+".md"] = preview.Render(p, p.Add(r, of), of, preview.Beside{})
		d, _, err := share.Make(share.Source{
			Plan: p, Text: func(b plan.Blob) (string, error) { return of(b), nil }, Local: share.Local{Words: strings.Clone, Name: strings.Clone},
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, oneLine := range []bool{false, true} {
			data, err := d.Encode(oneLine)
			if err != nil {
				t.Fatal(err)
			}
			docs[fmt.Sprintf("%s-%t.json", name, oneLine)] = string(data)
		}
	}
	recorder := trace.NewRecorder(trace.Trace{ID: "a-t1", Turn: "t1", Request: hostileText}, time.Now, func(trace.Step) {})
	recorder.Record(trace.Step{Kind: trace.Error, Name: hostileLine, Summary: hostileLine, Detail: hostileText, Error: hostileLine})
	traced := recorder.Trace()
	docs["trace.md"] = traced.Page()
	for name, reply := range map[string]string{"answer": hostileText, "code": "```\n" + hostileText + "```", "line": hostileLine} {
		asked, err := texts.Apply(chat.FileTemplate, []texts.Edit{chat.Prepare(chat.FileTemplate, "a question")})
		if err == nil {
			docs["chat-"+name+".md"], err = texts.Apply(asked, []texts.Edit{chat.Append(asked, chat.Redline, reply)})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return docs
}

// No document that Redline writes sets an option of Neovim or Emacs, whatever models say. Files that
// hold the same words do: so the editors read them here.
func TestModelinesInEditors(t *testing.T) {
	optionOf := map[string]func(w *world, program, file string) string{
		"neovim": func(w *world, program, file string) string {
			w.run(nil, program, "--clean", "--headless", "--cmd", "set modeline modelines=5", file, "-c", "call writefile([&l:synmaxcol], 'option')", "-c", "qa!")
			return readOption(w)
		},
		"emacs": func(w *world, program, file string) string {
			w.run(nil, program, "--batch", "-Q", "--eval", fmt.Sprintf(`(progn (setq enable-local-variables :all) (find-file %q) (write-region (format "%%s\n" fill-column) nil "option"))`, file))
			return readOption(w)
		},
	}
	for _, c := range []struct {
		kind, name, variable string
		candidates           []string
	}{
		{"neovim", "neovim", "REDLINE_NVIM", []string{"nvim"}},
		{"neovim", "neovim-0.10", "REDLINE_NVIM_OLDEST", []string{cached("nvim-0.10")}},
		{"neovim", "neovim-newest", "REDLINE_NVIM_NEW", []string{cached("nvim")}},
		{"emacs", "emacs", "REDLINE_EMACS", []string{"emacs"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			program, version := editor(t, c.variable, c.candidates...)
			t.Log(version)
			w := newWorld(t, nil)
			for name, text := range map[string]string{"first.txt": "\n" + hostileLine + "\n" + strings.Repeat("x\n", 20), "last.txt": "x\n" + strings.Repeat("x\n", 20) + hostileText, "start.txt": hostileLine + "\n"} {
				w.write(filepath.Join(w.dir, name), text)
				if got := optionOf[c.kind](w, program, name); got != "77\n" && (c.kind == "neovim" || name != "first.txt") {
					t.Errorf("%s sets nothing (%q): the test shows nothing", name, got)
				}
			}
			for name, text := range hostileDocuments(t) {
				w.write(filepath.Join(w.dir, name), text)
				if got := optionOf[c.kind](w, program, name); got == "77\n" {
					t.Errorf("%s sets an option:\n%s", name, text)
				}
			}
		})
	}
}

func readOption(w *world) string {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, "option"))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}
