// Package lsp is the language server: protocol in, presentation out. Each LSP method has a file
// here. It updates the workspace with what the editor reports, passes messages and decisions
// to the agent, and shows the agent's plans. The work is done in the packages below: commands
// in lsp/command, the agent's events in lsp/present, changes of files in lsp/apply. It decides
// nothing, and all that it shows can be made again from the agent's state.
//
// Notifications, and the first part of each request, run in wire order on the connection's
// read loop; whatever takes time runs off it.
package lsp
