package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"redline/agent"
	"redline/agent/plan"
	"redline/internal/smallfile"
)

// runFiles are the files of a run besides the workspace: what the model reads too, and where the
// plan goes.
type runFiles struct {
	input, export string // their names, "" for none
	output        string // the text of the input
}

func (f *runFiles) define(flags *pflag.FlagSet) {
	flags.StringVar(&f.input, "input", "", "show the model this `file` too, such as the output of a failed build, but only its telling lines; - is standard input")
	flags.StringVar(&f.export, "export", "", "write the plan into this new `file`, as redline plans export does")
}

// maxInput is the size limit of an input, in bytes.
const maxInput = 64 << 20

// open reads the input, and refuses a file that the plan cannot go into: the model is asked
// only after that.
func (f *runFiles) open(stdin io.Reader) (err error) {
	if f.output, err = inputFrom(f.input, stdin); err != nil || f.export == "" {
		return err
	}
	if _, err := os.Lstat(f.export); err == nil {
		return f.taken()
	}
	if info, err := os.Stat(filepath.Dir(f.export)); err != nil || !info.IsDir() {
		return usage(fmt.Errorf("--export %s: there is no folder %s", f.export, filepath.Dir(f.export)))
	}
	return nil
}

// inputFrom returns the text of the input with a name, "" for none.
func inputFrom(name string, stdin io.Reader) (text string, err error) {
	switch {
	case name == "":
		return "", nil
	case name != "-":
		text, err = smallfile.Read(name, maxInput)
	case isTerminal(stdin):
		return "", usage(errors.New("--input - reads standard input, which is your terminal: send it the output of a command, or name a file"))
	default:
		var data []byte
		data, err = io.ReadAll(io.LimitReader(stdin, maxInput+1))
		text = string(data)
	}
	switch {
	case err != nil:
		return "", usage(fmt.Errorf("--input %s cannot be read (%s)", name, plainError(err)))
	case len(text) > maxInput:
		return "", usage(fmt.Errorf("--input %s is larger than %d MiB: give its last lines", name, maxInput>>20))
	}
	return text, nil
}

// keep writes the plan of a run into the file for it, if there is one. It returns the error of
// the run, or its own if the run has none.
func (f *runFiles) keep(ctx context.Context, a *agent.Agent, con *console, result *runResult, run error) error {
	if f.export == "" || result.Plan == nil || ctx.Err() != nil {
		return run
	}
	n := result.Plan.Plan
	if err := f.write(ctx, a, n); err != nil {
		var said status
		if run == nil || errors.As(run, &said) {
			return err
		}
		return run
	}
	if !con.json {
		fmt.Fprintf(con.out, "Plan %d is in %s: redline plans import makes a new plan of it, in any copy of this folder.\n", n, oneLine(f.export))
	}
	return run
}

// tellLater says what the user can do with a plan that waits. A plan that is only in its file
// cannot be named by its number.
func (f *runFlags) tellLater(con *console, kept bool, n int) {
	if kept || f.files.export == "" {
		con.tellLater(kept, n)
	}
}

func (f *runFiles) taken() error {
	return plan.Refuse(plan.NotAllowed, "%s exists already: remove it, or name another file for the plan.", f.export)
}

// write writes plan n into the file for it. The file is only the user's, since it has the texts
// of their files.
func (f *runFiles) write(ctx context.Context, a *agent.Agent, n int) error {
	document, err := a.Export(ctx, n)
	if err != nil {
		return err
	}
	data, err := document.Encode(false)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(f.export, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return f.taken()
	}
	if err == nil {
		_, err = file.Write(data)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		return plan.Refuse(plan.ApplyFailed, "Plan %d cannot be written into %s (%s).", n, f.export, plainError(err))
	}
	return nil
}
