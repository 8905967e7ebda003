package draft_test

import (
	"strings"
	"testing"

	"redline/agent/draft"
	"redline/agent/plan"
)

const shop = "import os\n\nfunc Total(a, b int) int {\n\tsum := a\n\tsum -= b\n\treturn sum\n}\n\nfunc Print() {\n\tshow(Total(1, 2))\n}\n"

// TestWhatMakesARefusedCallGood checks which later calls make a refused one good. Each is a later
// reply, except where the table says otherwise.
func TestWhatMakesARefusedCallGood(t *testing.T) {
	replaces := func(old, new string) draft.Undone {
		return draft.Undone{Refused: plan.Refused{Path: "a", Tool: "edit_file"}, Texts: []draft.Text{{Old: old, New: new}}}
	}
	sum := replaces("\tsum =- b", "\tsum += b")
	for _, test := range []struct {
		name  string
		call  draft.Undone
		same  string   // in the same reply
		later []string // in later replies
		left  bool
	}{
		{"nothing", sum, "", nil, true},
		{"the same text", sum, "", []string{"edit a|\tsum -= b|\tsum += b"}, false},
		{"the same text in the same reply is there", sum, "edit a|\tsum -= b|\tsum += b", nil, false},
		{"another place", sum, "", []string{"edit a|import os|import io"}, true},
		{"another place in the same reply", sum, "edit a|import os|import io", nil, true},
		{"another place, then this one", sum, "", []string{"edit a|import os|import io", "edit a|sum -= b|sum += b"}, false},
		{"another file", sum, "", []string{"write b|\tsum += b"}, true},
		{"a command", sum, "", []string{"run make"}, true},
		{"the same change of another line", replaces("func Totl(", "func Sum("), "", []string{"edit a|show(Total(|show(Sum("}, true},
		{"another name, the same change", replaces("\ttotal -= b", "\ttotal += b"), "", []string{"edit a|\tsum -= b|\tsum += b"}, false},
		{"a longer line", replaces("func Totl(a int)", "func Sum(a int)"), "", []string{"edit a|func Total(a, b int) int {|func Sum(a, b int) int {"}, false},
		{"half of it", replaces("x", "one := 1\ntwo := 2\nthree := 3\n"), "", []string{"edit a|import os|one := 1\ntwo := 2"}, false},
		{"a third of it", replaces("x", "one := 1\ntwo := 2\nthree := 3\n"), "", []string{"edit a|import os|one := 1"}, true},
		{"a removal", replaces("\tsum := a\n\tsum =- b\n", "\n"), "", []string{"edit a|\tsum -= b\n|"}, false},
		{"a removal elsewhere", replaces("\tsum =- b\n", "\n"), "", []string{"edit a|import os\n|"}, true},
		{"only spaces", replaces("sum := a", "  sum := a"), "", []string{"edit a|import os|import io"}, false},
		{"the file anew", sum, "", []string{"write a|package b\n\nfunc Nothing() {}\n"}, false},
		{"the file is deleted", sum, "", []string{"delete a"}, false},
		{"the file is moved", sum, "", []string{"rename a|z"}, true},
		{"the file is moved, then changed", sum, "", []string{"rename a|z", "edit z|sum -= b|sum += b"}, false},
		{"a deletion", draft.Undone{Refused: plan.Refused{Path: "a"}, Deletes: true}, "", []string{"edit a|import os|import io"}, true},
		{"a deletion, and it is moved", draft.Undone{Refused: plan.Refused{Path: "a"}, Deletes: true}, "", []string{"rename a|z"}, false},
		{"a move", draft.Undone{Refused: plan.Refused{Path: "a"}, NewPath: "b"}, "", []string{"write b|text"}, false},
		{"a move, and the file is changed", draft.Undone{Refused: plan.Refused{Path: "a"}, NewPath: "b"}, "", []string{"edit a|import os|import io"}, true},
		{"a call that cannot be read", draft.Undone{Refused: plan.Refused{Path: "a"}}, "", []string{"edit a|import os|import io"}, false},
		{"a patch that cannot be read", draft.Undone{Refused: plan.Refused{Path: "a"}, Texts: []draft.Text{{New: "\tsum -= b\n\tsum += b\n", Either: true}}}, "", []string{"edit a|sum -= b|sum += b"}, false},
		{"a patch that cannot be read, and another place", draft.Undone{Refused: plan.Refused{Path: "a"}, Texts: []draft.Text{{New: "\tsum -= b\n\tsum += b\n", Either: true}}}, "", []string{"edit a|import os|import io"}, true},
		{"a text without a file", draft.Undone{Texts: []draft.Text{{Old: "x", New: "\tsum += b\n"}}}, "", []string{"edit a|sum -= b|sum += b"}, false},
		{"a text without a file, and another place", draft.Undone{Texts: []draft.Text{{Old: "x", New: "\tsum += b\n"}}}, "", []string{"edit a|import os|import io"}, true},
		{"so already", replaces("func Sum(a, b int)", "func Total(a, b int)"), "", nil, false},
		{"so by chance", replaces("func Sum(a, b int)", "}"), "", nil, true},
	} {
		t.Run(strings.ReplaceAll(test.name, " ", "-"), func(t *testing.T) {
			d := draft.New(memory{"a": shop})
			if _, _, err := d.Read("a"); err != nil {
				t.Fatal(err)
			}
			d.Refuse(test.call)
			if test.same != "" {
				if err := do(t, d, test.same); err != nil {
					t.Fatal(err)
				}
			}
			for _, line := range test.later {
				d.Told()
				if err := do(t, d, line); err != nil {
					t.Fatalf("%s: %v", line, err)
				}
			}
			if left := d.Refused(true); (len(left) > 0) != test.left {
				t.Errorf("refused: %v, want it left: %v", left, test.left)
			}
		})
	}
}

// TestARefusalIsRepeated checks that a second attempt that is refused too takes the place of the
// first, and that another edit of the file does not.
func TestARefusalIsRepeated(t *testing.T) {
	refused := func(why, new string) draft.Undone {
		return draft.Undone{Refused: plan.Refused{Path: "a", Reason: why, Tool: "edit_file"}, Texts: []draft.Text{{Old: "nowhere", New: new}}}
	}
	reasons := func(d *draft.Draft) (all string) {
		for _, r := range d.Refused(true) {
			all += r.Reason
		}
		return all
	}
	d := draft.New(memory{"a": shop})
	d.Refuse(refused("1", "sum += b"), refused("2", "import io"))
	if got := reasons(d); got != "12" {
		t.Errorf("of one reply: %q", got)
	}
	d.Told()
	d.Refuse(refused("3", "\tsum += b"))
	if got := reasons(d); got != "23" {
		t.Errorf("repeated: %q", got)
	}
	if got := len(d.Unread()); got != 1 {
		t.Errorf("%d are unread", got)
	}
	for range 500 {
		d.Refuse(draft.Undone{Refused: plan.Refused{Reason: strings.Repeat("x", len(d.Refused(true))), Tool: "run_command"}})
	}
	if n := len(d.Refused(true)); n > 200 {
		t.Errorf("%d refusals are kept", n)
	}
}

// TestOneOfTwoPartsIsMadeGood checks that what is left of a refused call of several texts is named,
// also after a question to the user.
func TestOneOfTwoPartsIsMadeGood(t *testing.T) {
	d := draft.New(memory{"a": shop})
	d.Refuse(draft.Undone{Refused: plan.Refused{Path: "a", Reason: "no", Tool: "apply_patch"}, Texts: []draft.Text{
		{Old: "import os\n", New: "import io\n"}, {Old: "\tsum =- b\n", New: "\tsum += b\n"},
	}})
	d.Told()
	if err := do(t, d, "edit a|import os|import io"); err != nil {
		t.Fatal(err)
	}
	const want = `a part of it was not sent again, the change of "sum =- b"`
	if left := d.Refused(true); len(left) != 1 || left[0].Reason != want {
		t.Errorf("refused: %v", left)
	}
	again, lost, err := draft.Unpark(memory{"a": shop}, d.Park(), func(w draft.Reader) (*draft.Draft, error) { return draft.New(w), nil },
		func(d *draft.Draft, o plan.Operation) ([]draft.Staged, error) {
			return []draft.Staged{}, do(t, d, "edit a|import os|import io")
		})
	if left := again.Refused(true); err != nil || len(lost) > 0 || len(left) != 1 || left[0].Reason != want {
		t.Fatalf("after a question: %v, lost %v, %v", left, lost, err)
	}
	again.Told()
	if err := do(t, again, "edit a|sum -= b|sum += b"); err != nil {
		t.Fatal(err)
	}
	if left := again.Refused(true); left != nil {
		t.Errorf("refused: %v", left)
	}
}
