package leash

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Supports reports what this system can do. The first call tries it out, which takes a few
// milliseconds.
var Supports = sync.OnceValue(func() Support {
	s := Support{UserNS: needsUser(), Else: Swept}
	if delegated() {
		s.Else = Cgroup
	}
	switch {
	case os.Geteuid() == 0 && s.UserNS:
		s.Reason = "root here lacks CAP_SYS_ADMIN"
	case masked():
		s.Reason = maskedProc
	default:
		if err := try(); err != nil {
			s.Reason = err.Error()
		}
	}
	if s.Way = Namespace; s.Reason != "" {
		s.Way = s.Else
	}
	return s
})

// tryTime bounds how long a helper may take to report that it works.
const tryTime = 5 * time.Second

// try starts a helper in namespaces that does nothing. The error is a part of a sentence.
func try() error {
	cmd := exec.Command(Self(), tryArg)
	cmd.Args[0] = os.Args[0]
	cmd.Dir, cmd.Env = "/", []string{"PATH=" + os.Getenv("PATH")}
	var said bytes.Buffer
	cmd.Stderr = &said
	cmd.WaitDelay = time.Second
	p, err := Start(cmd, Namespace)
	if err != nil {
		return Refused(err)
	}
	timer := time.AfterFunc(tryTime, p.Kill)
	defer timer.Stop()
	if p.Wait() == nil {
		return nil
	}
	why := strings.TrimSpace(said.String())
	if why == "" || strings.Contains(why, "\n") {
		why = "a helper in namespaces did not start"
	}
	return Refused(errors.New(why))
}

// helpTry is the main function of try's helper.
func helpTry() int {
	runtime.LockOSThread()
	if err := Enter(Namespace); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
