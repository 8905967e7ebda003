package commands

import (
	"path"
	"slices"
	"strings"
)

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
