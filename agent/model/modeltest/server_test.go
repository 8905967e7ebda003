package modeltest

import (
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
)

// A check for leaked goroutines finds none of the server's.
func TestCloseWaitsForWhatIsUnderWay(t *testing.T) {
	server := New(Stream(Long(10_000_000, "and on "), Wait("never")))
	base, err := server.Start()
	if err != nil {
		t.Fatal(err)
	}
	via := &http.Transport{}
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		answer, err := (&http.Client{Transport: via}).Post(base+"/chat/completions", "application/json", strings.NewReader("{}"))
		if err == nil {
			_, _ = io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
		}
	}()
	if err := server.Await(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	server.Close()
	stacks := make([]byte, 1<<20)
	if running := string(stacks[:runtime.Stack(stacks, true)]); strings.Contains(running, "ServeHTTP(") {
		t.Errorf("a reply is still being made:\n%s", running)
	}
	<-asked
}
