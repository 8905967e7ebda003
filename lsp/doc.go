// Package lsp is the language server: protocol in, presentation out. The handler of each
// LSP method is here. It updates the workspace with what the editor reports, passes messages and decisions
// to the agent, and shows the agent's plans. The packages below do the work: lsp/command runs
// the commands, lsp/present shows the agent's events, lsp/apply changes files. Package lsp
// decides nothing, and everything it shows can be made again from the agent's state.
//
// Notifications, and the first part of each request, run in wire order on the connection's
// read loop; whatever takes time runs off it.
package lsp
