package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"redline/fidelity/internal/cases"
)

// adapter drives a tool. run makes a call on the files of a folder, and returns what the tool says
// that it did, and its words.
type adapter interface {
	name() string
	run(dir string, call cases.Call) (said, message string, err error)
	close() error
}

// program is an adapter in a program of its own. It writes a line of JSON when it is ready, then
// one for each line that it reads. README.md has the protocol.
type program struct {
	called  string
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// ready is the first line of an adapter.
type ready struct {
	Name    string `json:"name"`    // with its version
	Missing string `json:"missing"` // what is not installed, and how to install it; "" if all is there
}

// asked is what an adapter is sent.
type asked struct {
	Dir string `json:"dir"` // absolute: the folder with the files, which the tool changes
	cases.Call
}

// answer is what an adapter answers.
type answer struct {
	Said    string `json:"said"` // applied, refused, partly or cannot
	Message string `json:"message"`
}

// start starts an adapter. An error says what is missing.
func start(command ...string) (*program, error) {
	p := &program{command: exec.Command(command[0], command[1:]...)}
	p.command.Stderr = os.Stderr
	in, err := p.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in, p.out = in, bufio.NewReader(out)
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	var r ready
	if err := p.read(&r); err != nil {
		return nil, errors.Join(err, p.close())
	}
	if r.Missing != "" {
		return nil, errors.Join(errors.New(r.Missing), p.close())
	}
	p.called = r.Name
	return p, nil
}

func (p *program) name() string { return p.called }

func (p *program) run(dir string, call cases.Call) (said, message string, err error) {
	line, err := json.Marshal(asked{dir, call})
	if err != nil {
		return "", "", err
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return "", "", err
	}
	var a answer
	if err := p.read(&a); err != nil {
		return "", "", err
	}
	switch a.Said {
	case applied, refused, partly, hasNot:
		return a.Said, a.Message, nil
	}
	return "", "", fmt.Errorf("%s says %q", p.called, a.Said)
}

// read reads a line of JSON.
func (p *program) read(into any) error {
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("%s: no answer: %w", p.command.Path, err)
	}
	return json.Unmarshal(line, into)
}

func (p *program) close() error {
	if err := p.in.Close(); err != nil {
		return err
	}
	return p.command.Wait()
}
