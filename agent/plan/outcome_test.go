package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// twoFiles has a file of two hunks, a file to be moved with a hunk, and a
// command, in three steps.
func twoFiles() (*Plan, *Revision) {
	p := &Plan{Number: 1, State: Executing, Current: 1, Revisions: []Revision{{
		Number: 1,
		Steps:  []Step{{ID: "s1"}, {ID: "s2"}, {ID: "s3"}},
		Operations: []Operation{
			{ID: "o1", Step: "s1", Tool: "edit_file", Path: "a"},
			{ID: "o2", Step: "s2", Tool: "rename_file", Path: "b"},
			{ID: "o3", Step: "s3", Tool: "run_command", Command: "make"},
		},
		Changes: []Change{
			{Path: "a", Action: Update, Hunks: []Hunk{{ID: "h1"}, {ID: "h2"}}, Operations: []string{"o1"}},
			{Path: "b", NewPath: "c", Action: Rename, Hunks: []Hunk{{ID: "h3"}}, Operations: []string{"o2"}},
		},
	}}}
	return p, p.Latest()
}

// mark gives hunks the status, and the move with "move", the command with
// "make".
func mark(p *Plan, s HunkStatus, ids ...string) {
	for _, id := range ids {
		switch id {
		case "move":
			p.Progress.MarkFile(1, "b", FileStatus(s), "")
		case "make":
			command := map[HunkStatus]CommandStatus{HunkApplied: CommandSucceeded, HunkRejected: CommandRejected}[s]
			p.Progress.MarkCommand("o3", CommandMark{Status: command})
		default:
			p.Progress.MarkHunk(id, s, "")
		}
	}
}

func TestOutcome(t *testing.T) {
	for _, tt := range []struct {
		name    string
		applied []string
		reject  []string
		more    func(*Progress)
		want    Event // "" for none yet
	}{
		{name: "nothing", want: NothingApplied},
		{name: "all rejected", reject: []string{"h1", "h2", "h3", "move", "make"}, want: NothingApplied},
		{name: "one hunk", applied: []string{"h1"}, want: PartExecuted},
		{name: "hunks without the move", applied: []string{"h1", "h2", "h3", "make"}, want: PartExecuted},
		{name: "only the move", applied: []string{"move"}, want: PartExecuted},
		{name: "the command is left", applied: []string{"h1", "h2", "h3", "move"}, want: PartExecuted},
		{name: "only the command", applied: []string{"make"}, reject: []string{"h1", "h2", "h3", "move"}, want: PlanExecuted},
		{name: "all", applied: []string{"h1", "h2", "h3", "move", "make"}, want: PlanExecuted},
		{name: "all decided", applied: []string{"h1", "move"}, reject: []string{"h2", "h3", "make"}, want: PlanExecuted},
		{name: "a file is on its way", applied: []string{"h1"}, more: func(p *Progress) { p.MarkFile(1, "a", FileApplying, "") }, want: ""},
		{name: "a file failed", applied: []string{"h3", "move"}, more: func(p *Progress) { p.MarkFile(1, "a", FileFailed, "") }, want: ExecutionFailed},
		{name: "a mark of another revision", applied: []string{"h1"}, more: func(p *Progress) { p.MarkFile(7, "a", FileFailed, "") }, want: PartExecuted},
		{name: "nobody could see", more: func(p *Progress) { p.MarkFile(1, "a", FileUnverified, "") }, want: PartExecuted},
		{name: "a command runs", applied: []string{"h1"}, more: func(p *Progress) { p.MarkCommand("o3", CommandMark{Status: CommandRunning}) }, want: ""},
		{name: "a command failed", applied: []string{"h1"}, more: func(p *Progress) { p.MarkCommand("o3", CommandMark{Status: CommandFailed}) }, want: ExecutionFailed},
		{name: "a command waits", applied: []string{"h1", "h2", "h3", "move"}, more: func(p *Progress) { p.MarkCommand("o3", CommandMark{Status: CommandWaitingForSave}) }, want: PartExecuted},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, r := twoFiles()
			mark(p, HunkApplied, tt.applied...)
			mark(p, HunkRejected, tt.reject...)
			if tt.more != nil {
				tt.more(&p.Progress)
			}
			got, ok := p.Outcome(r)
			if got != tt.want || ok != (tt.want != "") {
				t.Fatalf("got %q, %t; want %q", got, ok, tt.want)
			}
			if ok {
				if err := p.Apply(got); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestAfterReject(t *testing.T) {
	all := []string{"h1", "h2", "h3", "move", "make"}
	for _, tt := range []struct {
		name    string
		state   State
		applied []string
		reject  []string
		want    State
	}{
		{"the rest after a command, the edits being taken back", AwaitingApproval, all[4:], all[:4], Cancelled},
		{"the rest, after a part was taken back", AwaitingApproval, all[3:], all[:3], Completed},
		{"a part of what awaits approval", AwaitingApproval, nil, all[:1], Reviewing},
		{"a part of what is reviewed", Reviewing, nil, all[:1], Reviewing},
		{"everything", AwaitingApproval, nil, all, Cancelled},
		{"the rest", Reviewing, all[:2], all[2:], Completed},
		{"the rest after a command", Reviewing, all[4:], all[:4], Completed},
		{"the rest after an undo", AwaitingApproval, all[:1], all[1:], Completed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, r := twoFiles()
			p.State = tt.state
			mark(p, HunkApplied, tt.applied...)
			mark(p, HunkRejected, tt.reject...)
			p.Progress.TakenBack = strings.Contains(tt.name, "taken back")
			if event, ok := p.AfterReject(r); ok {
				if err := p.Apply(event); err != nil {
					t.Fatal(err)
				}
			}
			if p.State != tt.want {
				t.Errorf("got %s, want %s", p.State, tt.want)
			}
		})
	}
}

func TestFileStatus(t *testing.T) {
	for _, tt := range []struct {
		name    string
		applied []string
		reject  []string
		more    func(*Progress)
		want    [2]FileStatus // of a and of b
	}{
		{name: "nothing", want: [2]FileStatus{FilePending, FilePending}},
		{name: "one of two", applied: []string{"h1"}, want: [2]FileStatus{FilePending, FilePending}},
		{name: "applied and rejected", applied: []string{"h1", "h3"}, reject: []string{"h2"}, want: [2]FileStatus{FileApplied, FilePending}},
		{name: "rejected", reject: []string{"h1", "h2", "h3", "move"}, want: [2]FileStatus{FileRejected, FileRejected}},
		{name: "moved, its hunk left", applied: []string{"move"}, want: [2]FileStatus{FilePending, FilePending}},
		{name: "moved, its hunk rejected", applied: []string{"move"}, reject: []string{"h3"}, want: [2]FileStatus{FilePending, FileApplied}},
		{name: "edited, not moved", applied: []string{"h3"}, reject: []string{"move"}, want: [2]FileStatus{FilePending, FileApplied}},
		{name: "failed", applied: []string{"h1", "h2"}, more: func(p *Progress) { p.MarkFile(1, "a", FileFailed, "") }, want: [2]FileStatus{FileFailed, FilePending}},
		{name: "moved, its hunk under way", applied: []string{"move"}, more: func(p *Progress) { p.MarkFile(1, "b", FileApplying, "") }, want: [2]FileStatus{FilePending, FileApplying}},
		{
			name: "moved, its hunk settled", applied: []string{"move", "h3"},
			more: func(p *Progress) { p.MarkFile(1, "b", FileApplying, ""); p.Settle(1, "b", "") },
			want: [2]FileStatus{FilePending, FileApplied},
		},
		{
			name: "move rejected, its hunk settled", reject: []string{"move"},
			more: func(p *Progress) {
				p.MarkFile(1, "b", FileUnverified, "")
				p.MarkHunk("h3", HunkRejected, "")
				p.Settle(1, "b", "")
			},
			want: [2]FileStatus{FilePending, FileRejected},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, r := twoFiles()
			mark(p, HunkApplied, tt.applied...)
			mark(p, HunkRejected, tt.reject...)
			if tt.more != nil {
				tt.more(&p.Progress)
			}
			var got [2]FileStatus
			for i := range r.Changes {
				got[i], _ = p.File(r, &r.Changes[i])
			}
			if got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestStaleHunkMakesFileStale(t *testing.T) {
	if got := FileOf([]HunkStatus{HunkApplied, HunkStale, HunkPending}); got != FileStale {
		t.Errorf("got %s", got)
	}
}

func TestSteps(t *testing.T) {
	p, r := twoFiles()
	check := func(want ...StepStatus) {
		t.Helper()
		got := p.Steps(r, p.Operations(r))
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	check(StepPending, StepPending, StepPending)
	p.Progress.MarkFile(1, "a", FileApplying, "")
	check(StepInProgress, StepPending, StepPending)
	p.Progress.Settle(1, "a", "")
	mark(p, HunkApplied, "h1", "h2", "move")
	check(StepCompleted, StepPending, StepPending)
	mark(p, HunkRejected, "h3")
	p.Progress.MarkCommand("o3", CommandMark{Status: CommandRunning})
	check(StepCompleted, StepCompleted, StepInProgress)
	p.Progress.MarkCommand("o3", CommandMark{Status: CommandFailed})
	check(StepCompleted, StepCompleted, StepFailed)
	p.Progress.MarkCommand("o3", CommandMark{Status: CommandRejected})
	check(StepCompleted, StepCompleted, StepPending)
	r.Operations = append(r.Operations, Operation{ID: "o4", Step: "s1", Tool: "run_command", Command: "true"})
	check(StepInProgress, StepCompleted, StepPending)
}

// TestOperationsFollowTheirOwnHunks shows the status of each of several
// operations on one file: two edits, one that both have made something in, and
// a move.
func TestOperationsFollowTheirOwnHunks(t *testing.T) {
	type marks = map[string]HunkStatus
	for _, tt := range []struct {
		name  string
		marks marks
		move  FileStatus
		file  func(*Progress)
		want  []string // of o1 (h1, h2), o2 (h2, h3), o3 (the move), o4 (nothing any more)
	}{
		{"nothing", nil, FilePending, nil, []string{"pending", "pending", "pending", "pending"}},
		{"the first", marks{"h1": HunkApplied, "h2": HunkApplied}, FilePending, nil, []string{"applied", "pending", "pending", "pending"}},
		{"the second rejected", marks{"h2": HunkRejected, "h3": HunkRejected}, FilePending, nil, []string{"pending", "rejected", "pending", "pending"}},
		{"moved", nil, FileApplied, nil, []string{"pending", "pending", "applied", "pending"}},
		{"not to be moved", nil, FileRejected, nil, []string{"pending", "pending", "rejected", "pending"}},
		{"all", marks{"h1": HunkApplied, "h2": HunkApplied, "h3": HunkApplied}, FileApplied, nil, []string{"applied", "applied", "applied", "applied"}},
		{"one on its way", nil, FilePending, func(p *Progress) { p.MarkSent(1, "a", Sent{Hunks: []string{"h3"}}) },
			[]string{"pending", "applying", "pending", "applying"}},
		{"the move on its way", marks{"h1": HunkApplied}, FilePending, func(p *Progress) { p.MarkSent(1, "a", Sent{Move: true}) },
			[]string{"pending", "pending", "applying", "applying"}},
		{"failed", marks{"h1": HunkApplied, "h2": HunkApplied}, FilePending, func(p *Progress) { p.MarkFile(1, "a", FileFailed, "") },
			[]string{"applied", "failed", "failed", "failed"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &Revision{
				Number:     1,
				Operations: []Operation{{ID: "o1"}, {ID: "o2"}, {ID: "o3"}, {ID: "o4"}},
				Changes: []Change{{
					Path: "a", NewPath: "b", Action: Rename, Operations: []string{"o1", "o2", "o3", "o4"}, MovedBy: []string{"o3"},
					Hunks: []Hunk{{ID: "h1", Operations: []string{"o1"}}, {ID: "h2", Operations: []string{"o1", "o2"}}, {ID: "h3", Operations: []string{"o2"}}},
				}},
			}
			p := &Plan{}
			for id, s := range tt.marks {
				p.Progress.MarkHunk(id, s, "")
			}
			if tt.move != FilePending {
				p.Progress.MarkFile(1, "a", tt.move, "")
			}
			if tt.file != nil {
				tt.file(&p.Progress)
			}
			if got := p.Operations(r); !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// TestMakersAreThoseOfTheChangeUnlessTheyAreNamed also covers plans stored before hunks
// had their operations.
func TestMakersAreThoseOfTheChangeUnlessTheyAreNamed(t *testing.T) {
	c := Change{Action: Rename, Operations: []string{"o1", "o2"}, Hunks: []Hunk{{ID: "h1"}, {ID: "h2", Operations: []string{"o2"}}}}
	got := [][]string{c.MakersOf(&c.Hunks[0]), c.MakersOf(&c.Hunks[1]), c.Movers()}
	c.MovedBy = []string{"o1"}
	got = append(got, c.Movers())
	c.Action = Update
	got = append(got, c.Movers())
	if diff := cmp.Diff([][]string{{"o1", "o2"}, {"o2"}, {"o1", "o2"}, {"o1"}, nil}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCloneIsIndependent(t *testing.T) {
	p, r := twoFiles()
	mark(p, HunkApplied, "h1", "move", "make")
	before := p.Clone()
	c := p.Clone()
	c.Progress.MarkHunk("h2", HunkApplied, "")
	c.Progress.MarkFile(1, "a", FileFailed, "")
	c.Progress.MarkCommand("o9", CommandMark{})
	c.Add(Revision{}, func(Blob) string { return "" })
	if diff := cmp.Diff(before, p); diff != "" {
		t.Errorf("the original changed:\n%s", diff)
	}
	if r != p.Latest() || c.Current != 2 {
		t.Error("the clone shares the list of revisions")
	}
}
