// Package agent turns a user's message into a plan of buffered edits, and an
// approved plan into edits that the user's editor makes.
//
// It owns the conversations, the turns that run in them and the life of every
// plan. It reads the user's files through package workspace, talks to a model
// through package model, keeps what must not be lost in package store, and
// changes files only through an editor ([redline/agent/editor.Editor]). It knows nothing of LSP.
package agent
