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
	"syscall"
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
		s.Reason = "parts of /proc are hidden here, as in most containers"
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
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return errors.New("the system allows no more namespaces: see user.max_user_namespaces, max_pid_namespaces and max_mnt_namespaces")
	case err != nil:
		return fmt.Errorf("the system refuses namespaces: %s%s", plain(err), restricted())
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
	return errors.New(why + restricted())
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

// restricted names the setting by which some systems deny namespaces to users, "" if it is
// not set.
func restricted() string {
	for _, name := range []string{"kernel/apparmor_restrict_unprivileged_userns", "kernel/unprivileged_userns_clone"} {
		value, err := os.ReadFile("/proc/sys/" + name)
		on := strings.TrimSpace(string(value)) == "1"
		if err == nil && needsUser() && on == strings.Contains(name, "apparmor") {
			return "; " + strings.ReplaceAll(name, "/", ".") + " = " + strings.TrimSpace(string(value))
		}
	}
	return ""
}

// plain returns the cause of an error without the program's name.
func plain(err error) string {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno.Error()
	}
	return err.Error()
}
