package commands

import (
	"slices"
	"strings"
	"testing"
)

func parsed(t testing.TB, allow, deny []string) *Rules {
	t.Helper()
	r, wrong := New(atRoot(allow...), atRoot(deny...))
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	return r
}

func TestRulesJudge(t *testing.T) {
	r := parsed(t, []string{"go test", "go vet ./... $", "npm run *", "make", "cat", "git log"}, []string{"rm", "git push", "npm publish"})
	for line, want := range map[string]string{
		"go test":                               "allow go test",
		"go test ./... -run X":                  "allow go test",
		"  go   test  ":                         "allow go test",
		"'go' \"test\" te\\st":                  "allow go test",
		"go test ./... && go vet ./...":         "allow go test, go vet ./...",
		"go test; make || cat log | cat":        "allow go test, make, cat",
		"go test\nmake":                         "allow go test, make",
		"go test 2>&1 | cat":                    "allow go test, cat",
		"go test > /dev/null 2>&1":              "allow go test",
		"! go test # why":                       "ask",
		"npm run lint":                          "allow npm run *",
		"go vet ./... x":                        "ask",
		"go":                                    "ask",
		"go testing":                            "ask",
		"gofmt":                                 "ask",
		"./go test":                             "ask",
		"go test && curl x":                     "ask",
		"curl x | cat":                          "ask",
		"cat $(curl x)":                         "ask",
		"cat `curl x`":                          "ask",
		"cat \"$(curl x)\"":                     "ask",
		"cat $HOME":                             "ask",
		"cat \"${X:-y}\"":                       "ask",
		"cat $((1+1))":                          "ask",
		"cat *":                                 "ask",
		"cat ?":                                 "ask",
		"cat [ab]":                              "ask",
		"cat {a,b}":                             "ask",
		"cat ~":                                 "ask",
		"cat a=~":                               "ask",
		"cat $'a'":                              "ask",
		"cat < a":                               "ask",
		"cat > a":                               "ask",
		"cat >> a":                              "ask",
		"cat >& a":                              "ask",
		"cat &> a":                              "deny",
		"cat >| a":                              "ask",
		"cat <<X\na\nX":                         "ask",
		"cat <(curl x)":                         "deny",
		"go test &":                             "ask",
		"PATH=. go test":                        "deny",
		"LD_PRELOAD=x go test":                  "deny",
		"X=1 go test":                           "ask",
		"X=1":                                   "ask",
		"(go test)":                             "ask",
		"{ go test; }":                          "ask",
		"if go test; then make; fi":             "ask",
		"for i in a; do make; done":             "ask",
		"while make; do make; done":             "ask",
		"make() { curl x; }; make":              "ask",
		"make () { curl x; }\nmake":             "ask",
		"case a in a) make;; esac":              "ask",
		"eval make":                             "ask",
		"sh -c make":                            "ask",
		"/bin/bash -c make":                     "ask",
		"env make":                              "ask",
		"xargs make":                            "ask",
		"exec make":                             "ask",
		"command make":                          "ask",
		"time make":                             "ask",
		"alias make=curl; make":                 "deny",
		"cat | sh":                              "deny",
		"cat |& make":                           "deny",
		"cat a\x01b":                            "deny",
		"cat 'a\nb'":                            "ask",
		"cat \"a":                               "deny",
		"":                                      "ask",
		"# make":                                "ask",
		"rm x":                                  "deny rm",
		"/bin/rm x":                             "deny rm",
		"r\\m x":                                "deny rm",
		"'r'm x":                                "deny rm",
		"make && rm x":                          "deny rm",
		"cat $(rm x)":                           "deny rm",
		"(rm x)":                                "deny rm",
		"f() { rm x; }":                         "deny rm",
		"sudo -u a rm x":                        "deny rm",
		"xargs rm":                              "deny rm",
		"find . | xargs -n1 /bin/rm":            "deny rm",
		"sh -c 'make; rm x'":                    "deny rm",
		"sh -c 'rm x'":                          "deny rm",
		"env X=1 sh -c \"sh -c 'rm x'\"":        "deny rm",
		"git push --force":                      "deny git push",
		"git  'push'":                           "deny git push",
		"git log --grep push":                   "allow git log",
		"cat rm":                                "allow cat",
		"npm run publish":                       "allow npm run *",
		"npm publish":                           "deny npm publish",
		"if true; then rm x; fi":                "deny rm",
		strings.Repeat("make; ", 1000) + "rm x": "deny rm",
	} {
		v := r.Judge(line, "")
		if got := strings.TrimSpace(string(v.Answer) + " " + strings.ReplaceAll(v.Rule, " $", "")); got != want {
			t.Errorf("%.60q: %s (%s), want %s", line, got, v.Why, want)
		}
	}
	var none *Rules
	if v := none.Judge("make", ""); v != (Verdict{Answer: Ask}) {
		t.Errorf("no rules: %+v", v)
	}
}

// A rule that allows applies to one folder, the root unless it names another; one that
// denies applies in every folder.
func TestFolders(t *testing.T) {
	r, wrong := New([]Rule{{Command: "make"}, {Command: "./build.sh", Folder: "tools"}, {Command: "go test", Folder: "./app//sub/"}}, atRoot("rm"))
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	for _, c := range []struct{ line, folder, want string }{
		{"make", "", "allow make"},
		{"make", ".", "allow make"},
		{"make", "./x/..", "allow make"},
		{"make", "tools/../", "allow make"},
		{"make", "tools", "ask"},
		{"make", "..", "ask"},
		{"make", "x/../..", "ask"},
		{"make", "../ws", "ask"},
		{"make", "/", "ask"},
		{"make", "/ws", "ask"},
		{"make", `x\..`, "ask"},
		{"make", "x\x00", "ask"},
		{"./build.sh", "tools", "allow ./build.sh in tools"},
		{"./build.sh", "x/../tools/.", "allow ./build.sh in tools"},
		{"./build.sh", "", "ask"},
		{"./build.sh", "evil", "ask"},
		{"./build.sh", "tools/evil", "ask"},
		{"./build.sh", "Tools", "ask"},
		{"./build.sh && make", "tools", "ask"},
		{"go test", "app/sub", "allow go test in app/sub"},
		{"rm x", "", "deny rm"},
		{"rm x", "tools", "deny rm"},
		{"rm x", "../..", "deny rm"},
	} {
		v := r.Judge(c.line, c.folder)
		if got := strings.TrimSpace(string(v.Answer) + " " + v.Rule); got != c.want {
			t.Errorf("%q in %q: %s (%s), want %s", c.line, c.folder, got, v.Why, c.want)
		}
	}
	for _, folder := range []string{"..", "/tools", "a/../..", `C:\tools`} {
		if r, wrong := New([]Rule{{Command: "make", Folder: folder}}, nil); len(wrong) != 1 || len(r.allow) > 0 {
			t.Errorf("the folder %q is taken: %v", folder, wrong)
		}
	}
	// A folder does not limit a rule that denies.
	r, wrong = New(nil, []Rule{{Command: "rm", Folder: "tools"}})
	if v := r.Judge("rm x", ""); v.Answer != Deny || len(wrong) != 1 {
		t.Errorf("a denied folder: %+v, %v", v, wrong)
	}
}

func TestWhatIsNoRule(t *testing.T) {
	for _, text := range []string{"", "a | b", "a; b", "a > b", "X=1 a", "$X", "a $(b)", "* x", "a b*", "'", "(a)", "a &", "# a"} {
		if _, wrong := New(nil, atRoot(text)); len(wrong) != 1 {
			t.Errorf("%q is taken", text)
		}
	}
	for _, text := range []string{"sh", "sudo make", "/usr/bin/env x", "eval", "xargs"} {
		if _, wrong := New(atRoot(text), nil); len(wrong) != 1 || !strings.Contains(wrong[0].Error(), "runs what follows") {
			t.Errorf("%q: %v", text, wrong)
		}
		if _, wrong := New(nil, atRoot(text)); len(wrong) != 0 {
			t.Errorf("deny %q: %v", text, wrong)
		}
	}
}

// Judge never panics, and allows a line only if it consists of nothing but what the rules
// name.
func FuzzJudge(f *testing.F) {
	for _, line := range []string{"make", "make && make x", "make $(x)", "make 'a b' | make", "make \\\nx", "make > x", "make {a,b}", "make \"\\`x\\`\""} {
		f.Add(line)
	}
	r := parsed(f, []string{"make"}, []string{"rm"})
	f.Fuzz(func(t *testing.T, line string) {
		v := r.Judge(line, "")
		if !slices.Contains([]Answer{Ask, Allow, Deny}, v.Answer) {
			t.Fatalf("%q: %+v", line, v)
		}
		if v.Answer != Allow {
			return
		}
		// As a part of another line it must still be denied.
		if again := r.Judge(line+"\nrm x", ""); again.Answer == Allow {
			t.Fatalf("%q hides what follows", line)
		}
	})
}

// Each request for the state of a plan judges its commands.
func BenchmarkJudge(b *testing.B) {
	r := parsed(b, []string{"go test", "make", "echo"}, []string{"rm", "git push"})
	for _, line := range []string{"go test ./... -run 'TestA|TestB' && make lint 2>&1", "for f in *.go; do gofmt -l \"$f\"; done | xargs -n 1 echo"} {
		b.Run(line[:7], func(b *testing.B) {
			for b.Loop() {
				r.judge(line, "")
			}
		})
	}
}

// "*" denies every command, and allows none.
func TestEveryCommandIsDenied(t *testing.T) {
	r := parsed(t, []string{"go test"}, []string{"*"})
	for _, line := range []string{"go test ./...", "true", "", "not ( a command"} {
		if got := r.Judge(line, ""); got.Answer != Deny || got.Rule != "*" {
			t.Errorf("%q: %+v, want denied by *", line, got)
		}
	}
	if _, wrong := New(atRoot("*"), nil); len(wrong) != 1 {
		t.Errorf("a rule that allows every command has no effect and says so: %v", wrong)
	}
}

// atRoot returns rules for the workspace's root, from texts.
func atRoot(texts ...string) []Rule {
	var all []Rule
	for _, text := range texts {
		all = append(all, Rule{Command: text})
	}
	return all
}
