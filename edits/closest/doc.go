// Package closest finds the place in a text that is most like a missing text. It only
// serves messages: no edit is ever made there.
package closest
