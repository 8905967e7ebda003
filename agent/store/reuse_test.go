package store

import (
	"fmt"
	"testing"
	"time"
)

func TestReuse(t *testing.T) {
	s := newStore(t)
	at := now
	keep := func(key string, plan int) {
		t.Helper()
		at = at.Add(time.Second)
		s.SaveReuse(ws, Reuse{Key: key, Plan: plan, Kept: at, Record: fmt.Sprintf(`{"plan":%d}`, plan)})
		if err := s.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	planOf := func(workspace, key string, when time.Time) int {
		t.Helper()
		r, ok, err := s.Reusable(t.Context(), workspace, key, when)
		if err != nil || ok != (r.Plan != 0) || ok && r.Record != fmt.Sprintf(`{"plan":%d}`, r.Plan) {
			t.Fatalf("%+v, %v, %v", r, ok, err)
		}
		return r.Plan
	}
	keep("k", 1)
	keep("k", 2)
	for _, test := range []struct {
		workspace, key string
		when           time.Time
		want           int
	}{
		{ws, "k", at, 2},
		{ws, "l", at, 0},
		{ws + "/other", "k", at, 0},
		{ws, "k", at.Add(reuseFor), 2},
		{ws, "k", at.Add(reuseFor + time.Second), 0},
	} {
		if got := planOf(test.workspace, test.key, test.when); got != test.want {
			t.Errorf("%+v: plan %d", test, got)
		}
	}
	for i := range keepReuse {
		keep(fmt.Sprint(i), 3)
	}
	if planOf(ws, "k", at) != 0 || planOf(ws, "0", at) != 3 {
		t.Error("the oldest has not gone, or more than that")
	}
}
