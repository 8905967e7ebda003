// Package turn takes messages to answers and plans. A message is routed (route.go), and each
// route is a file: route_tools.go, route_text.go and so on. Most ask a model, let it work with
// its tools on a draft, and make a revision of a plan of what it has staged. Slash commands
// need no model.
package turn
