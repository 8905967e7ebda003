package tool

// pathNames are other names of the argument path.
var pathNames = []string{
	"file_path", "file", "filename", "file_name", "path_str", "target_file", "relative_path", "absolute_path",
	"relative_workspace_path", "notebook_path", "uri",
}

// folderNames are further names of it in tools that take a folder.
var folderNames = []string{
	"dir", "directory", "folder", "dir_path", "directory_path", "folder_path", "target_directory", "search_path", "search_directory", "root", "in", "subdir",
}

// pathParam is the argument of a tool that works on one file.
var pathParam = param{name: "path", kind: stringKind, required: true, also: pathNames}

// cwdParam is the folder of a command.
var cwdParam = param{name: "cwd", kind: stringKind, also: []string{"workdir", "working_directory", "work_dir", "directory", "dir"}, about: "The folder to run it in."}
