package decide

import (
	"fmt"
	"sync"
	"testing"

	"redline/agent/board"
	"redline/agent/plan"
)

func approved(hash string, ids ...string) Approval { return Approval{hash: hash, ids: ids} }

// ofCommands returns the executor of a plan with four commands; ids are the approved ones.
func ofCommands(ids ...string) *executor {
	r := &plan.Revision{Number: 1, Hash: "h", Operations: []plan.Operation{{ID: "o1"}, {ID: "o2"}, {ID: "o3"}, {ID: "o4"}}}
	return newExecutor(nil, board.NewHeld(&plan.Plan{Number: 1}, r), approved("h", ids...))
}

// Commands approved while others run are queued in the order of the plan; a command that is
// approved again no longer waits for a save.
func TestApprovalsAreAddedToTheQueue(t *testing.T) {
	e := ofCommands("o2", "o4")
	e.collect()
	if !e.add(approved("h", "o3")) || !e.add(Approval{hash: "h", ids: []string{"o1", "o4"}, rules: map[string]string{"o1": "go test", "o2": "rm"}}) {
		t.Fatal("an executor that has not ended takes no commands")
	}
	select {
	case <-e.woken:
	default:
		t.Error("it was not woken")
	}
	e.collect()
	if got, want := fmt.Sprint(e.queue, e.runNow, e.rules), "[o1 o2 o3 o4] map[o4:true] map[o1:go test]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Commands approved at another revision, or after the end, need another executor.
func TestAnExecutorThatTakesNoMore(t *testing.T) {
	e := ofCommands("o1")
	if e.add(approved("other", "o2")) {
		t.Error("it takes commands of another revision")
	}
	if e.closeIfIdle() {
		t.Error("it has closed with commands that it has not collected")
	}
	e.collect()
	if !e.closeIfIdle() || e.add(approved("h", "o2")) {
		t.Error("it takes commands after its end")
	}
	e = ofCommands("o1")
	if e.close(); e.add(approved("h", "o2")) || fmt.Sprint(e.queue) != "[o1]" {
		t.Errorf("closed with %v", e.queue)
	}
}

// Every command that an executor took is collected, even if it is approved while the executor
// ends.
func TestNothingIsLostWhileAnExecutorEnds(t *testing.T) {
	e := ofCommands()
	e.collect()
	took := make([]bool, 4)
	var approvals sync.WaitGroup
	for i := range took {
		approvals.Go(func() { took[i] = e.add(approved("h", fmt.Sprintf("o%d", i+1))) })
	}
	for !e.closeIfIdle() {
		e.collect()
	}
	approvals.Wait()
	n := 0
	for _, ok := range took {
		if ok {
			n++
		}
	}
	if len(e.queue) != n {
		t.Errorf("%d commands were taken, and the queue is %v", n, e.queue)
	}
}
