package model

import (
	"fmt"
	"path"
	"strings"

	"redline/internal/fence"
)

// instruction is one thing to do. run returns a sentence on what was planned. Its error is
// errWaiting or a [problem]; with a problem the sentence may also be set.
type instruction interface {
	run(*script) (report string, err error)
}

// insert inserts text next to an anchor that occurs once in a file.
type insert struct {
	text   string
	after  bool
	anchor string
	file   string
}

func (in insert) run(s *script) (string, error) {
	if err := s.need("read_file", "edit_file"); err != nil {
		return "", err
	}
	files, err := s.read(in.file)
	if err != nil {
		return "", err
	}
	file := files[0]
	if file.refused != "" {
		return "", problem(fmt.Sprintf("I could not read %s: %s.", in.file, file.refused))
	}
	anchor, text := withEndsOf(file.text, in.anchor), withEndsOf(file.text, in.text)
	switch places := occurrences(file.text, anchor); len(places) {
	case 1:
	case 0:
		return "", problem(fmt.Sprintf("I found %q nowhere in %s, so I planned nothing there.", in.anchor, in.file))
	default:
		return "", problem(fmt.Sprintf("I found %q in %s in several places (lines %s); name a longer piece of text.",
			in.anchor, in.file, linesOf(file.text, places)))
	}
	where, changed := "before", text+anchor
	if in.after {
		where, changed = "after", anchor+text
	}
	return s.stage(fmt.Sprintf("an insertion %s %q in %s", where, in.anchor, in.file),
		wish{"edit_file", args{"path": in.file, "old_string": anchor, "new_string": changed}})
}

// create makes a new file.
type create struct{ file, text string }

func (c create) run(s *script) (string, error) {
	if err := s.need("read_file", "write_file"); err != nil {
		return "", err
	}
	results, err := s.do(wish{"read_file", args{"path": c.file}})
	if err != nil {
		return "", err
	}
	if _, refused := refusal(results[0]); !refused {
		return "", problem(fmt.Sprintf("%s exists already, so I did not replace it.", c.file))
	}
	return s.stage("the new file "+c.file, wish{"write_file", args{"path": c.file, "content": c.text}})
}

// remove deletes a file.
type remove struct{ file string }

func (r remove) run(s *script) (string, error) {
	return s.stage("to delete "+r.file, wish{"delete_file", args{"path": r.file}})
}

// move moves a file to another path; a path that ends in a slash is a folder.
type move struct{ from, to string }

func (m move) run(s *script) (string, error) {
	to := m.to
	if strings.HasSuffix(to, "/") {
		to += path.Base(m.from)
	}
	return s.stage(fmt.Sprintf("to move %s to %s", m.from, to),
		wish{"rename_file", args{"path": m.from, "new_path": to}})
}

// command runs a shell command after the approval.
type command struct{ line string }

func (c command) run(s *script) (string, error) {
	return s.stage("to run "+c.line, wish{"run_command", args{"command": c.line}})
}

// attempt tries a shell command now.
type attempt struct{ line string }

func (a attempt) run(s *script) (string, error) {
	if !s.offered["try_command"] {
		return "", problem("I could not try " + a.line + ": trials are not possible here, or you have not allowed them (`redline trials status` says which).")
	}
	results, err := s.do(wish{"try_command", args{"command": a.line}})
	if err != nil {
		return "", err
	}
	if why, refused := refusal(results[0]); refused {
		return "", problem(fmt.Sprintf("I could not try %s: %s.", a.line, why))
	}
	ended, output, _ := strings.Cut(strings.TrimSpace(results[0]), "\n")
	marks := fence.Around(output)
	return fmt.Sprintf("I tried %s: %s.\n\n%s\n%s\n%s", a.line, ended, marks, output, marks), nil
}

// stage makes a single call that stages something.
func (s *script) stage(what string, w wish) (string, error) {
	results, err := s.do(w)
	if err != nil {
		return "", err
	}
	if why, refused := refusal(results[0]); refused {
		return "", problem(fmt.Sprintf("I could not plan %s: %s.", what, why))
	}
	return fmt.Sprintf("I planned %s.", what), nil
}
