package charset

import (
	"errors"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	_ "redline/internal/seed"
)

// The same text in each charset, byte for byte.
func TestCharsets(t *testing.T) {
	for _, c := range []struct {
		charset    Charset
		text, data string
	}{
		{UTF8, "é→", "\xc3\xa9\xe2\x86\x92"},
		{Latin1, "é\n", "\xe9\n"},
		{Windows1252, "é€“\n", "\xe9\x80\x93\n"},
		{ShiftJIS, "日本ｱ\\~\n", "\x93\xfa\x96\x7b\xb1\\~\n"},
		{UTF16LE, "\ufeffa😀\r\n", "\xff\xfea\x00\x3d\xd8\x00\xde\r\x00\n\x00"},
		{UTF16BE, "\ufeffa", "\xfe\xff\x00a"},
		{UTF16BE, "a", "\x00a"},
	} {
		if text, ok := c.charset.Decode([]byte(c.data)); !ok || text != c.text {
			t.Errorf("%s: %q is read as %q, %v; want %q", c.charset, c.data, text, ok, c.text)
		}
		if data, err := c.charset.Encode(c.text); err != nil || string(data) != c.data {
			t.Errorf("%s: %q is written as %q, %v; want %q", c.charset, c.text, data, err, c.data)
		}
		if named, ok := Named(string(c.charset)); c.charset != UTF8 && (!ok || named != c.charset) {
			t.Errorf("%s is not found by its name", c.charset)
		}
	}
}

func TestNotDecoded(t *testing.T) {
	for _, c := range []struct {
		charset Charset
		data    string
	}{
		{UTF8, "\xe9"}, {UTF16LE, "abc"}, {UTF16LE, "\x00\xd8a\x00"}, {ShiftJIS, "\x93"}, {ShiftJIS, "\xfd"},
		{ShiftJIS, "\x87\x9a"}, // a second way to write U+2235
		{"ebcdic", "a"},
	} {
		if text, ok := c.charset.Decode([]byte(c.data)); ok {
			t.Errorf("%s: %q is read as %q", c.charset, c.data, text)
		}
	}
}

func TestUnheld(t *testing.T) {
	for _, c := range []struct {
		charset    Charset
		text, want string
	}{
		{Latin1, "a\nb → c", `Latin-1 has no '→' (U+2192), which is in line 2`},
		{Latin1, "5 €", `Latin-1 has no '€' (U+20AC), which is in line 1`},
		{ShiftJIS, "é", `Shift-JIS has no 'é' (U+00E9), which is in line 1`},
		{Windows1252, "\r\n\u202e", `Windows-1252 has no '\u202e' (U+202E), which is in line 2`},
		{UTF16LE, "a\xff", `UTF-16 has no '�' (U+FFFD), which is in line 1`},
	} {
		_, err := c.charset.Encode(c.text)
		if _, ok := errors.AsType[*Unheld](err); !ok || err.Error() != c.want {
			t.Errorf("%q: %v; want %s", c.text, err, c.want)
		}
	}
}

func TestShows(t *testing.T) {
	for _, c := range []struct {
		data, text string
		want       Charset
	}{
		{"caf\xe9\r\n", "café\n", Latin1}, {"\x80 5", "€ 5", Windows1252}, {"\x93\xfa", "日", ShiftJIS},
		{"\xff\xfea\x00", "a", UTF16LE}, {"caf\xe9", "cafe", UTF8}, {"\x93\xfa", "“ú", Windows1252},
	} {
		if got := Shows([]byte(c.data), c.text); got != c.want {
			t.Errorf("%q as %q: %s, want %s", c.data, c.text, got, c.want)
		}
	}
}

// What is decoded is encoded into the same bytes, and what is encoded is decoded into the same text.
func TestRoundTrip(t *testing.T) {
	for _, k := range known {
		t.Run(string(k.Charset), func(t *testing.T) {
			decoded := 0
			rapid.Check(t, func(t *rapid.T) {
				data := rapid.SliceOf(rapid.Byte()).Draw(t, "data")
				if rapid.Bool().Draw(t, "as text") {
					data, _ = k.Encode(rapid.String().Draw(t, "text"))
				}
				if roundTrip(t, k.Charset, data) {
					decoded++
				}
				text := rapid.String().Draw(t, "other text")
				if data, err := k.Encode(text); err == nil {
					if back, ok := k.Decode(data); !ok || back != text {
						t.Fatalf("%q is written as %q and read as %q, %v", text, data, back, ok)
					}
				} else if e, ok := errors.AsType[*Unheld](err); !ok || e.Line < 1 {
					t.Fatalf("%q: %v", text, err)
				}
			})
			if decoded == 0 {
				t.Error("nothing was decoded")
			}
		})
	}
}

func roundTrip(t interface {
	Fatalf(format string, args ...any)
}, c Charset, data []byte) bool {
	text, ok := c.Decode(data)
	if !ok {
		return false
	}
	if !utf8.ValidString(text) {
		t.Fatalf("%s: %q is read as %q, which is not UTF-8", c, data, text)
	}
	if again, err := c.Encode(text); err != nil || string(again) != string(data) {
		t.Fatalf("%s: %q is read as %q and written as %q, %v", c, data, text, again, err)
	}
	return true
}

// Every byte is a character in Latin-1; Windows-1252 has five without one.
func TestEveryByte(t *testing.T) {
	for c, want := range map[Charset]string{Latin1: "", Windows1252: "\x81\x8d\x8f\x90\x9d"} {
		var missing []byte
		for i := range 256 {
			if !roundTrip(t, c, []byte{byte(i)}) {
				missing = append(missing, byte(i))
			}
		}
		if string(missing) != want {
			t.Errorf("%s has no character for %q, want %q", c, missing, want)
		}
	}
}

func FuzzRoundTrip(f *testing.F) {
	for _, seed := range []string{"", "a\n", "caf\xe9", "\x93\xfa\x96\x7b", "\xff\xfea\x00", "\x00\xd8\x00\xdc", "\x87\x9a", "\xfa\x4a"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, k := range known {
			roundTrip(t, k.Charset, data)
			text := string(data)
			if encoded, err := k.Encode(text); err == nil {
				if back, ok := k.Decode(encoded); !ok || back != text {
					t.Fatalf("%s: %q is written as %q and read as %q", k.Charset, text, encoded, back)
				}
			}
		}
	})
}
