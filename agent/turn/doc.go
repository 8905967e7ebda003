// Package turn takes messages to answers and plans. [Turns] is what others call; a running turn
// is a work. From the top down:
//
//	send.go                         takes a message, a slash command or feedback, and queues it
//	turn.go                         runs a turn: chooses its route, calls the route's handler
//	route.go                        chooses the route
//	route_*.go                      a handler for each route
//	stepwise*.go                    stages while the user decides
//	request.go, memory.go           what a model gets
//	converse.go                     its work with tools
//	question.go, continue.go        end a turn with a question, continue it with the answer
//	conclude.go                     ends a turn: makes a revision, remembers what was said
//	revision_open.go, revisions.go  open, make and store revisions of plans
//	chat_answer.go                  writes the answer into the chat file
//
// Most calls go down this list. These go up: the approval of a plan in words begins a turn
// (ApproveWords), a continued turn calls the handler that asked, a turn that ends without
// operations may make a plan in words (conclude), and what a model gets depends on the question
// that a turn continues after.
package turn
