// Package match finds the one place in a text that a model's edit quotes, and makes the
// edit there. If there is no such place, or there are several, it refuses with a message
// that the model can act on.
//
// Models copy text badly. So [Find] searches in steps, each more forgiving (tolerance.go):
// nothing (exact), line ends and the spaces before them, indentation by a shift or in another
// unit, and look-alikes. The first step that finds anything decides: it must find one place,
// unless [Where] asks for others. [Replace] then makes only the difference between the old text
// and the new one, see package adapt. The name of the step is shown with the hunk.
package match
