package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"golang.org/x/term"

	"redline/edits"
	"redline/edits/intraline"
	"redline/internal/statusline"
)

// Colours of a diff, as the parameters of SGR (ECMA-48, 8.3.117). In a replaced line, the
// parts that differ are in reverse.
const (
	sgrHeader  = "1"
	sgrBlock   = "36"
	sgrRemoved = "31"
	sgrAdded   = "32"
	sgrDiffers = "7"
	sgrAlike   = "27"
)

// coloured writes a unified diff, with colours where the stream has them.
func coloured(w io.Writer, diff string) { io.WriteString(w, colours(w, diff)) }

// colours returns the diff with the colours that coloured would write. diff must be a
// whole block: the meaning of a line depends on the lines before it.
func colours(w io.Writer, diff string) string {
	if inColour(w) {
		return paint(diff)
	}
	return diff
}

// paint returns a unified diff with colours.
func paint(diff string) string {
	var b strings.Builder
	var removed, added []row // not written yet
	old, new := 0, 0         // lines left in the block
	flush := func() {
		paintPair(&b, removed, added)
		removed, added = nil, nil
	}
	for line := range strings.Lines(diff) {
		inside := old > 0 || new > 0
		switch {
		case inside && line[0] == '-':
			if len(added) > 0 {
				flush() // a new run of changed lines begins
			}
			removed, old = append(removed, row{text: line[1:]}), old-1
		case inside && line[0] == '+':
			added, new = append(added, row{text: line[1:]}), new-1
		case line[0] == '\\' && len(removed)+len(added) > 0:
			last := removed
			if len(added) > 0 {
				last = added
			}
			last[len(last)-1].note = line
		default:
			flush()
			if inside {
				old, new = old-1, new-1
			} else if strings.HasPrefix(line, "@@ ") {
				old, new = blockSize(line)
			}
			b.WriteString(sgr(colourOf(line, inside), line))
		}
	}
	flush()
	return b.String()
}

// row is a line of a diff.
type row struct {
	text string // the text of the line, without its mark
	note string // the line after it that says that it has no line end
}

// paintPair writes removed lines and their replacements.
func paintPair(b *strings.Builder, removed, added []row) {
	gone, come := intraline.Of(joined(removed), joined(added))
	paintRows(b, "-", sgrRemoved, removed, gone)
	paintRows(b, "+", sgrAdded, added, come)
}

func joined(rows []row) string {
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(r.text)
	}
	return b.String()
}

// paintRows writes each line after its mark. differ are the spans of the joined lines to
// show in reverse.
func paintRows(b *strings.Builder, mark, colour string, rows []row, differ []edits.Span) {
	at := 0 // offset of the line in the joined text
	for _, r := range rows {
		line, from, text := r.text, 0, mark
		for ; len(differ) > 0 && differ[0].End <= at+len(line); differ = differ[1:] {
			s, e := differ[0].Start-at, differ[0].End-at
			text += line[from:s] + "\x1b[" + sgrDiffers + "m" + line[s:e] + "\x1b[" + sgrAlike + "m"
			from = e
		}
		b.WriteString(sgr(colour, text+line[from:]) + r.note)
		at += len(line)
	}
}

// sgr returns a line in a colour; its line end stays uncoloured.
func sgr(colour, line string) string {
	if colour == "" {
		return line
	}
	text := strings.TrimSuffix(line, "\n")
	return "\x1b[" + colour + "m" + text + "\x1b[0m" + line[len(text):]
}

// colourOf returns the colour of a line that is neither removed nor added.
func colourOf(line string, inside bool) string {
	switch {
	case inside:
		return ""
	case strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "):
		return sgrHeader
	case strings.HasPrefix(line, "@@ "):
		return sgrBlock
	}
	return ""
}

// blockSize returns the number of lines of both texts in a block, from its first line.
func blockSize(line string) (old, new int) {
	fields := strings.Fields(line)
	count := func(field string) int {
		from, n := 0, 1
		fmt.Sscanf(field[1:], "%d,%d", &from, &n) // a missing count means one line
		return n
	}
	if len(fields) < 3 {
		return 0, 0
	}
	return count(fields[1]), count(fields[2])
}

// paged prints a text. At a terminal it uses the user's pager if the text is longer than
// the screen and the console allows paging.
func (c *console) paged(text string) {
	pager := c.pager()
	if pager == "" || !longer(c.out, text) {
		io.WriteString(c.out, text)
		return
	}
	c.line.Break()
	release := c.line.Hold()
	defer release()
	cmd := inShell(pager)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), file(c.out), os.Stderr
	cmd.Env = os.Environ()
	if os.Getenv("LESS") == "" { // the options that git uses: quit if all fits, keep colours, leave the text on the screen
		cmd.Env = append(cmd.Env, "LESS=FRX")
	}
	if cmd.Start() != nil {
		io.WriteString(c.out, text)
		return
	}
	_ = cmd.Wait() // a pager fails if the user quits early, and it handles Ctrl-C itself
	c.line.Fresh()
}

// pager returns the command line of the pager: PAGER, or else less. It returns "" if the
// output is no terminal or there is no pager.
func (c *console) pager() string {
	if !c.pages || !isTerminal(c.out) || !isTerminal(c.in) || os.Getenv("TERM") == "dumb" {
		return ""
	}
	pager, set := os.LookupEnv("PAGER")
	if _, err := exec.LookPath("less"); !set && err == nil {
		pager = "less"
	}
	if pager = strings.TrimSpace(pager); pager == "cat" {
		return ""
	}
	return pager
}

// longer reports whether a text has more rows than the terminal, minus a few for the
// lines that follow.
func longer(w io.Writer, text string) bool {
	columns, rows := statusline.Size(file(w))
	used := 0
	for line := range strings.Lines(text) {
		used += 1 + max(0, statusline.Width(strings.TrimSuffix(line, "\n"))-1)/columns
	}
	return used > rows-3
}

// inShell returns a command that runs the user's command line in a shell, with more as
// further arguments.
func inShell(line string, more ...string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		words := append(strings.Fields(line), more...)
		return exec.Command(words[0], words[1:]...)
	}
	return exec.Command("sh", append([]string{"-c", line + ` "$@"`, cmp.Or(strings.Fields(line)[0], "sh")}, more...)...)
}

// file returns the file behind a stream, nil if there is none.
func file(stream any) *os.File {
	switch s := stream.(type) {
	case *os.File:
		return s
	case onTerminal:
		return s.file
	}
	return nil
}

// table writes columns, whose lines break between words at the width of a terminal.
type table struct {
	*tabwriter.Writer
	rows bytes.Buffer
	out  io.Writer
}

// newTable returns a table for a stream. Its lines are written by Flush.
func newTable(out io.Writer) *table {
	t := &table{out: folding(out)}
	t.Writer = tabwriter.NewWriter(&t.rows, 0, 0, 2, ' ', 0)
	return t
}

// Flush writes the table.
func (t *table) Flush() error {
	if err := t.Writer.Flush(); err != nil {
		return err
	}
	_, err := t.rows.WriteTo(t.out)
	return err
}

// longList is how many options pick shows at once.
const longList = 15

// pick asks for one of several options, by number, name or part of a name. An empty line
// means the first option. With other, the user may confirm a name that is not among the
// options.
func (a *asker) pick(ctx context.Context, question string, options []string, notes map[string]string, other bool) (string, error) {
	shown := options
	for {
		fmt.Fprintf(a.out, "\n%s\n\n", question)
		width := 0
		for _, o := range shown[:min(len(shown), longList)] {
			width = max(width, len(o))
		}
		for i, o := range shown[:min(len(shown), longList)] {
			fmt.Fprintf(a.out, "  %2d  %s\n", i+1, strings.TrimRight(fmt.Sprintf("%-*s  %s", width, edits.Visible(o), notes[o]), " "))
		}
		ways := "A number or a name"
		if more := len(shown) - longList; more > 0 {
			fmt.Fprintf(a.out, "      … and %d more\n", more)
			ways = "A number, or a part of a name to see the models with it"
		}
		text, err := a.line(ctx, fmt.Sprintf("\n%s [1]: ", ways))
		if err != nil {
			return "", err
		}
		if text == "" {
			return shown[0], nil
		}
		if n, err := strconv.Atoi(text); err == nil {
			if n >= 1 && n <= min(len(shown), longList) {
				return shown[n-1], nil
			}
			fmt.Fprintln(a.out, "There is no such number.")
			continue
		}
		if slices.Contains(options, text) {
			return text, nil
		}
		var fitting []string
		for _, o := range options {
			if strings.Contains(strings.ToLower(o), strings.ToLower(text)) {
				fitting = append(fitting, o)
			}
		}
		switch {
		case len(fitting) == 1 && !other:
			return fitting[0], nil
		case len(fitting) > 0:
			shown = fitting
			continue
		case other:
			yes, err := a.yes(ctx, fmt.Sprintf("The provider does not list %q. Use it anyway?", text))
			if err != nil || yes {
				return text, err
			}
		default:
			fmt.Fprintln(a.out, "There is no such choice.")
		}
		shown = options
	}
}

// yes asks a yes-or-no question; an empty line means yes.
func (a *asker) yes(ctx context.Context, question string) (bool, error) {
	text, err := a.line(ctx, question+" [Y/n] ")
	return err == nil && !strings.HasPrefix(strings.ToLower(text), "n"), err
}

// line reads a line. The error is [errNothingWritten] at the end of the input, or that of
// ctx.
func (a *asker) line(ctx context.Context, prompt string) (string, error) {
	fmt.Fprint(a.out, prompt)
	return lineOf(ctx, a.lines)
}

// lineOf reads a line, without the space around it. The error is [errNothingWritten] if none is
// left, or that of ctx.
func lineOf(ctx context.Context, from *bufio.Reader) (string, error) {
	return await1(ctx, func() (string, error) {
		text, err := from.ReadString('\n')
		return strings.TrimSpace(text), err
	})
}

// await1 waits until read returns or ctx ends. If ctx ends first, read keeps running in
// the background.
func await1(ctx context.Context, read func() (string, error)) (string, error) {
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := read()
		done <- result{text, err}
	}()
	select {
	case r := <-done:
		if r.err != nil && r.text == "" {
			return "", errNothingWritten
		}
		return r.text, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// readHidden returns a function that reads a line from a terminal without echo.
func readHidden(in io.Reader) func(ctx context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		f, ok := in.(*os.File)
		if !ok {
			return "", errNothingWritten
		}
		before, err := term.GetState(int(f.Fd()))
		if err != nil {
			return "", errNothingWritten
		}
		defer term.Restore(int(f.Fd()), before) // also after Ctrl-C, while the read still waits
		return await1(ctx, func() (string, error) {
			text, err := term.ReadPassword(int(f.Fd()))
			return strings.TrimSpace(string(text)), err
		})
	}
}
