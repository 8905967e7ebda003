// Package adapt makes a new text fit the place where an old one was found. What
// differs between the old text and the place (indentation and its unit, line
// ends, look-alikes) stays as it is in the place.
package adapt
