// Package lsp is the language server: protocol in, presentation out. It feeds
// the workspace with what the editor reports, hands messages and decisions to
// the agent, shows the agent's plans with what the protocol offers, and builds
// the workspace edits that carry them out. It decides nothing, and everything
// it shows can be rebuilt from the agent's state at any moment.
//
// Notifications, and the first part of each request, run in wire order on the
// connection's read loop; whatever takes time runs off it.
package lsp
