package chat_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"redline/agent/chat"
	"redline/internal/pagetest"
)

var update = flag.Bool("update", false, "rewrite the pages that are made of the code")

// routeOf maps the ways of testdata/messages.txt to routes.
var routeOf = map[string]chat.Route{
	"approve": chat.Proceed, "waits": chat.Proceed, "show": chat.Render, "plan": chat.Text, "off": chat.OffTopic, "work": chat.Tools,
}

// tally is how the words have sorted messages of one kind.
type tally struct {
	all   int
	words int // the words alone have found the way
	left  int // the words have left it to the first request of the turn
	wrong []string
}

// add counts how the words sort a message of a way, in a conversation where a plan waits.
func (n *tally) add(way, text string) {
	in := chat.Situation{Revisions: true, Waiting: true}
	flags, _ := chat.RulesIn(text, in)
	route, _ := chat.ChooseRoute(flags, in)
	n.all++
	switch {
	case chat.Approves(text) != (way == "approve"):
		n.wrong = append(n.wrong, text)
	case route == routeOf[way]:
		n.words++
	case route == chat.Tools:
		n.left++
	default:
		n.wrong = append(n.wrong, text)
	}
}

// The words of a message decide its way, or leave it to the turn's first request; they never choose
// a wrong one. Only what is exactly a phrase that approves approves.
func TestMessagesPage(t *testing.T) {
	languages, ways := map[string]*tally{}, map[string]*tally{}
	var order []string
	count := func(of map[string]*tally, key, way, text string) {
		if of[key] == nil {
			of[key] = &tally{}
			order = append(order, key)
		}
		of[key].add(way, text)
	}
	earlier := map[string]*tally{}
	for _, text := range messages(t, "goes-on.txt") {
		count(earlier, "earlier", "waits", text)
	}
	for _, text := range messages(t, "near-misses.txt") {
		count(earlier, "earlier", "work", text)
	}
	order = nil
	for _, line := range messages(t, "messages.txt") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		part := strings.SplitN(line, "\t", 3)
		if len(part) != 3 || routeOf[part[1]] == "" {
			t.Fatalf("a line is not a language, a way and a message: %q", line)
		}
		count(languages, part[0], part[1], part[2])
	}
	langs := order
	order = nil
	for _, line := range messages(t, "messages.txt") {
		if part := strings.SplitN(line, "\t", 3); len(part) == 3 {
			count(ways, part[1], part[1], part[2])
		}
	}
	var table strings.Builder
	row := func(name string, n *tally) {
		fmt.Fprintf(&table, "| %s | %d | %d | %d | %d |\n", name, n.all, n.words, n.left, len(n.wrong))
		for _, text := range n.wrong {
			t.Errorf("%s: %q takes a wrong way", name, text)
		}
	}
	table.WriteString("| messages | all | decided by words | left to the first request | wrong |\n| --- | --- | --- | --- | --- |\n")
	row("those of other tests", earlier["earlier"])
	total := &tally{}
	for _, lang := range langs {
		n := languages[lang]
		total.all, total.words, total.left, total.wrong = total.all+n.all, total.words+n.words, total.left+n.left, append(total.wrong, n.wrong...)
		row("`"+lang+"`", n)
	}
	row("in twelve languages together", total)
	for _, way := range order {
		row("the way `"+way+"`", ways[way])
	}
	if len(langs) != 12 || total.all != 200 {
		t.Errorf("there are %d messages in %d languages", total.all, len(langs))
	}
	pagetest.Part(t, "docs/reference/classification.md", "messages", table.String(), *update)
}
