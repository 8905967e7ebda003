package commands

import (
	"path"
	"slices"
	"strings"
)

// streams are file names that mean a program's input.
var streams = []string{"-", "/dev/stdin", "/dev/tty"}

func isStream(name string) bool {
	return slices.Contains(streams, name) || strings.HasPrefix(name, "/dev/fd/") || strings.HasPrefix(name, "/proc/")
}

// isShell reports whether a command reads commands from its input: a shell, or a program that
// starts one if it gets no command or is asked to.
func isShell(words []word) bool {
	name, args := path.Base(words[0].text), words[1:]
	has := func(options ...string) bool {
		return slices.ContainsFunc(args, func(w word) bool { return slices.Contains(options, w.text) })
	}
	switch kindOf(name) {
	case shells, foreign:
		return true
	}
	switch name {
	case "at", "batch", "su", "runuser", "chroot", "unshare", "nsenter":
		return true
	case "sudo", "doas":
		return has("-s", "-i", "--shell", "--login")
	case "ssh":
		return len(slices.DeleteFunc(slices.Clone(args), func(w word) bool { return strings.HasPrefix(w.text, "-") })) < 2
	}
	return false
}

// shell examines the arguments of a shell: a line, which is judged like this one, or a
// script, whose content is not read.
func (d *denier) shell(name string, args []word) {
	line := false
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case !a.sure:
			d.because(name + " is given something that is only known when it runs")
			return
		case a.text == "--" || a.text == "-":
			args = args[i+1:]
			d.operand(name, args, line)
			return
		case strings.HasPrefix(a.text, "--"):
			if a.text == "--rcfile" || a.text == "--init-file" {
				i++
			}
		case len(a.text) > 1 && (a.text[0] == '-' || a.text[0] == '+'):
			line = line || a.text[0] == '-' && strings.Contains(a.text, "c")
			if a.text[0] == '-' && strings.Contains(a.text, "s") {
				d.because("it gives " + name + " commands to read")
			}
			if strings.ContainsAny(a.text[len(a.text)-1:], "oO") {
				i++
			}
		default:
			d.operand(name, args[i:], line)
			return
		}
	}
	d.operand(name, nil, line)
}

// operand examines the arguments after the options of a shell.
func (d *denier) operand(name string, args []word, line bool) {
	switch {
	case len(args) == 0:
		d.because("it gives " + name + " commands to read")
	case line && slices.ContainsFunc(args, func(w word) bool { return !w.sure }), !args[0].sure:
		d.because(name + " is given something that is only known when it runs")
	case line:
		d.inner(args[0].text)
	case isStream(args[0].text):
		d.because("it gives " + name + " commands to read")
	default:
		d.one(args) // a rule may name the script
	}
}

// eval examines the commands that eval or trap runs.
func (d *denier) eval(name string, args []word) {
	if len(args) > 0 && args[0].sure && args[0].text == "--" {
		args = args[1:]
	}
	var texts []string
	for i, a := range args {
		if name == "trap" && i > 0 {
			break
		}
		if !a.sure {
			d.because(name + " is given something that is only known when it runs")
			return
		}
		texts = append(texts, a.text)
	}
	if text := strings.Join(texts, " "); text != "" && !(name == "trap" && strings.HasPrefix(text, "-")) {
		d.inner(text)
	}
}

// find examines the commands that find runs.
func (d *denier) find(args []word) {
	for i, a := range args {
		if d.done() {
			return
		}
		switch {
		case a.split:
			d.because("find is given something that is only known when it runs")
		case a.sure && !slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir"}, a.text):
		default: // an unknown word may be -exec
			rest := args[i+1:]
			if end := slices.IndexFunc(rest, func(w word) bool { return w.sure && (w.text == ";" || w.text == "+") }); end >= 0 {
				rest = rest[:end]
			} else if !a.sure {
				continue
			}
			d.filled(rest, "{}")
		}
	}
}

// filled examines a command in which a program replaces a mark.
func (d *denier) filled(words []word, mark string) {
	if len(words) == 0 {
		return
	}
	k := kindOf(words[0].text)
	for i, w := range words {
		if strings.Contains(w.text, mark) && (i == 0 || k != ordinary) {
			d.because("the name of a command in it is only known when it runs")
		}
	}
	d.run(words)
}

// xargsTakes are the options of xargs whose value is the next argument.
const xargsTakes = "adEILnPsJRS"

// xargs examines the command that xargs runs with its input.
func (d *denier) xargs(args []word) {
	mark := ""
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case !a.sure:
			d.because("xargs is given something that is only known when it runs")
			return
		case strings.HasPrefix(a.text, "--"):
			name, value, given := strings.Cut(a.text, "=")
			switch {
			case name == "--replace":
				mark = "{}"
				if given && value != "" {
					mark = value
				}
			case slices.Contains([]string{"--null", "--no-run-if-empty", "--verbose", "--interactive", "--exit", "--open-tty"}, name), given:
			default:
				d.because("xargs is given an option that rules do not know")
				return
			}
		case len(a.text) > 1 && a.text[0] == '-':
			at := strings.IndexAny(a.text[1:], xargsTakes+"ile") + 1
			if at == 0 {
				continue
			}
			value := a.text[at+1:]
			if strings.IndexByte(xargsTakes, a.text[at]) >= 0 && value == "" {
				if i++; i < len(args) {
					value = args[i].text
				}
			}
			if strings.IndexByte("IiJ", a.text[at]) >= 0 {
				mark = value
				if value == "" {
					mark = "{}"
				}
			}
		default:
			d.fed(args[i:], mark)
			return
		}
	}
}

// fed examines a command that gets more arguments from the input of xargs.
func (d *denier) fed(words []word, mark string) {
	for _, w := range words {
		if !w.sure {
			d.because("xargs is given something that is only known when it runs")
			return
		}
	}
	line := slices.ContainsFunc(words, func(w word) bool { return strings.HasPrefix(w.text, "-") && strings.Contains(w.text, "c") })
	switch kindOf(words[0].text) {
	case ordinary:
	case shells:
		if !line || len(words) < 3 || mark != "" && slices.ContainsFunc(words, func(w word) bool { return strings.Contains(w.text, mark) }) {
			d.because("xargs gives a shell commands that are only known when it runs")
		}
	default:
		d.because("xargs gives " + words[0].text + " something that is only known when it runs")
	}
	if mark != "" {
		d.filled(words, mark)
		return
	}
	d.run(append(slices.Clone(words), word{split: true}))
}

// kind says how a program treats its arguments, as far as rules need it.
type kind int

const (
	ordinary   kind = iota
	prefix          // runs its arguments unchanged: the next one is a command, unless it is an option
	runs            // runs some of its arguments
	texts           // runs some of its arguments as command lines
	shells          // a shell
	foreign         // a shell with another language
	evals           // eval, trap
	sources         // runs a file in this shell
	finds           // find
	pipes           // xargs: runs its arguments with its input
	unreadable      // redefines names, or reads commands
	variables       // sets variables or changes the shell, so the rest may mean something else
)

// kinds has the programs that need special treatment.
var kinds = map[string]kind{}

func init() {
	for k, names := range map[kind]string{
		prefix: "builtin command exec nohup setsid time noglob nocorrect -",
		runs: "busybox chroot chrt coproc cpulimit doas env fakeroot flock gosu ionice jobs ltrace mapfile nice nsenter pkexec readarray repeat " +
			"rlwrap runuser stdbuf strace su-exec sudo systemd-run taskset timeout torsocks toybox unbuffer unshare xvfb-run",
		texts:      "entr parallel script ssh su watch",
		shells:     "ash bash dash ksh ksh93 lksh mksh oksh rbash rksh rzsh sh yash zsh",
		foreign:    "csh elvish fish nu powershell pwsh tcsh xonsh",
		evals:      "eval trap",
		sources:    ". source",
		finds:      "find",
		pipes:      "xargs",
		unreadable: "alias at batch bind compgen complete enable fc hash",
		variables:  "cd declare export getopts integer let local nameref popd pushd read readonly set shopt typeset unalias unset vared",
	} {
		for _, name := range strings.Fields(names) {
			kinds[name] = k
		}
	}
}

func kindOf(word string) kind { return kinds[path.Base(word)] }

// neverAllowed returns why no rule can allow a program, as the end of a sentence that starts
// with its name; "" if a rule can.
func neverAllowed(word string) string {
	switch name := path.Base(word); kindOf(word) {
	case ordinary, finds:
		return ""
	case variables, unreadable:
		return name + " changes what the commands after it do"
	default:
		return name + " runs what follows it"
	}
}

// tricky returns why the arguments of an allowed builtin are not harmless: they name a variable
// in a way that makes Bash run the text in the brackets.
func tricky(words []string) string {
	switch words[0] {
	case "test", "[":
		for _, w := range words[1:] {
			if w == "-v" || w == "-R" || strings.Contains(w, "[") && strings.ContainsAny(w, "$`") {
				return "some shells run a part of what " + words[0] + " is given"
			}
		}
	case "printf":
		if len(words) > 1 && strings.HasPrefix(words[1], "-v") {
			return "printf sets a variable"
		}
	case "wait":
		if slices.ContainsFunc(words[1:], func(w string) bool { return strings.HasPrefix(w, "-p") }) {
			return "wait sets a variable"
		}
	}
	return ""
}

// keywords are words that some shell treats as part of its grammar.
var keywords = []string{"!", "[[", "]]", "((", "{", "}", "case", "do", "done", "elif", "else", "end", "esac", "fi", "for", "foreach", "function", "if", "in", "namespace", "select", "then", "until", "while"}
