package config

import (
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// systemFolder returns the folder of this machine's own settings for Redline.
func systemFolder() string {
	data, err := windows.KnownFolderPath(windows.FOLDERID_ProgramData, windows.KF_FLAG_DEFAULT)
	if err != nil {
		data = `C:\ProgramData`
	}
	return filepath.Join(data, "Redline")
}

// notTheSystems returns why somebody else than an administrator could have written a policy, as
// a part of a sentence; "" if nobody could. Who may write it besides is not looked at.
func notTheSystems(path string, _ fs.FileInfo) string {
	about, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return "its owner cannot be read"
	}
	owner, _, err := about.Owner()
	if err != nil {
		return "its owner cannot be read"
	}
	for _, kind := range []windows.WELL_KNOWN_SID_TYPE{windows.WinBuiltinAdministratorsSid, windows.WinLocalSystemSid} {
		if sid, err := windows.CreateWellKnownSid(kind); err == nil && owner.Equals(sid) {
			return ""
		}
	}
	return "it does not belong to the administrators"
}
