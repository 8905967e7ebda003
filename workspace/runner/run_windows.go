package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// HelperArg is the hidden subcommand that runs the program as its own helper.
const HelperArg = "run-command"

// IsHelper reports whether the program was started as a helper.
func IsHelper([]string) bool { return false }

// Help is the main function of a helper.
func Help() int { return 2 }

// run runs a command in a plain copy, by the sh that comes with Git. All that it starts is in a job, which
// ends with the command and with this process.
func run(ctx context.Context, c Command, tell func(Stream, string)) (Outcome, error) {
	if c.Plain == nil {
		return Outcome{}, ErrUnsupported
	}
	if c.Confine == ConfineRequire {
		return Outcome{}, errors.New("Windows cannot limit where it writes, and your setting commands.confine requires that")
	}
	sh, err := findShell()
	if err != nil {
		return Outcome{}, err
	}
	job, err := newJob()
	if err != nil {
		return Outcome{}, fmt.Errorf("a command cannot be started: %w", err)
	}
	defer windows.CloseHandle(job) //nolint:errcheck // it ends what is left in the job
	timer, expired := context.WithTimeout(ctx, c.Limits.Time)
	defer expired()
	out := newOutput(c.Limits, c.Secrets, tell)
	cmd := exec.CommandContext(timer, sh, "-c", c.Line)
	cmd.Dir, cmd.Env = c.Dir, windowsEnviron(c)
	cmd.Stdout, cmd.Stderr = streamWriter{out, Stdout}, streamWriter{out, Stderr}
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP}
	cmd.Cancel = func() error { return windows.TerminateJobObject(job, 1) }
	cmd.WaitDelay = grace
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return Outcome{}, fmt.Errorf("a command cannot be started: %w", err)
	}
	process, err := enterJob(job, cmd.Process.Pid)
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return Outcome{}, fmt.Errorf("a command cannot be started: %w", err)
	}
	ended := make(chan struct{})
	go func() { // what the command leaves running keeps its output open
		defer close(ended)
		_, _ = windows.WaitForSingleObject(process, windows.INFINITE)
		_ = windows.TerminateJobObject(job, 1)
		_ = windows.CloseHandle(process)
	}()
	_ = cmd.Wait() // its state says how it ended
	<-ended
	out.write(Stdout, nil, true)
	out.write(Stderr, nil, true)
	o := Outcome{
		End: Exited, ExitCode: -1, Took: time.Since(began),
		Stdout: out.of[Stdout].String(), Stderr: out.of[Stderr].String(), Output: out.all.String(),
	}
	switch {
	case ctx.Err() != nil:
		o.End = Cancelled
	case timer.Err() != nil:
		o.End = TimedOut
	case cmd.ProcessState == nil:
		o.End = Lost
	default:
		o.ExitCode = cmd.ProcessState.ExitCode()
	}
	return o, nil
}

// grace is how long the output of a command may stay open after its end.
const grace = 3 * time.Second

type streamWriter struct {
	to *output
	s  Stream
}

func (w streamWriter) Write(b []byte) (int, error) {
	w.to.write(w.s, b, false)
	return len(b), nil
}

// findShell returns the path of sh.
func findShell() (string, error) {
	if sh, err := exec.LookPath("sh"); err == nil {
		return sh, nil
	}
	for _, dir := range []string{os.Getenv("ProgramFiles"), filepath.Join(os.Getenv("LocalAppData"), "Programs")} {
		sh := filepath.Join(dir, "Git", "bin", "sh.exe")
		if info, err := os.Stat(sh); err == nil && info.Mode().IsRegular() {
			return sh, nil
		}
	}
	return "", errors.New("commands run by sh, which is not there: install Git for Windows")
}

// newJob creates a job whose processes end when its last handle is closed.
func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err != nil {
		return 0, errors.Join(err, windows.CloseHandle(job))
	}
	return job, nil
}

// enterJob puts a process that has just been created and does not run yet into a job, and lets it run. The
// caller closes the handle.
func enterJob(job windows.Handle, pid int) (process windows.Handle, err error) {
	process, err = windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE|windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return 0, err
	}
	if err = windows.AssignProcessToJobObject(job, process); err == nil {
		err = resume(pid)
	}
	if err != nil {
		return 0, errors.Join(err, windows.CloseHandle(process))
	}
	return process, nil
}

// resume lets the only thread of a process run.
func resume(pid int) error {
	all, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(all) //nolint:errcheck // it was only opened
	thread := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(all, &thread); err == nil; err = windows.Thread32Next(all, &thread) {
		if thread.OwnerProcessID != uint32(pid) {
			continue
		}
		h, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, thread.ThreadID)
		if err != nil {
			return err
		}
		_, err = windows.ResumeThread(h)
		return errors.Join(err, windows.CloseHandle(h))
	}
	return err
}

// ofWindows are the variables that programs need on Windows, in capitals.
var ofWindows = []string{
	"PATH", "PATHEXT", "COMSPEC", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "USERNAME",
	"APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "PROGRAMW6432", "COMMONPROGRAMFILES",
	"NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE", "OS", "TEMP", "TMP",
}

// windowsEnviron returns the environment of a command: names of variables differ in case here.
func windowsEnviron(c Command) []string {
	var env []string
	for _, v := range os.Environ() {
		if name, value, _ := strings.Cut(v, "="); slices.Contains(ofWindows, strings.ToUpper(name)) {
			env = append(env, name+"="+inPlain(c, value))
		}
	}
	return append(env, environOf(c, os.TempDir())...)
}
