package window

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"redline/internal/wire"
)

// A message that changes with time is sent again when its text has changed, and at no other time.
// While its text is empty, the message before it stays.
func TestProgressThatCounts(t *testing.T) {
	// The library of the connection pools channels, which must not be used from another bubble: two
	// collections empty a pool.
	runtime.GC()
	runtime.GC()
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		conn := wire.NewConn(t.Context(), near, wire.NewRouter(), wire.Options{})
		conn.Start()
		var said []string
		go func() { said = readProgress(far) }()

		p := newProgress(conn, true, time.Minute, zap.NewNop())
		p.Begin("t1", "rename it")
		synctest.Wait()
		time.Sleep(300 * time.Millisecond)
		p.Report("t1", "reading a.go")
		p.ReportAs("t1", func(elapsed time.Duration) string { // before the other was sent
			if elapsed < time.Second {
				return ""
			}
			return fmt.Sprintf("waiting (%d s)", int(elapsed.Seconds())/2*2)
		})
		time.Sleep(5 * time.Second)
		p.End("t1", "done")
		synctest.Wait()
		conn.Close()
		far.Close()
		<-conn.Done()
		synctest.Wait()
		want := []string{"begin rename it", "report reading a.go", "report waiting (0 s)", "report waiting (2 s)", "report waiting (4 s)", "end done"}
		if !slices.Equal(said, want) {
			t.Errorf("got %q, want %q", said, want)
		}
	})
}

// A client without progress gets one message if a turn takes long, and none for a short one.
func TestProgressIsSaidOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		conn := wire.NewConn(t.Context(), near, wire.NewRouter(), wire.Options{})
		conn.Start()
		var said []string
		say := func(doing string) { said = append(said, doing) }

		p := newProgress(conn, false, time.Minute, zap.NewNop())
		p.Begin("t1", "rename it") // shows nothing
		p.Say("t1", "rename it", say)
		p.Say("t2", "a short one", say)
		time.Sleep(3 * time.Second)
		p.End("t2", "done")
		p.ReportAs("t1", func(elapsed time.Duration) string {
			return fmt.Sprintf("waiting for the model (%d s)", int(elapsed.Seconds()))
		})
		time.Sleep(time.Minute)
		p.End("t1", "done")
		newProgress(conn, true, time.Minute, zap.NewNop()).Say("t3", "shown as progress", say)
		time.Sleep(time.Minute)
		synctest.Wait()
		conn.Close()
		far.Close()
		<-conn.Done()
		synctest.Wait()
		if want := []string{"waiting for the model (3 s)"}; !slices.Equal(said, want) {
			t.Errorf("said %q, want %q", said, want)
		}
	})
}

// The end of a turn waits for an editor that is slow to answer whether it shows the turn, so that
// the progress does not come after the message about the end. It waits once for one that never
// answers.
func TestEndOfATurnThatIsNotYetShown(t *testing.T) {
	for name, c := range map[string]struct {
		delay time.Duration
		takes [2]time.Duration // the ends of two turns
		said  []string
	}{
		"slow":  {time.Second, [2]time.Duration{time.Second, time.Second}, []string{"begin one", "end done", "begin two", "end done"}},
		"never": {time.Hour, [2]time.Duration{answerSoon, 0}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			runtime.GC() // see TestProgressThatCounts
			runtime.GC()
			synctest.Test(t, func(t *testing.T) {
				near, far := net.Pipe()
				conn := wire.NewConn(t.Context(), near, wire.NewRouter(), wire.Options{})
				conn.Start()
				var said []string
				go func() { said = readProgressSlowly(far, c.delay) }()
				p := newProgress(conn, true, 10*time.Second, zap.NewNop())
				for i, turn := range []string{"one", "two"} {
					p.Begin(turn, turn)
					synctest.Wait()
					began := time.Now()
					p.End(turn, "done")
					if took := time.Since(began); took != c.takes[i] {
						t.Errorf("the end of turn %s took %v, want %v", turn, took, c.takes[i])
					}
				}
				synctest.Wait()
				conn.Close()
				far.Close()
				<-conn.Done()
				time.Sleep(2 * c.delay) // until the answers are given up
				synctest.Wait()
				if !slices.Equal(said, c.said) {
					t.Errorf("got %q, want %q", said, c.said)
				}
			})
		})
	}
}

// readProgress answers the server's requests until the connection ends, and returns the kinds
// and messages of its progress.
func readProgress(conn net.Conn) (said []string) { return readProgressSlowly(conn, 0) }

// readProgressSlowly is readProgress of an editor that takes a while to answer.
func readProgressSlowly(conn net.Conn, delay time.Duration) (said []string) {
	for r := bufio.NewReader(conn); ; {
		head, err := textproto.NewReader(r).ReadMIMEHeader()
		if err != nil {
			return said
		}
		size, _ := strconv.Atoi(head.Get("Content-Length"))
		body := make([]byte, size)
		if _, err := io.ReadFull(r, body); err != nil {
			return said
		}
		var m struct {
			ID     json.RawMessage
			Params struct {
				Value struct {
					Kind, Message string
					Percentage    *int
				}
			}
		}
		if json.Unmarshal(body, &m) != nil || m.Params.Value.Percentage != nil {
			return append(said, string(body))
		}
		if m.ID != nil {
			answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":null}`, m.ID)
			reply := func() { fmt.Fprintf(conn, "Content-Length: %d\r\n\r\n%s", len(answer), answer) }
			if delay > 0 {
				time.AfterFunc(delay, reply)
			} else {
				reply()
			}
			continue
		}
		said = append(said, m.Params.Value.Kind+" "+m.Params.Value.Message)
	}
}
