// Package turn takes messages to answers and plans. [Turns] is what others call; a running turn
// is a work. From the top down:
//
//	send.go, rework.go, apart.go    take a message, a slash command or feedback, and queue it
//	turn.go                         runs a turn: chooses its route, calls the route's handler
//	router.go, classify.go          choose the route
//	route_*.go                      a handler for each route
//	stepwise*.go                    stages while the user decides
//	converse.go, user_message.go    what a model gets, and its work with tools
//	question.go, continue.go        end a turn with a question, continue it with the answer
//	conclude.go, memory.go          make a revision, remember what was said
//	revision*.go                    open, make and store revisions of plans
//
// Most calls go down this list. These go up: the approval of a plan in words begins a turn
// (ApproveWords), a continued turn calls the handler that asked, a turn that ends without
// operations may make a plan in words (conclude), and what a model gets depends on the question
// that a turn continues after.
package turn
