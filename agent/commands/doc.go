// Package commands is about command lines, as values: it runs nothing and reads no files. [Rules]
// say whether the user's own rules allow a command without asking or deny it; they see its words
// as a shell does, never the string. [Observe] says how a command ended, and [Conclude] whether its
// plan continues. [Excerpt] shortens an output to its most useful parts: the beginning, the end
// and the lines around failures.
package commands
