package packaging

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal opens a new terminal: the side of its user, and the side of its programs.
func terminal(t *testing.T) (user, programs *os.File) {
	t.Helper()
	user, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { user.Close() })
	if err := unix.IoctlSetPointerInt(int(user.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(user.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	programs, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { programs.Close() })
	return user, programs
}

// Ctrl-C reaches the program once. The terminal sends it to the launcher too, and a second
// one would end the program at once.
func TestNPMLauncherOnTerminal(t *testing.T) {
	// The shell's reading ends with each signal; it handles an earlier one first.
	start := launcher(t, script(t, `trap 'echo interrupted' INT
trap 'echo terminated; exit 0' TERM
echo ready
while :; do read line; done`))
	user, programs := terminal(t)
	cmd := isolated(t, start)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = programs, programs, programs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	programs.Close()
	lines := bufio.NewScanner(user)
	var got []string
	for lines.Scan() {
		line := strings.TrimPrefix(strings.TrimSpace(lines.Text()), "^C")
		got = append(got, line)
		switch line {
		case "ready":
			if _, err := user.WriteString("\x03"); err != nil {
				t.Fatal(err)
			}
		case "interrupted":
			// The launcher has the Ctrl-C before this, and would pass it on before this.
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if want := "ready interrupted terminated"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
