// Package chat has the forms in which a user writes to Redline: comments in code that ask for a
// change, the chat file, and slash commands. All its functions are pure functions of texts.
package chat
