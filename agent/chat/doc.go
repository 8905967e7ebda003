// Package chat is how a user speaks to Redline in text: comments in code that
// ask for a change, the chat file, and slash commands. All of it are pure
// functions on text.
package chat
