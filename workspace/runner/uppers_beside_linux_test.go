//go:build amd64 || arm64

package runner

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// fillBeside has another process write three times a limit on the disk that has dir.
func fillBeside(dir string, limit int64) error {
	out, err := exec.Command("dd", "if=/dev/zero", "of="+filepath.Join(dir, "theirs"), "bs=1M", fmt.Sprintf("count=%d", 3*limit>>20)).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w %s", err, out)
	}
	return nil
}

// A command whose writes are on a disk goes on while another process fills that disk, also if it has a file
// without a name; and it is ended once it writes too much itself, although that has no name either.
func TestUppersBesideAnotherProcess(t *testing.T) {
	const read = `while read -r line; do echo "$line"; done`
	for name, c := range map[string]struct {
		line string
		end  End
	}{
		"nothing":        {line: read, end: Exited},
		"without a name": {line: "exec 4>small; rm small; echo x >&4; " + read, end: Exited},
		"too much itself": {line: `for i in 4 5 6 7; do eval "exec $i>big; rm big"; done; ` +
			`read -r line; echo "$line"; for i in 4 5 6 7; do dd if=/dev/zero bs=1M count=30 >&$i; done; ` + read, end: Overfull},
	} {
		t.Run(name, func(t *testing.T) {
			h, left, dir := newHouseOnDisk(t)
			talk := func(_ context.Context, stream io.ReadWriter) error {
				answers := bufio.NewReader(stream)
				echo := func() error {
					if _, err := io.WriteString(stream, "still there\n"); err != nil {
						return err
					}
					answer, err := answers.ReadString('\n')
					if err == nil && answer != "still there\n" {
						err = fmt.Errorf("it said %q", answer)
					}
					return err
				}
				err := fillBeside(filepath.Dir(dir), h.world.Disk)
				began := time.Now()
				for n := 0; err == nil && (n < 1000 || time.Since(began) < 5*spaceEvery || c.end == Overfull); n++ { // the disk is looked at meanwhile
					err = echo()
				}
				return err
			}
			o, err := Run(t.Context(), Command{
				Line: c.line, Dir: h.workspace, World: &h.world, Left: left, Limits: Limits{Time: time.Minute}, Talk: talk, disk: true,
			}, nil)
			if err != nil || o.End != c.end || c.end == Exited && o.Talked != nil {
				t.Errorf("%v %s, talked: %v\n%.1000s", err, o.End, o.Talked, o.Output)
			}
			if err := os.Remove(filepath.Join(filepath.Dir(dir), "theirs")); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Error(err)
			}
		})
	}
}

// Of a world that has ended nothing can be hidden: it is not the world's if the disk has lost space.
func TestUppersOfAnEndedWorld(t *testing.T) {
	process := exec.Command("true")
	if err := process.Run(); err != nil {
		t.Fatal(err)
	}
	u := uppers{dir: t.TempDir(), helper: process.Process.Pid}
	if bytes, sure := u.hidden(); bytes != 0 || !sure {
		t.Errorf("%d bytes, sure: %t", bytes, sure)
	}
}
