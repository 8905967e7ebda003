// Package match finds the one place in a text that an edit means, as a model
// quotes it, and makes the edit there. Where there is no such place, or there
// are several, it refuses with a message that the model can act on.
package match
