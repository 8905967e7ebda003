package brief

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
)

// target is what a mention refers to.
type target struct {
	mention mention
	folder  string // a folder's path, "" for none
	parts   []part // a file, or declarations of a symbol
	more    int    // number of further declarations of the symbol
}

// part is a range of lines of a file.
type part struct {
	path        string
	what        string // the symbol that it declares, "" for the file
	first, last int    // lines from 1; 0: the whole file
}

// resolve finds what the mentions refer to: a file or folder with that name, else the only file
// whose path ends with the name, else a symbol. It finds secret files only by their full name,
// since only then has the user named them.
func (g *gatherer) resolve(mentions []mention) []target {
	if len(mentions) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(g.ctx, g.limits.Symbols)
	defer cancel()
	var found []target
	for i, m := range mentions {
		if i == maxMentions {
			g.omit(Omission{What: fmt.Sprintf("%d more mentions", len(mentions)-i), Why: fmt.Sprintf("at most %d count", maxMentions), Asked: true})
			break
		}
		if t, ok := g.byName(m); ok {
			found = append(found, t)
			continue
		}
		t, why := g.bySearch(ctx, m)
		if why != "" {
			g.omit(Omission{What: m.written, Why: why, Asked: true})
			continue
		}
		found = append(found, t)
	}
	return found
}

// byName finds a file or folder by its path.
func (g *gatherer) byName(m mention) (target, bool) {
	clean, err := g.files.Clean(m.name)
	if err != nil {
		return target{}, false
	}
	if g.exists(clean) {
		return target{mention: m, parts: []part{{path: clean, first: m.first, last: m.last}}}, true
	}
	exists, isDir, err := g.files.Stat(clean)
	if err != nil || !exists || !isDir {
		return target{}, false
	}
	return target{mention: m, folder: clean}, true
}

// bySearch finds a file by the end of its path, or a symbol. why says why it found nothing.
func (g *gatherer) bySearch(ctx context.Context, m mention) (t target, why string) {
	if fileLike(m.name) {
		paths, left, err := g.files.List(ctx, "", "**/"+globEscape(strings.TrimPrefix(m.name, "./")), g.overlay, 5)
		switch {
		case err == nil && len(paths) == 1 && left == 0 && g.hidden(paths[0]):
			return target{}, paths[0] + " may hold secrets and is shown only if you name it in full"
		case err == nil && len(paths) == 1 && left == 0:
			return target{mention: m, parts: []part{{path: paths[0], first: m.first, last: m.last}}}, ""
		case err == nil && len(paths) > 1:
			return target{}, fmt.Sprintf("%d files are called so, among them %s", len(paths)+left, strings.Join(paths[:2], " and "))
		}
	}
	if symbolForm().MatchString(m.name) && m.first == 0 {
		places := g.findSymbol(ctx, m.name)
		if len(places) > 0 {
			shown := places[:min(len(places), maxPlaces)]
			return target{mention: m, parts: shown, more: len(places) - len(shown)}, ""
		}
	}
	if ctx.Err() != nil {
		return target{}, "it was not found in the time that there is to look for it"
	}
	return target{}, "no file or symbol is called so"
}

// fileLike reports whether a name may be the end of a file's path.
func fileLike(name string) bool {
	base := path.Base(name)
	return strings.Contains(name, "/") || strings.Contains(base, ".") || strings.EqualFold(base, "Makefile") || strings.EqualFold(base, "Dockerfile")
}

// globEscape returns a glob that matches only name.
func globEscape(name string) string {
	return strings.NewReplacer(`\`, "/", "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`).Replace(name)
}

// showMentions adds the targets of the mentions, each in an equal share of the room without
// keep.
func (g *gatherer) showMentions(found []target, keep int) {
	parts := 0
	for _, t := range found {
		parts += max(1, len(t.parts))
	}
	for _, t := range found {
		if t.folder != "" {
			g.showFolder(t, max(0, g.room-keep)/parts)
			parts--
		}
		for _, p := range t.parts {
			g.showPart(t.mention, p, max(0, g.room-keep)/parts)
			parts--
		}
		if t.more > 0 {
			g.omit(Omission{What: t.mention.written, Why: fmt.Sprintf("%d more places declare it", t.more), Asked: true})
		}
	}
}

// showFolder adds the list of the files of a folder.
func (g *gatherer) showFolder(t target, room int) {
	paths, left, err := g.files.List(g.ctx, t.folder, "", g.overlay, 200)
	if err != nil {
		g.omit(Omission{What: t.mention.written, Why: err.Error(), Asked: true})
		return
	}
	for i, p := range paths {
		paths[i] = shown(p)
	}
	text, lines, whole := g.fit(strings.Join(paths, "\n"), room)
	if lines > 0 {
		g.add("mentioned: the files below "+shown(t.folder)+":", text)
	}
	if !whole || left > 0 || len(paths) == 0 {
		why := fmt.Sprintf("%d of its %d files are not listed; use list_files", len(paths)-lines+left, len(paths)+left)
		if len(paths) == 0 {
			why = "there is no file in it that is shown"
			if n, _, err := g.files.Ignored(g.ctx, t.folder); err == nil && n > 0 {
				why = "Git ignores all that is in it; name a file to have it shown"
			}
		}
		g.omit(Omission{What: t.mention.written, Why: why, Asked: true, Room: !whole})
	}
}

// showPart adds a file, or the mentioned lines of it.
func (g *gatherer) showPart(m mention, p part, room int) {
	refuse := func(why string, roomy bool) {
		g.omit(Omission{What: m.written, Why: why, Asked: true, Room: roomy})
	}
	text, exists, err := g.draft.Read(p.path)
	switch {
	case err != nil:
		refuse(err.Error(), false)
		return
	case !exists:
		refuse(p.path+" does not exist any more", false)
		return
	}
	lines := slices.Collect(strings.Lines(text))
	first, last := max(p.first, 1), len(lines)
	if p.first > 0 {
		last = min(max(p.last, p.first), len(lines))
	}
	if first > len(lines) && p.first > 0 {
		refuse(fmt.Sprintf("%s has only %d lines", p.path, len(lines)), false)
		return
	}
	body, taken, whole := g.fit(strings.Join(lines[first-1:last], ""), room)
	label := "mentioned: " + shown(p.path)
	if p.what != "" {
		label += ", " + shown(p.what)
	}
	if taken > 0 && (first > 1 || first+taken-1 < len(lines)) {
		label += fmt.Sprintf(", lines %d-%d of %d", first, first+taken-1, len(lines))
	}
	switch {
	case len(lines) == 0:
		g.add(label+" (empty)", "")
	case taken > 0:
		g.add(label+":", body)
	}
	if !whole {
		refuse(fmt.Sprintf("lines %d-%d of %s have no room; use read_file", first+taken, last, p.path), true)
	}
}

// byPlace orders places by path and line.
func byPlace(a, b part) int {
	return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.first, b.first))
}
