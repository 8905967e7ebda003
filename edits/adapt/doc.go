// Package adapt fits a new text to the place where an old one was found. Where the old
// text and the place differ (in indentation and its unit, line ends, look-alikes), the
// form of the place stays.
package adapt
