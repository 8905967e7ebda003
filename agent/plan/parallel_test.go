package plan

import (
	"fmt"
	"strings"
	"testing"
)

// parallelOf returns a revision of commands, each in a step of its own: "s1" alone, "s2p" in
// parallel, "s3p<s1" in parallel and after s1. "edit" is an edit.
func parallelOf(words string) *Revision {
	r := &Revision{Number: 1}
	for i, word := range strings.Fields(words) {
		o := Operation{ID: fmt.Sprintf("o%d", i+1), Command: "true", Tool: "run_command"}
		if word == "edit" {
			o.Command, o.Path, o.Tool = "", fmt.Sprintf("f%d", i), "write_file"
		} else {
			name, after, _ := strings.Cut(word, "<")
			s := Step{ID: strings.TrimSuffix(name, "p"), Parallel: strings.HasSuffix(name, "p")}
			if after != "" {
				s.DependsOn = []string{after}
			}
			if _, known := r.Step(s.ID); !known {
				r.Steps = append(r.Steps, s)
			}
			o.Step = s.ID
		}
		r.Operations = append(r.Operations, o)
	}
	return r
}

func TestParallel(t *testing.T) {
	for words, want := range map[string]string{
		"s1 s2":                  "[]",
		"s1p s2":                 "[]", // alone
		"s1p s2p":                "[[o1 o2]]",
		"s1p s1p":                "[[o1 o2]]", // of one step
		"s1 s2p s3p s4 s5p s6p":  "[[o2 o3] [o5 o6]]",
		"s1p edit s2p":           "[]",
		"edit s1p s2p edit s3p":  "[[o2 o3]]",
		"s1p s2p<s1 s3p":         "[[o2 o3]]", // s2 begins after s1
		"s1p s2<s1 s3p<s2 s4p":   "[[o3 o4]]",
		"s1p s2p s3p<s1 s4p<nil": "[[o1 o2] [o3 o4]]",
	} {
		if got := fmt.Sprint(parallelOf(words).Parallel()); got != want {
			t.Errorf("%s: %s, want %s", words, got, want)
		}
	}
}

// What runs at the same time is bound by the approval. The hash of a plan that says nothing of it
// is the one that it had before there was such a thing.
func TestTheApprovalHashCoversWhatRunsAtTheSameTime(t *testing.T) {
	one, both := parallelOf("s1 s2"), parallelOf("s1p s2p")
	if ApprovalHash(1, one) == ApprovalHash(1, both) {
		t.Error("the hash does not cover it")
	}
	if alone := parallelOf("s1p s2"); ApprovalHash(1, one) != ApprovalHash(1, alone) {
		t.Error("a step that is parallel to none has another hash")
	}
	if got := ApprovalHash(1, one); got != "sha256:1bde4ce0c390e58696f91cdad7d210e10caac5bd2f0752b0775fea899ed4e4d6" {
		t.Errorf("the hash is %s", got)
	}
}

// Commands that run at the same time come after what is before them, and the next after them.
func TestDependenciesOfWhatRunsAtTheSameTime(t *testing.T) {
	d := parallelOf("edit s1 s2p s3p s4p s5").Dependencies()
	for id, want := range map[string]string{"o2": "[o1]", "o3": "[o2]", "o4": "[o2]", "o5": "[o2]", "o6": "[o3 o4 o5]"} {
		if got := fmt.Sprint(d.Of(id)); got != want {
			t.Errorf("%s comes after %s, want %s", id, got, want)
		}
	}
}
