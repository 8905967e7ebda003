package chat

// Approvals are the phrases that approve.
var Approvals = approvals
