package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// osProcess is a process of the system, as Linux lists it.
type osProcess struct {
	id, parent int
	args       []string
	memory     int64         // bytes
	began      time.Duration // after the start of the system
}

// runningServer is a language server that some Redline runs now.
type runningServer struct {
	process int           // its id
	age     time.Duration // how long it runs
	memory  int64         // bytes, with the programs that it has started
}

// runningServers returns the processes of a program that run below a Redline. proc is the folder /proc; without one there
// are none.
func runningServers(proc fs.FS, program string) (found []runningServer) {
	all := processes(proc)
	up := upTime(proc)
	below := func(p osProcess, is func(osProcess) bool) bool {
		for range len(all) { // a list that was read while it changed may have a circle
			parent, has := all[p.parent]
			if !has {
				return false
			}
			if is(parent) {
				return true
			}
			p = parent
		}
		return false
	}
	serves := func(p osProcess) bool { // also as the script of an interpreter
		return slices.ContainsFunc(p.args[:min(len(p.args), 3)], func(arg string) bool { return filepath.Base(arg) == program })
	}
	redline := func(p osProcess) bool { return len(p.args) > 0 && filepath.Base(p.args[0]) == "redline" }
	for _, p := range all {
		if !serves(p) || redline(p) || !below(p, redline) || below(p, serves) {
			continue
		}
		one := runningServer{process: p.id, age: up - p.began, memory: p.memory}
		for _, other := range all {
			if below(other, func(parent osProcess) bool { return parent.id == p.id }) {
				one.memory += other.memory
			}
		}
		found = append(found, one)
	}
	slices.SortFunc(found, func(a, b runningServer) int { return cmp.Compare(a.process, b.process) })
	return found
}

// processes returns the processes of the system by their ids.
func processes(proc fs.FS) map[int]osProcess {
	all := map[int]osProcess{}
	entries, _ := fs.ReadDir(proc, ".") // there is none on other systems
	for _, e := range entries {
		id, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := fs.ReadFile(proc, e.Name()+"/stat")
		line, err2 := fs.ReadFile(proc, e.Name()+"/cmdline")
		_, rest, ok := strings.Cut(string(stat[max(0, strings.LastIndexByte(string(stat), ')')):]), " ") // a name may hold anything
		fields := strings.Fields(rest)
		if err != nil || err2 != nil || !ok || len(fields) < 22 {
			continue // it has ended
		}
		p := osProcess{id: id, args: strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")}
		p.parent, _ = strconv.Atoi(fields[1])
		ticks, _ := strconv.ParseInt(fields[19], 10, 64)
		p.began = time.Duration(ticks) * time.Second / 100 // the unit of every Linux, see proc(5)
		p.memory = memoryOf(proc, e.Name())
		all[id] = p
	}
	return all
}

// memoryOf returns how many bytes of memory a process has.
func memoryOf(proc fs.FS, id string) (bytes int64) {
	status, _ := fs.ReadFile(proc, id+"/status")
	if _, rest, ok := strings.Cut(string(status), "\nVmRSS:"); ok {
		_, _ = fmt.Sscan(rest, &bytes) // 0 for a line of another form
	}
	return bytes << 10
}

// upTime returns how long the system runs.
func upTime(proc fs.FS) time.Duration {
	var seconds float64
	text, _ := fs.ReadFile(proc, "uptime")
	_, _ = fmt.Sscan(string(text), &seconds)
	return time.Duration(seconds * float64(time.Second))
}
