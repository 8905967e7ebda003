package leash

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"redline/internal/leash/leashtest"
)

// Environment variables that make the test binary act as a session that holds a program.
const (
	heldLine = "LEASH_TEST_LINE"
	heldWay  = "LEASH_TEST_WAY"
)

func TestMain(m *testing.M) {
	if IsHelper(os.Args) {
		os.Exit(Help(os.Args))
	}
	if line := os.Getenv(heldLine); line != "" {
		program := exec.Command("sh", "-c", line)
		program.Stdout = os.Stdout
		h, err := hold(program, Way(os.Getenv(heldWay)))
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		<-h.Exited()
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// everyWay runs a test with each way that this system supports.
func everyWay(t *testing.T, test func(t *testing.T, way Way)) {
	ways := []Way{Swept, Supports().Way, Supports().Else}
	slices.Sort(ways)
	for _, way := range slices.Compact(ways) {
		t.Run(string(way), func(t *testing.T) { test(t, way) })
	}
	if why := Supports().Reason; why != "" {
		t.Log("not tested: " + why)
	}
}

// staying is a program that starts another one in a new session, without a parent,
// reports that, and stays.
func staying(nap leashtest.Nap) string {
	return `(setsid sleep ` + string(nap) + ` >/dev/null 2>&1 &); sleep ` + string(nap) + ` >/dev/null & echo up; wait`
}

// session starts a process that holds the program, and waits until it prints "up".
func session(t *testing.T, line string, way Way) *exec.Cmd {
	t.Helper()
	s := exec.Command(os.Args[0])
	s.Env = append(os.Environ(), heldLine+"="+line, heldWay+"="+string(way))
	out, err := s.StdoutPipe()
	if err == nil {
		err = s.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if text, err := bufio.NewReader(out).ReadString('\n'); err != nil || text != "up\n" {
		t.Fatalf("%q, %v", text, err)
	}
	return s
}

func TestAHeldProgramEndsWithItsSession(t *testing.T) {
	everyWay(t, func(t *testing.T, way Way) {
		nap := leashtest.NewNap()
		s := session(t, staying(nap), way)
		nap.Await(t, 2)
		_ = s.Process.Kill()
		_ = s.Wait()
		nap.AwaitGone(t)
	})
}

func TestAHeldProgramEndsWithItsHelper(t *testing.T) {
	everyWay(t, func(t *testing.T, way Way) {
		nap := leashtest.NewNap()
		program := exec.Command("sh", "-c", staying(nap))
		h, err := hold(program, way)
		if err != nil {
			t.Fatal(err)
		}
		nap.Await(t, 2)
		h.Kill()
		<-h.Exited()
		nap.Gone(t) // already, not only after a while
		h.End()
	})
}

func TestEndingAHeldProgram(t *testing.T) {
	everyWay(t, func(t *testing.T, way Way) {
		nap := leashtest.NewNap()
		h, err := hold(exec.Command("sh", "-c", staying(nap)), way)
		if err != nil {
			t.Fatal(err)
		}
		nap.Await(t, 2)
		h.End()
		<-h.Exited()
		nap.Gone(t) // already, not only after a while
	})
}

// A held program has the streams, folder and environment that it would have without a
// helper.
func TestAHeldProgramIsAsAnyOther(t *testing.T) {
	everyWay(t, func(t *testing.T, way Way) {
		var out strings.Builder
		program := exec.Command("sh", "-c", `pwd; echo "$MINE"; cat; echo no >&2; test ! -e /proc/self/fd/4 && echo closed`, "x")
		program.Dir, program.Env = "/usr", []string{"MINE=here", "PATH=" + os.Getenv("PATH")}
		program.Stdin, program.Stdout = strings.NewReader("in\n"), &out
		h, err := hold(program, way)
		if err != nil {
			t.Fatal(err)
		}
		<-h.Exited()
		h.End()
		if got := out.String(); got != "/usr\nhere\nin\nclosed\n" {
			t.Errorf("%q", got)
		}
		if _, err := hold(exec.Command("/no/such/program"), way); err == nil || !strings.Contains(err.Error(), "no such file") {
			t.Errorf("%v", err)
		}
	})
}
