package workspace

import (
	"path"
	"strings"

	"redline/edits"
	"redline/edits/charset"
)

// CharsetRule names the charset of files. A file that is UTF-8 stays UTF-8; a rule is about those
// that are not, about those that have only ASCII so far, and about new ones.
type CharsetRule struct {
	Glob    string // of paths, or of names if it has no slash
	Charset charset.Charset
}

func (r CharsetRule) matches(rel string) bool {
	if strings.Contains(r.Glob, "/") {
		return MatchGlob(strings.TrimPrefix(r.Glob, "/"), rel)
	}
	return MatchGlob(r.Glob, path.Base(rel))
}

// content is what the bytes of a file hold.
type content struct {
	text    string // without a byte order mark
	bom     bool
	charset charset.Charset
}

// decode returns what data, the bytes of the file at path, holds, or why it is no text that can be
// edited. It never guesses a charset, and [files.encode] makes the same bytes of the result.
func (d *files) decode(path string, data []byte) (is content, why string) {
	if why = notText(data); why == "" {
		is.text, is.bom = edits.CutBOM(string(data))
		return is, ""
	}
	if is.charset = charset.ByMark(data); is.charset == charset.UTF8 {
		is.charset = d.ruled(path)
	}
	text, ok := is.charset.Decode(data)
	if !ok || strings.IndexByte(text, 0) >= 0 {
		return content{}, why
	}
	is.text, is.bom = edits.CutBOM(text)
	return is, ""
}

// encode returns the bytes of a file at path that holds a text. It refuses a text that the charset
// does not have, and one that would be read there as another text.
func (d *files) encode(path string, is content) (string, error) {
	text := marked(is.bom) + is.text
	if is.charset == charset.UTF8 {
		return text, nil
	}
	data, err := is.charset.Encode(text)
	if err != nil {
		return "", refuse(path, "cannot hold that text: %s; write it in other characters, or ask the user to convert the file to UTF-8", err)
	}
	if again, why := d.decode(path, data); why != "" || again.text != is.text || again.bom != is.bom {
		return "", refuse(path, "cannot be written in %s, since it would be read there as another text; ask the user to name its charset in .editorconfig", is.charset)
	}
	return string(data), nil
}

// toWrite returns the bytes of the file that l describes with another text instead of base, and
// notes its charset in l. A file that is empty, or has ASCII only, takes the charset that [files.added]
// names.
func (d *files) toWrite(path, base, text string, l *like) (string, error) {
	if l.charset == charset.UTF8 && !l.bom && (base == "" || charset.ASCII(base) && !charset.ASCII(text)) {
		c := d.added(path)
		if l.asked != nil {
			c = *l.asked
		}
		if !c.IsUTF16() || base == "" {
			l.charset = c
		}
	}
	return d.encode(path, content{text, l.bom, l.charset})
}

// added returns the charset of characters beyond ASCII that come into the file at path, which has none: the one that it
// had when Redline took the last of them out, so that an undo writes the same bytes, or else the one that a rule names.
func (d *files) added(path string) charset.Charset {
	if c, ok := d.had.Load(path); ok {
		return c.(charset.Charset)
	}
	return d.rule(path)
}

// noteCharset notes the charset that a file had in which a text was just written that does not show it.
func (d *files) noteCharset(path, base, text string, c charset.Charset) {
	if !charset.ASCII(base) && charset.ASCII(text) {
		d.had.Store(path, c)
	}
}

// toWriteNew returns the bytes of a new file, and notes its charset in l. Without a byte order
// mark it takes the charset that a rule names; in UTF-16 it gets a mark.
func (d *files) toWriteNew(path, text string, l *like) (string, error) {
	if !l.restored && !l.bom {
		if l.charset = d.rule(path); l.asked != nil {
			l.charset = *l.asked
		}
		l.bom = l.charset.IsUTF16()
	}
	return d.encode(path, content{text, l.bom, l.charset})
}

// Holds refuses a text that could not be written at path into the file that is now at from; from is
// "" for a new file. The error is a [*Refusal].
func (d *files) Holds(from, path, text string) error {
	l := like{}
	if from == "" {
		_, err := d.toWriteNew(path, text, &l)
		return err
	}
	f, err := d.saved(from, d.LimitOf(from))
	if err != nil {
		return nil // only an editor has it as a text, and writes it
	}
	l.bom, l.charset = f.BOM, f.Charset
	_, err = d.toWrite(path, f.Text, text, &l)
	return err
}

// WrittenIn returns the charset of a text that is to be written at path into the file that is now at
// from; from is "" for a new file.
func (d *files) WrittenIn(from, path, text string) charset.Charset {
	l := like{}
	if from == "" {
		d.toWriteNew(path, text, &l)
	} else if f, err := d.saved(from, d.LimitOf(from)); err == nil {
		l.bom, l.charset = f.BOM, f.Charset
		d.toWrite(path, f.Text, text, &l)
	}
	return l.charset
}

// Content returns the bytes that the file at path would have with another text: in its charset,
// and with its byte order mark or the one that a new file is to have. What the charset does not
// have makes it UTF-8.
func (d *files) Content(path, text string, bom bool) []byte {
	l := like{bom: bom}
	f, err := d.saved(path, d.LimitOf(path))
	var data string
	if err == nil && f.Exists {
		l.bom, l.charset = bom || f.BOM, f.Charset
		data, err = d.toWrite(path, f.Text, text, &l)
	} else {
		data, err = d.toWriteNew(path, text, &l)
	}
	if err != nil {
		return []byte(marked(l.bom) + text)
	}
	return []byte(data)
}

// Decoded returns the text, the byte order mark and the charset of the bytes that the file at path
// has elsewhere: in a copy, or in Git. The error is a [*Refusal].
func (d *files) Decoded(path string, data []byte) (File, error) {
	is, why := d.decode(path, data)
	if why != "" {
		return File{Path: path}, refuse(path, "%s", why)
	}
	return File{Path: path, Exists: true, Text: is.text, BOM: is.bom, Charset: is.charset}, nil
}

// CharsetOf returns the charset of the file on disk at path, UTF-8 if there is no text.
func (d *files) CharsetOf(path string) charset.Charset {
	f, _ := d.saved(path, d.LimitOf(path))
	return f.Charset
}

// ruled returns the charset of the bytes at path that are not UTF-8: the one that a rule names, or else the one
// in which an editor has shown the file; UTF-8 for none.
func (d *files) ruled(path string) charset.Charset {
	c := d.rule(path)
	if shown, ok := d.shown.Load(path); ok && c == charset.UTF8 {
		return shown.(charset.Charset)
	}
	return c
}

// rule returns the charset that the user's settings name for path, or else the .editorconfig of the
// nearest folder that does; UTF-8 for none.
func (d *files) rule(path string) charset.Charset {
	r, rel, err := d.roots.resolve(path)
	if err != nil {
		return charset.UTF8
	}
	best := -1
	for i, rule := range d.charsets {
		if rule.matches(rel) && (best < 0 || len(rule.Glob) > len(d.charsets[best].Glob)) {
			best = i
		}
	}
	if best >= 0 {
		return d.charsets[best].Charset
	}
	if c, ok := r.editorCharset(rel); ok {
		return c
	}
	return charset.UTF8
}

// compareCharset does what compareDisk does, for a file with the bytes data that are not text in
// UTF-8. The text of an editor shows in which charset it has read the file.
func (d *files) compareCharset(path, text string, data []byte) (differs, bom bool) {
	is, why := d.decode(path, data)
	if why == "" && (plainEnds(is.text) == plainEnds(text) || is.charset == charset.UTF8) {
		return plainEnds(is.text) != plainEnds(text), is.bom
	}
	if c := charset.Shows(data, text); c != charset.UTF8 {
		d.shown.Store(path, c)
		return false, charset.ByMark(data) != charset.UTF8
	}
	return true, is.bom
}

// moveShown keeps what an editor has shown about a file that moves. The function that it returns
// takes that back.
func (d *files) moveShown(path, newPath string) (back func()) {
	c, ok := d.shown.Load(path)
	if !ok {
		return func() {}
	}
	was, had := d.shown.Swap(newPath, c)
	return func() {
		if d.shown.Delete(newPath); had {
			d.shown.Store(newPath, was)
		}
	}
}

// mayBeUTF16 reports whether data begins as UTF-16 text does, with a mark or a Latin character.
func mayBeUTF16(data []byte) bool {
	return len(data) > 1 && (charset.ByMark(data) != charset.UTF8 || (data[0] == 0) != (data[1] == 0))
}
