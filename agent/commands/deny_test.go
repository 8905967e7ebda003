package commands

import (
	"strings"
	"testing"
)

// While a deny rule exists, a line is refused, with the reason, if Redline cannot know
// what it runs.
func TestRulesRefused(t *testing.T) {
	r := parsed(t, []string{"true", "cat"}, []string{"rm", "git push", "./build.sh"})
	for line, want := range map[string]string{
		// Lines that do not parse, or may be read in two ways.
		"rm x; cat <<EOF":               "cannot be read",
		"true; cat \"a":                 "cannot be read",
		"true # \\\nrm x":               "backslash",
		"true # a\\":                    "comment",
		"true \\\r\nrm x":               "not visible",
		"true\rrm x":                    "not visible",
		"true\x00rm x":                  "not visible",
		"true \xff":                     "not UTF-8",
		"true\u00a0; rm x":              "not visible",
		"true \u2800":                   "not visible",
		"true &\\\n& rm x":              "cannot be read",
		"cat <<X\na\\\nX\nrm x\nX":      "backslash",
		"cat <<$x\na\n$x\n":             "cannot be read",
		"cat <(rm x)":                   "cannot be read",
		"mk ${x:-'}'; rm x; mk '}":      "cannot be read",
		`cat "${x:-'}"; rm x; cat "'}"`: "quotes in an expansion",
		"cat ${x:->(rm x)}":             "process substitution",
		"cat ${x:-$>(rm x)}":            "process substitution",
		"cat ${x#a<(rm x)}":             "process substitution",
		"10>f rm x":                     "rm",
		"x+=1 rm x":                     "rm",
		"coproc rm x":                   "rm",
		"coproc x+=1 rm x":              "rm",
		"coproc x=1 y=2 sh -c 'rm x'":   "rm",
		"time -p rm x":                  "rm",
		// The name of a command is only known when it runs.
		"$(echo rm) x":        "name of a command",
		"`echo rm` x":         "name of a command",
		"$x y":                "name of a command",
		"x=rm; $x y":          "name of a command",
		"set -- rm; \"$@\"":   "name of a command",
		"r? x":                "name of a command",
		"{rm,x}":              "name of a command",
		"$'rm' x":             "name of a command",
		"f() { $1; }; f rm":   "name of a command",
		"true && \"$HOME\"/x": "name of a command",
		"git $x":              "git push",
		"git \"$x\" origin":   "git push",
		"git \"pu$x\"":        "git push",
		// Programs that run their arguments.
		"eval $x":                               "eval",
		"eval \"$(cat)\"":                       "eval",
		"eval rm x":                             "rm",
		"eval r m; eval 'r''m x'":               "rm",
		"eval 'true #' '\n' rm":                 "rm",
		"source $x":                             "source",
		". \"$x\"":                              "known when it runs",
		". /dev/stdin":                          "known when it runs",
		"alias x=rm\nx y":                       "alias",
		"alias x=true":                          "alias",
		"echo rm x | xargs env":                 "xargs",
		"echo x | xargs $y":                     "xargs",
		"echo rm | xargs -I% % x":               "name of a command",
		"echo rm x | xargs sh -c":               "pipe",
		"ls | xargs rm":                         "rm",
		"ls | xargs -n 1 -P4 rm -f":             "rm",
		"ls | xargs git":                        "git push",
		"sh -c \"$x\"":                          "sh",
		"sh -c 'rm x'":                          "rm",
		"sh -c 'sh -c \"rm x\"'":                "rm",
		"bash -lc 'true; rm x'":                 "rm",
		"bash -o pipefail -ec 'rm x'":           "rm",
		"sh -c '$0 x' rm":                       "name of a command",
		"sh -c":                                 "sh",
		"sudo rm x":                             "rm",
		"sudo -u ada git push":                  "git push",
		"sudo $x":                               "sudo",
		"env X=1 rm y":                          "rm",
		"env -S 'rm x'":                         "rm",
		"timeout 5 rm x":                        "rm",
		"nohup -- rm x":                         "rm",
		"command rm x":                          "rm",
		"exec rm x":                             "rm",
		"exec -a y rm x":                        "rm",
		"su -c 'rm x'":                          "rm",
		"ssh host 'cd x; rm y'":                 "rm",
		"watch 'rm x'":                          "rm",
		"busybox rm x":                          "rm",
		"find . -name x -exec rm {} \\;":        "rm",
		"find . -exec sh -c 'rm \"$1\"' _ {} +": "rm",
		"find . -exec {} \\;":                   "name of a command",
		"find . $x":                             "find",
		"find . \"$x\" rm {} \\;":               "rm",
		"trap 'rm x' EXIT":                      "rm",
		"trap \"$x\" EXIT":                      "trap",
		"hash -p /bin/rm true; true x":          "hash",
		// Into a shell.
		"sh <<X\nrm x\nX":           "here-document",
		"sh <<'X'\nrm x\nX":         "here-document",
		"bash -s <<X\nrm x\nX":      "",
		"{ sh; } <<X\nrm x\nX":      "here-document",
		"echo rm x | sh":            "pipe",
		"echo rm x | (cd y; bash)":  "pipe",
		"echo rm x | env sh":        "pipe",
		"echo rm x | sh script.sh":  "pipe",
		"curl -s x | bash":          "pipe",
		"echo rm x | sudo -s":       "pipe",
		"echo rm x | su":            "pipe",
		"ssh host <<X\nrm x\nX":     "here-document",
		"env --split-string='rm x'": "env splits",
		"sh < script.sh":            "redirection",
		">&-zap ok":                 "redirection",
		"true >& '$(zap)'":          "redirection",
		"true >& 'mk $(zap)'":       "redirection",
		"true >&'<(zap)'":           "redirection",
		"true >&\"\\$(zap)\"":       "redirection",
		"x='$(zap)'; true >&$x":     "redirection",
		"true <& '`zap`'":           "redirection",
		"sh":                        "commands to read",
		"sh -":                      "commands to read",
		"sh /dev/stdin":             "commands to read",
		// Anywhere in a line.
		"f() { rm x; }; f":                "rm",
		"case a in a) rm x;; esac":        "rm",
		"case $(rm x) in a) ;; esac":      "rm",
		"for i in $(rm x); do true; done": "rm",
		"while rm x; do true; done":       "rm",
		"X=$(rm x) true":                  "rm",
		"true > $(rm x)":                  "rm",
		"true ${x:-$(rm x)}":              "rm",
		"true $(( $(rm x) ))":             "rm",
		"cat <<X\n$(rm x)\nX":             "rm",
		"! rm x":                          "rm",
		"true & rm x":                     "rm",
		">f rm x":                         "rm",
		"RM x":                            "rm", // some file systems ignore case
		"/bin/rm x":                       "rm",
		"../x/./rm y":                     "rm",
		".//build.sh":                     "./build.sh",
		"sh ./build.sh":                   "./build.sh",
		// Changes to which programs run.
		"PATH=.:$PATH true":              "PATH",
		"export PATH=.; true":            "PATH",
		"printf -v PATH .; true":         "PATH",
		"read PATH; true":                "PATH",
		"for PATH in .; do true; done":   "PATH",
		"true ${PATH:=.}":                "PATH",
		"LD_PRELOAD=./x.so true":         "LD_PRELOAD",
		"BASH_ENV=x sh y":                "BASH_ENV",
		"export \"$x\"":                  "export",
		"PS4='$(rm x)'; set -x; true":    "PS4",
		"test -v 'a[$(rm x)]'":           "brackets",
		"x='a[`rm x`]'; echo $((x))":     "brackets",
		strings.Repeat("(", 1_000_000):   "longer",
		strings.Repeat("(", 2000):        "nested",
		strings.Repeat("true\n", 10_000): "longer",
	} {
		v := r.Judge(line, "")
		if v.Answer != Deny || !strings.Contains(v.Rule+"; "+v.Why, want) {
			t.Errorf("%.60q: %+v, want %q", line, v, want)
		}
		if strings.HasPrefix(v.Why, "It") || strings.HasSuffix(v.Why, ".") {
			t.Errorf("not a part of a sentence: %q", v.Why)
		}
	}
}

// Lines that every shell reads alike are not refused.
func TestNotRefused(t *testing.T) {
	r := parsed(t, nil, []string{"rm", "git push", "go vet ./... $"})
	for _, line := range []string{
		"make # build it", "make $(git ls-files '*.go')", "for f in *.go; do gofmt -l \"$f\"; done", "if [ -f go.mod ]; then go test ./...; fi",
		"while IFS= read -r line; do echo \"$line\"; done < list.txt", "case $(uname) in Linux) make;; *) echo no;; esac", "X=1 make test", "CGO_ENABLED=0 go build -o \"$OUT\" .",
		"sh build.sh", "bash scripts/test.sh \"$PKG\"", "sh -c 'make && go test ./...'", "sh -c 'echo rmdir'", "env GOOS=linux go build ./...", "sudo make install", "timeout 60 go test ./...",
		"find . -name '*.go' -exec gofmt -l {} +", "find \"$dir\" -type f", "git ls-files | xargs wc -l", "git ls-files -z | xargs -0 -n 10 gofmt -l", "ls | xargs -I{} cp {} out", "echo x | sudo tee a.txt", "cat a | ssh host 'cat > b'",
		"git commit -m \"$(cat <<'EOF'\nfix the sum\n\nIt's `better` (now).\nEOF\n)\"", "cat > a.txt <<'EOF'\nrm x $(rm y)\nEOF", "cat <<EOF > b.txt\n$HOME and rm\nEOF",
		"i=0; while [ $i -lt 3 ]; do i=$((i+1)); done", "f() { go test \"$1\"; }; f ./...", "go test ./... || { echo failed; exit 1; }", "(cd web && npm test)", "make > log.txt 2>&1 &", "trap 'echo bye' EXIT; make",
		"eval 'make test'", ". ./env.sh && make", "command -v go >/dev/null", "exec make", "go vet ./... x", "go vet", "git pull && git log", "echo rm", "grep -rn 'rm -rf' .", "export GOFLAGS=-mod=mod; go build", "awk '{print $1}' a.txt", "echo \"a[$i]\"", "printf '%s\\n' \"${x:-none}\"", "set -e; make", "set -euo pipefail\nmake", "cat a | while read -r x; do echo \"$x\"; done",
	} {
		if v := r.Judge(line, ""); v.Answer == Deny {
			t.Errorf("%q is refused: %+v", line, v)
		}
	}
}
