package commands

import (
	"math/rand/v2"
	"regexp"
	"strings"
)

// generator makes command lines from the shell's grammar, and changes some of them at
// random. It uses only harmless words: builtins that change nothing but the shell itself,
// and programs that are stubs (see [stubs]).
type generator struct {
	r     *rand.Rand
	depth int
}

// Words of commands. Of good and of bad the first is a stub, which succeeds or fails, so
// that what follows && and || is reached; the others are not there at all, which a shell
// says. zap is what the rules of the differential test deny.
var (
	good         = []string{"mk", "prg"}
	bad          = []string{"tst", "foo"}
	denied       = []string{"zap"}
	builtin      = []string{"true", ":", "echo", "printf", "test", "set", "unset", "export", "read", "shift", "cd", "umask", "type", "readonly", "wait", "times", "trap"}
	rulesRunners = []string{"env", "xargs", "find", "nohup", "nice", "timeout", "sh", "bash", "eval", "exec", "command", ".", "alias", "builtin", "source", "time", "coproc", "hash", "let", "mapfile"}
	plainly      = []string{"a", "b", "-x", "-c", "ok", "x=1", "a b", "1", "--", "-n", "go", "a.txt", "EOF", "in", "do", "PATH", "zap", "echo zap", "-exec", "{}", "-I%", "zap x"}
)

func (g *generator) one(of ...string) string { return of[g.r.IntN(len(of))] }

func (g *generator) in(n int) bool { return g.r.IntN(n) == 0 }

// line returns a line, which holds no NUL and passes [safe].
func (g *generator) line() string {
	for {
		g.depth = 0
		line := ""
		switch n := g.r.IntN(20); {
		case n < 2:
			line = attacks[g.r.IntN(len(attacks))]
		case n < 7:
			line = g.everyday()
		default:
			line = g.list()
		}
		if g.in(3) {
			for range 1 + g.r.IntN(3) {
				line = g.mutate(line)
			}
		}
		if safe(line) {
			return line
		}
	}
}

// unsafe matches what is never run: names that lead out of the folder of the test,
// programs and builtins that could end or change something else, and descriptor 9,
// which the stubs report to.
var unsafe = regexp.MustCompile(`\x00|\.\.|/|~[a-z+-]|kill|9|fc|suspend|ulimit|disown|reboot|halt|init|rm|mv|dd|-delete|-f?print|-fls`)

// recursive matches a function that could call itself.
var recursive = regexp.MustCompile(`(?s)fn.*fn.*fn|fn[^}]*\{[^}]*fn|fn[^(]*\([ \t]*\)[^;\n]*fn`)

// bounded are the loops that end.
var bounded = strings.NewReplacer("while false; do ", "", "until true; do ", "", "while mk; do break; ", "", "while read x; do", "")

func safe(line string) bool {
	if rest := bounded.Replace(line); strings.Contains(rest, "while") || strings.Contains(rest, "until") {
		return false
	}
	return len(line) < 2000 && !unsafe.MatchString(strings.ReplaceAll(line, "/dev/null", "")) && !recursive.MatchString(line)
}

// everyday returns a line of the kind that rules can allow.
func (g *generator) everyday() string {
	var b strings.Builder
	for i := range 1 + g.r.IntN(3) {
		if i > 0 {
			b.WriteString(g.one(" && ", " || ", "; ", "\n", " | ", ";", "&&", "|", " \\\n&& ", " &&\n", ";\n"))
		}
		if g.in(12) {
			b.WriteString("! ")
		}
		b.WriteString(g.spelled(g.one(append(good, bad...)...)))
		for range g.r.IntN(4) {
			b.WriteString(g.one(" ", " ", "  ", "\t", " \\\n") + g.spelled(g.one(plainly[:12]...)))
		}
		if g.in(5) {
			b.WriteString(g.one(" 2>&1", " >/dev/null", " > /dev/null 2>&1", " 1>&2", "</dev/null", " 2>>/dev/null"))
		}
	}
	if g.in(6) {
		b.WriteString(g.one(";", "\n", " ", " # a", "\n# b\\\n", " &", "\r\n", "\\\n"))
	}
	return b.String()
}

// spelled spells a word in one of several ways that shells read alike.
func (g *generator) spelled(word string) string {
	blank := strings.ContainsAny(word, " \t\n")
	switch n := g.r.IntN(12); {
	case n == 0 || blank && n < 6:
		return "'" + word + "'"
	case n == 1 || blank:
		return `"` + word + `"`
	case n == 2 && len(word) > 1:
		return word[:1] + `\` + word[1:]
	case n == 3 && len(word) > 1:
		return word[:1] + g.one(`''`, `""`, "'"+word[1:2]+"'") + map[bool]string{true: word[1:]}[false] + word[1:]
	}
	return word
}

// list returns a list of commands.
func (g *generator) list() string {
	g.depth++
	defer func() { g.depth-- }()
	var b strings.Builder
	for i := range 1 + g.r.IntN(3) {
		if i > 0 {
			b.WriteString(g.one("; ", "\n", " && ", " || ", " | ", ";", "&&", "||", " & ", "\n\n", " |\n", "|& ", ";;"))
		}
		b.WriteString(g.command())
	}
	return b.String()
}

func (g *generator) command() string {
	if g.depth > 3 {
		return g.simple()
	}
	switch g.r.IntN(22) {
	case 0:
		return "(" + g.list() + g.one("", " ", "\n") + ")" + g.redirects()
	case 1:
		return "{ " + g.list() + g.one("; ", "\n") + "}" + g.redirects()
	case 2:
		return "if " + g.list() + "; then " + g.list() + g.one("", "; else "+g.list(), "\nelif "+g.list()+"; then "+g.list()) + "; fi" + g.redirects()
	case 3:
		return "for " + g.one("i", "PATH", "x") + g.one(" in a b; ", " in; ", " in a $x\n", "; ") + "do " + g.list() + g.one("; ", "\n") + "done" + g.redirects()
	case 4:
		return g.one("while false; do ", "until true; do ", "while mk; do break; ") + g.list() + "; done" + g.redirects()
	case 5:
		return "case " + g.word() + " in " + g.one("a", "(a", "*", "a|b", g.word()) + ") " + g.list() + g.one(";;", "", ";; b) "+g.list()+" ;;", ";& *) "+g.list()) + g.one(" ", "\n") + "esac"
	case 6:
		return g.one("fn() ", "fn () ", "function fn ", "fn ()\n") + g.one("{ "+g.simple()+"; }", "( "+g.simple()+" )") + g.one("; fn", "\nfn a", "", " && fn")
	case 7:
		return "! " + g.simple()
	case 8, 9:
		return g.runner()
	case 10:
		return g.hereDocument()
	}
	return g.simple()
}

// simple returns a simple command.
func (g *generator) simple() string {
	var words []string
	if g.in(8) {
		words = append(words, g.assignment())
	}
	if g.in(12) {
		words = append(words, strings.TrimSpace(g.redirect()))
	}
	words = append(words, g.commandWord())
	for range g.r.IntN(4) {
		words = append(words, g.word())
	}
	line := strings.Join(words, g.one(" ", " ", " ", "\t", "  ", " \\\n"))
	return line + g.redirects() + g.one("", "", "", "", "", "", " # c", " #c'", " # c\\\n", " # `", "\\\n")
}

func (g *generator) commandWord() string {
	switch n := g.r.IntN(20); {
	case n < 9:
		return g.spelled(g.one(append(good, bad...)...))
	case n < 12:
		return g.spelled(g.one(builtin...))
	case n < 14:
		return g.spelled(g.one(denied...))
	case n == 14:
		return g.substitution()
	case n == 15:
		return g.expansion()
	case n == 16:
		return g.spelled(g.one(rulesRunners...))
	case n == 17:
		return g.one("$x", "$1", "z$y", "${x}ap", "z?p", "z*", "{zap,a}", "z{a,}p", "$'zap'", `$"zap"`, "x=1zap", "x[0]=1", "x+=1", "[[", "((", "{", "!", "function")
	}
	return g.one(good...)
}

func (g *generator) assignment() string {
	return g.one("x=", "PATH=", "IFS=", "x+=", "x[1]=", "ENV=", "PS4=", "y=", "x=\\\n") + g.one("zap", "", "1", g.word(), "'a b'", "$x", "(a b)", `"a[$(zap)]"`, `'a[$(zap)]'`)
}

func (g *generator) word() string {
	if g.depth > 3 {
		return g.spelled(g.one(plainly...))
	}
	switch g.r.IntN(14) {
	case 0:
		return g.substitution()
	case 1:
		return g.expansion()
	case 2:
		return `"` + g.one("a ", "", "$x", "#", "'") + g.one(g.substitution(), g.expansion(), "b", `\"`, `\\`) + g.one("", " b", "`", "\\\n") + `"`
	case 3:
		return g.one("*", "?", "[a-z]", "~", "{a,b}", "$((1+1))", "$((x))", "$'a\\'b'", `$"a"`, "<(zap)", ">(mk)", "a#b", "#", "@(a|b)", "a=~", "=a", "%a", "$#", "$$", "^a", "$[1]", "$(<a)", "a\\", "\\\\", `\'`, `\"`, "\\#", "'a\\'", "'\n'", "\"\n\"")
	}
	return g.spelled(g.one(plainly...))
}

func (g *generator) substitution() string {
	g.depth++
	defer func() { g.depth-- }()
	body := g.simple()
	if g.depth < 3 && g.in(3) {
		body = g.list()
	}
	if g.in(3) {
		return "`" + strings.ReplaceAll(strings.ReplaceAll(body, "`", "\\`"), "$x", `\$x`) + "`"
	}
	return "$(" + body + g.one("", " ", "\n") + ")"
}

func (g *generator) expansion() string {
	return g.one("$x", "${x}", "${x:-a}", "${x:="+g.word()+"}", "${x#a}", "${x%%*}", "${#x}", "${x:-$(zap)}", "${x-`mk`}", "${x:->(zap)}", "${x:-$<(zap)}", "${x#a>(zap)}", "${x@P}", "${!x}", "${x/a/b}", "${x:1}", "$@", "$*", `"$@"`, "$0", "${x:+'}'}", "${x:-'}", "${x:-\"}\"}", "${x:?zap}", "${x^}")
}

func (g *generator) redirects() string {
	if g.in(5) {
		return g.redirect() + g.one("", "", g.redirect())
	}
	return ""
}

func (g *generator) redirect() string {
	return g.one(" >f", " 2>&1", " >/dev/null", " <f", " >>f", " 3>&1", " 10>f", " >|f", " <>f", " &>f", " >&f", " {x}>f", " <<<zap", " >&-", " <&-", " > $x", " >'f g'", " 2> `mk`", " >&1", " 1>&2 2>/dev/null")
}

// runner returns a command that runs what it is given.
func (g *generator) runner() string {
	inner := g.one("zap x", "mk a", "mk; zap", "tst || zap", "$x", "zap", "mk $(zap)", "'zap'", "z\\ap", "mk\nzap", "x=zap; $x", "fn() { zap; }; fn")
	quoted := g.one("'"+strings.ReplaceAll(inner, "'", `'\''`)+"'", `"`+strings.NewReplacer(`\`, `\\`, `"`, `\"`, "`", "\\`").Replace(inner)+`"`, inner)
	switch g.r.IntN(16) {
	case 0:
		return g.one("sh", "bash", "'sh'", "s\\h") + g.one(" -c ", " -ec ", " -c -e ", " -e -c ", " -o errexit -c ", " +x -c ", " --norc -c ", " -xc ") + quoted + g.one("", " a", " zap")
	case 1:
		return "eval " + g.one("", "-- ", "mk ';' ", "z") + quoted
	case 2:
		return g.one("echo ", "printf ", "printf %s ") + quoted + g.one(" | ", "|", " |\n", " 2>&1 | ") + g.one("sh", "bash", "sh -s", "xargs", "xargs sh -c", "xargs -n1", "xargs -I% %", "xargs -I% mk %", "xargs env", "env sh", "command sh", "{ sh; }", "(sh)", "while read x; do $x; done", "while read x; do mk $x; done", "exec sh", "x=1 sh", "nohup sh", "xargs -t", "if true; then sh; fi", "sh -", "bash --norc", "eval sh", "xargs -0", "xargs -L1 nice")
	case 3:
		return g.one("sh", "bash", "sh -s", "cat", "mk", "read x", "xargs", "{ read x; $x; }", ". ./f", "source f", "(sh)", "xargs mk", "eval \"$(cat)\"") + g.one(" <<X\n", " <<'X'\n", " <<-X\n", " << \"X\"\n", " <<\\X\n") + g.one(inner, "a", "$(zap)", "`zap`", "\tX\nzap", "a\\\nX") + "\nX" + g.one("", "\n", "\nmk", "\nzap", "\\\nzap", " \nzap")
	case 4:
		return g.one("env", "env x=1", "env -i", "nohup", "nice", "nice -n 1", "timeout 5", "exec", "command", "command -p", "builtin", "time", "time -p", "env -S", "env -u x", "coproc x=1", "time x=1", "command -v", "exec -a b", "timeout -s 1 5", "env --") + " " + g.one(inner, quoted, "zap", "mk", "zap a", "sh -c zap", "env zap")
	case 5:
		return g.one("alias m=zap; m", "alias m=zap\nm", "alias m='echo;'\nm zap", "alias mk='zap '\nmk", "alias -g a=b", "\\alias m=zap\nm", "alias 'm=zap'\nm a", "x=zap\nalias m=$x\nm")
	case 6:
		return g.one("find . ", "find . -maxdepth 0 ", "find ") + g.one("-exec zap {} ;", "-exec zap {} \\;", "-exec mk {} \\;", "-exec sh -c 'zap' \\;", "-exec sh -c '{}' \\;", "-exec {} \\;", "-name zap", "-exec env zap \\;", "-execdir zap \\;", "-ok zap \\;", "-exec mk \\; -exec zap \\;", "-exec $x \\;", `-exec "mk" {} +`, "$x", `"$x" zap \;`, "-exec `mk` \\;")
	case 7:
		return "trap " + quoted + g.one(" 0", " EXIT", " INT", "")
	case 8:
		return g.one("PATH=. ", "export PATH=.; ", "PATH=$x; ", "unset PATH; ", "IFS=a; ", "set -- zap; ", "set -f; ", "set -x; ", "PS4='$(zap)'; set -x; ", "ENV=f ", "BASH_ENV=f ", "read PATH; ") + g.one("mk", "zap", "$1", "sh -c mk", "$x", `"$@"`, `"$1"`, ": ${x:=zap}; $x")
	case 9:
		return g.one("x=", "readonly x=", "export x=", "declare x=", "local x=", "typeset x=", "read x <f; x=") + g.one("zap", "'zap a'", "`echo zap`", "$(echo zap)") + g.one("; ", "\n", " && ") + g.one("$x", `"$x"`, "${x}", "mk $x", "eval $x", "sh -c $x", `sh -c "$x"`, "env $x", "xargs $x", "$x$x", `find . -exec $x \;`, "`$x`", "exec $x", "command $x", "alias m=$x")
	case 10:
		return g.one("hash -p zap mk; mk", "enable -n echo; echo", "coproc zap", "coproc N { zap; }", "function mk { zap; }\nmk", "mk() { zap; }; mk", "select i in a; do zap; done", "[[ a == $(zap) ]]", "((x=$(zap)))", "let x=zap", "mapfile -C zap -c 1 x <<<a", "repeat 2 zap", "noglob zap", "- zap", "compgen -C zap", "compgen -W '$(zap)'", "bind -x zap", "printf -v x zap; $x", "printf -v 'a[$(zap)]' b", "test -v 'a[$(zap)]'", "unset 'a[$(zap)]'", "x='a[$(zap)]'; echo $((x))", "[ -v 'a[$(zap)]' ]", "x='$(zap)'; echo ${x@P}", "jobs -x zap", "declare -n x=y", "declare -i 'x=a[$(zap)]'", "read 'a[$(zap)]' <<<b", "trap zap DEBUG; mk", "caller zap", "shopt -s expand_aliases\nalias mk=zap\nmk", "shopt -s extglob", "set -o posix; mk", "getopts a: zap", "command . f", "builtin eval zap", "command eval zap")
	case 11:
		return "eval " + g.one("", "'mk '", `"mk"`) + " " + g.one("$x", `"$x"`, "`echo zap`", "'$x'", "'`echo zap`'", "z ap", "'z'ap", `'sh -c "zap"'`, `"eval 'zap'"`, "echo zap", "'echo;' zap", "'#' zap", "'mk #' zap", "'mk\\' zap", "'mk #\n' zap", "\"mk '\" zap \"'\"")
	}
	return g.simple()
}

func (g *generator) hereDocument() string {
	end := g.one("X", "EOF", "'X'", `"X"`, `\X`, "X Y", "-X", "$x", "`a`", `X"Y"`, "'X\nY'", "''")
	mark := strings.NewReplacer("'", "", `"`, "", `\`, "").Replace(end)
	body := g.one("a", "$(mk)", "`zap`", "$x", "a\\", "\\", "a\\\n", mark+" ", "\t"+mark, "zap", "#", "'", `"`, "$(", "`", "${x", "$((", "\\$(zap)", "\\\\$(zap)", "")
	tail := g.one("", "\n", "\n"+g.simple(), " "+g.simple(), ")")
	open := g.one(" <<", " << ", " <<-", " <<- ", " 3<<")
	command := g.one("mk", "cat", ":", "", "read x", "mk "+"&& mk", "mk;", "mk | tst")
	switch g.r.IntN(5) {
	case 0: // two of them
		return command + open + end + open + "Z\n" + body + "\n" + mark + "\nb\nZ" + tail
	case 1:
		return "mk $(cat" + open + end + "\n" + body + "\n" + mark + g.one("\n)", ")") + tail
	case 2:
		return command + open + end + g.one("; ", " && ", " | ", " & ", " #") + g.simple() + "\n" + body + "\n" + mark + tail
	}
	return command + open + end + "\n" + body + "\n" + mark + tail
}

// mutate changes a line in one place.
func (g *generator) mutate(line string) string {
	at := g.r.IntN(len(line) + 1)
	bit := g.one("\\", "\n", "\r", "\t", " ", "#", "'", `"`, "$", "(", ")", "{", "}", ";", "&", "|", "<", ">", "!", "*", "?", "[", "]", "=", "~", ":", "-", "+", "%", "@", "^", ",", "`",
		"\\\n", "\\\r\n", "\r\n", " # \\\n", "\x01", "\x0b", "\x0c", "\x7f", "\u00a0", "\u2003", "\u2028", "\x85", "\xa0", "é", "à", "\xff", "EOF", "<<X\n", "\nX\n", "zap", ";zap", "\nzap\n", " zap ", "$(", "${", "$((", "))", "<(", "\\`", "'\\''", "0", "1", "10", "2", "in", "do", "then", "x=", "$'", `$"`, "&>", ">&", "|&", ";;", "()")
	end := min(at+g.r.IntN(4), len(line))
	switch g.r.IntN(7) {
	case 0: // remove
		return line[:at] + line[end:]
	case 1: // replace
		return line[:at] + bit + line[end:]
	case 2: // repeat
		return line[:end] + line[at:]
	case 3: // join with another
		return line[:at] + attacks[g.r.IntN(len(attacks))]
	case 4: // swap two pieces
		return line[end:] + line[:end]
	}
	return line[:at] + bit + line[at:]
}
