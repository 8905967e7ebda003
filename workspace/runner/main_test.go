package runner

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"redline/internal/leash"
)

func TestMain(m *testing.M) {
	if IsHelper(os.Args) {
		syscall.Exit(Help()) // without the pause of the race detector at the end of a process
	}
	beOnDisk()
	useBwrap()
	if w := os.Getenv("RUNNER_TEST_WORLD"); w != "" { // a process to be killed while a command runs in a world
		runInWorld(w)
		os.Exit(0)
	}
	if os.Getenv("RUNNER_TEST_WORLDS") != "" { // a process in which worlds may be refused
		sayWorlds()
		os.Exit(0)
	}
	if line := os.Getenv("RUNNER_TEST_SERVER"); line != "" { // a process to be killed while a command runs
		dir, _ := os.Getwd()
		_, err := Run(context.Background(), Command{Line: line, Dir: dir, way: leash.Way(os.Getenv("RUNNER_TEST_WAY")), Confine: ConfineOff}, func(_ Stream, text string) { fmt.Print(text) })
		fmt.Println(err)
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}
