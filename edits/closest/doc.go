// Package closest finds the place of a text that is most like a text that is not
// in it. It serves messages only: no edit is ever made there.
package closest
