//go:build amd64 || arm64

package runner

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"redline/workspace/world"
)

// talk runs a line in the world with this conversation, and returns the names of what it has left.
func (h *house) talk(t *testing.T, ctx context.Context, line string, say func(context.Context, io.ReadWriter) error) (left []string, o Outcome) {
	t.Helper()
	o, err := Run(ctx, Command{
		Line: line, Dir: h.workspace, World: &h.world, Limits: Limits{Time: time.Minute}, Talk: say,
		Capture: func([]world.Entry) []int { return nil },
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range o.Left {
		left = append(left, strings.TrimPrefix(string(e.Path), h.workspace+"/"))
	}
	slices.Sort(left)
	return left, o
}

// waitForExit lets each command of a test exit by itself, however long that takes on a busy machine.
func waitForExit(t *testing.T) {
	t.Helper()
	usual := exitGrace
	exitGrace = time.Minute
	t.Cleanup(func() { exitGrace = usual })
}

// A command gets its input whole, also if it reads none of it, or is alone with it for long.
func TestWorldInput(t *testing.T) {
	h := newHouse(t)
	for _, c := range []struct {
		line  string
		input int
		want  string
	}{
		{"cat", 12, "xxxxxxxxxxxx"},
		{"wc -c", 10 << 20, "10485760"},
		{"echo unread", 10 << 20, "unread"},
		{"cat; echo end", 0, "end"},
	} {
		o, err := Run(t.Context(), Command{Line: c.line, Dir: h.workspace, World: &h.world, Input: []byte(strings.Repeat("x", c.input))}, nil)
		if err != nil || o.End != Exited || o.ExitCode != 0 || strings.TrimSpace(o.Stdout) != c.want {
			t.Errorf("%s: %v %s %d %q", c.line, err, o.End, o.ExitCode, o.Output)
		}
	}
}

// A command and its parent talk; what the command did meanwhile is captured when it has ended, whether
// it ends with its input or has to be ended. Its standard error stays its output.
func TestWorldTalk(t *testing.T) {
	h := newHouse(t)
	for _, c := range []struct {
		name, line string
		dismissed  bool
	}{
		{"ends with its input", `echo err >&2; while read -r x; do echo "got $x"; echo "$x" > "$x"; done; echo bye; echo last > last`, false},
		{"does not end", `echo err >&2; trap 'echo late > last; exit 3' TERM; while read -r x; do echo "got $x"; echo "$x" > "$x"; done; while :; do sleep 0.01; done`, true},
		{"cannot be asked to end", `echo err >&2; trap '' TERM; echo late > last; while read -r x; do echo "got $x"; echo "$x" > "$x"; done; while :; do sleep 0.01; done`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !c.dismissed {
				waitForExit(t)
			}
			left, o := h.talk(t, t.Context(), c.line, func(_ context.Context, stream io.ReadWriter) error {
				in := bufio.NewReader(stream)
				for i := range 3 {
					fmt.Fprintf(stream, "n%d\n", i)
					if line, err := in.ReadString('\n'); err != nil || line != fmt.Sprintf("got n%d\n", i) {
						return fmt.Errorf("%q %w", line, err)
					}
				}
				return errors.New("enough")
			})
			if o.End != Exited || o.Dismissed != c.dismissed || o.Talked == nil || o.Talked.Error() != "enough" || o.ExitCode != 0 || !strings.HasPrefix(o.Output, "err\n") || strings.Contains(o.Output, "got") || o.NotCaptured != nil {
				t.Errorf("%+v", o)
			}
			if want := []string{"last", "n0", "n1", "n2"}; !slices.Equal(left, want) {
				t.Errorf("left %q, want %q", left, want)
			}
		})
	}
}

// A command that ends first ends the stream, though something that it has started lives on; the last
// that it wrote is heard.
func TestWorldTalkEndsWithTheCommand(t *testing.T) {
	h := newHouse(t)
	heard := ""
	left, o := h.talk(t, t.Context(), `(sleep 1000 <&- >&- 2>&- &); echo x > x; echo last words; exit 7`, func(_ context.Context, stream io.ReadWriter) error {
		all, err := io.ReadAll(stream)
		heard = string(all)
		return err
	})
	if heard != "last words\n" || o.Talked != nil || o.End != Exited || o.ExitCode != 7 || o.Dismissed || !slices.Equal(left, []string{"x"}) {
		t.Errorf("heard %q, left %q, %+v", heard, left, o)
	}
}

// One that is cancelled can still be told so, and is then stopped, with what it has started.
func TestWorldTalkCancelled(t *testing.T) {
	h := newHouse(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	heard := ""
	_, o := h.talk(t, ctx, `trap 'echo stopped' TERM; echo ready; read -r x; echo "told to $x"; while :; do sleep 0.01; done`, func(ctx context.Context, stream io.ReadWriter) error {
		in := bufio.NewReader(stream)
		first, _ := in.ReadString('\n')
		cancel()
		<-ctx.Done()
		fmt.Fprintln(stream, "stop")
		second, err := in.ReadString('\n')
		heard = first + second
		return errors.Join(err, ctx.Err())
	})
	if heard != "ready\ntold to stop\n" || o.End != Cancelled || !errors.Is(o.Talked, context.Canceled) || o.NotCaptured == nil {
		t.Errorf("heard %q, %+v", heard, o)
	}
}

// A command that exits by itself, because the talk has reached the end of its time, was stopped by its time.
func TestWorldTalkOutOfTime(t *testing.T) {
	h := newHouse(t)
	o, err := Run(t.Context(), Command{
		Line: `read -r x; echo done > done`, Dir: h.workspace, World: &h.world, Limits: Limits{Time: time.Second},
		Talk: func(ctx context.Context, stream io.ReadWriter) error {
			<-ctx.Done()
			fmt.Fprintln(stream, "end")
			_, err := io.ReadAll(stream) // until it has exited: nobody has to stop it
			return errors.Join(err, ctx.Err())
		},
		Capture: func([]world.Entry) []int { return nil },
	}, nil)
	if err != nil || o.End != TimedOut || o.NotCaptured != nil || len(o.Left) != 1 {
		t.Errorf("%v %+v", err, o)
	}
}

// What the command writes after the talk, and what it is sent and does not read, block nobody.
func TestWorldTalkBlocksNobody(t *testing.T) {
	waitForExit(t)
	h := newHouse(t)
	left, o := h.talk(t, t.Context(), `echo go; sleep 0.1; head -c 10000000 /dev/zero; echo done > done`, func(ctx context.Context, stream io.ReadWriter) error {
		_, err := bufio.NewReader(stream).ReadString('\n')
		return err
	})
	if o.Talked != nil || !slices.Equal(left, []string{"done"}) {
		t.Errorf("left %q, %+v", left, o)
	}
	_, o = h.talk(t, t.Context(), `exec <&-; true`, func(ctx context.Context, stream io.ReadWriter) error {
		for {
			if _, err := stream.Write(make([]byte, 1<<20)); err != nil {
				return nil
			}
		}
	})
	if o.End != Exited || o.Talked != nil {
		t.Errorf("%+v", o)
	}
}

// A command that cannot be started is not talked to.
func TestWorldTalkNeedsACommand(t *testing.T) {
	h := newHouse(t)
	_, err := Run(t.Context(), Command{Line: "true", Dir: h.workspace + "/missing", World: &h.world, Talk: func(context.Context, io.ReadWriter) error {
		t.Error("talked")
		return nil
	}}, nil)
	if err == nil {
		t.Error("it was started")
	}
}
