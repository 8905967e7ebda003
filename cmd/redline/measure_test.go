package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// usageOf is the cost of one run of a program.
type usageOf struct {
	Wall time.Duration
	CPU  time.Duration // of all processors, in the program and the kernel
	Peak float64       // resident memory, in MiB
}

// measure runs the program that its arguments name and writes its cost to the file in MEASURE. It
// is a process of its own because systems count the memory of the starting process in the program's
// peak: this process is as small as possible.
func measure() {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	start := time.Now()
	err := cmd.Run()
	cost := usageOf{Wall: time.Since(start)}
	if err == nil {
		cost.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		cost.Peak, err = peakMemory(cmd.ProcessState)
	}
	if err == nil {
		var text []byte
		if text, err = json.Marshal(cost); err == nil {
			err = os.WriteFile(os.Getenv("MEASURE"), text, 0o600)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}
