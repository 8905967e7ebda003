package chat

import (
	"strconv"

	"redline/edits"
	"redline/internal/lazyregexp"
)

// Link is a place in a text that may be a link: to a plan, to one of Redline's own pages, or
// to a file if one of that name exists.
type Link struct {
	Span edits.Span // the text to underline
	Plan int        // the number of a plan, 0 for none
	Page string     // the name of a preview among Redline's own files, "" for none
	Path string     // possibly the path of a file, "" for none
}

var (
	pageForm = lazyregexp.New(`plans/[0-9]{4,9}-r[1-9][0-9]{0,8}\.md`)
	planForm = lazyregexp.New(`(?i)\bplan ([1-9][0-9]{0,8})\b`)
	pathForm = lazyregexp.New("`([^`\\s]+)`|(?:^|[\\s(\\[{,;:])@(?:\"([^\"\r\n]+)\"|([^\\s\"'“”‘’`<>()\\[\\]{},;|*@]*[^\\s\"'“”‘’`<>()\\[\\]{},;|*@.:!?]))")
)

// Links returns the places in a text that may be links: at most limit of each kind, sorted by
// kind.
func Links(text string, limit int) []Link {
	var links []Link
	for _, at := range pageForm().FindAllStringIndex(text, limit) {
		links = append(links, Link{Span: edits.Span{Start: at[0], End: at[1]}, Page: text[at[0]:at[1]]})
	}
	for _, at := range planForm().FindAllStringSubmatchIndex(text, limit) {
		n, _ := strconv.Atoi(text[at[2]:at[3]]) // at most nine digits
		links = append(links, Link{Span: edits.Span{Start: at[0], End: at[1]}, Plan: n})
	}
	for _, at := range pathForm().FindAllStringSubmatchIndex(text, limit) {
		for group := 2; group < len(at); group += 2 {
			if at[group] >= 0 {
				links = append(links, Link{Span: edits.Span{Start: at[group], End: at[group+1]}, Path: text[at[group]:at[group+1]]})
			}
		}
	}
	return links
}
