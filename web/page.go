package web

import (
	"embed"
	"net/http"
	"path"
)

// The page, as web/page builds it. Nothing else is served as a file.
//
//go:embed page/dist/index.html page/dist/page.js page/dist/page.css
var pageFiles embed.FS

// pageFile returns a file of the page.
func pageFile(name string) string {
	data, _ := pageFiles.ReadFile("page/dist/" + name) // the pattern above has it
	return string(data)
}

// typesOf are the types of the page's files.
var typesOf = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
}

// file serves a file of the page. It holds neither data nor a token.
func (s *Server) file(name string) http.HandlerFunc {
	text := pageFile(name)
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", typesOf[path.Ext(name)])
		_, _ = w.Write([]byte(text))
	}
}
