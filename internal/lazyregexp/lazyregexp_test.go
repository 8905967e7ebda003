package lazyregexp

import "testing"

func TestNew(t *testing.T) {
	word := New(`^\w+$`)
	if !word().MatchString("one") || word().MatchString("two words") {
		t.Error("the expression is another")
	}
	if first, second := word(), word(); first != second {
		t.Error("it is compiled more than once")
	}
}

// A package with an invalid expression cannot be tested: its test binary panics at start.
func TestWrongExpressionIsFoundByTests(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a wrong expression went unnoticed")
		}
	}()
	New(`(`)
}
