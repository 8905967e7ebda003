package config

import (
	"errors"
	"io/fs"
	"os"
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

// findPolicy reports whether there is a policy. why says why somebody else than an administrator
// could have written it, as a part of a sentence; "" if nobody could. Who may write it besides its
// owner is not looked at.
func findPolicy(path string) (there bool, why string) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, ""
	case err != nil:
		return true, withoutPath(err).Error()
	case info.Mode()&fs.ModeSymlink != 0:
		return true, "it is a link"
	}
	about, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return true, "its owner cannot be read"
	}
	owner, _, err := about.Owner()
	if err != nil {
		return true, "its owner cannot be read"
	}
	for _, kind := range []windows.WELL_KNOWN_SID_TYPE{windows.WinBuiltinAdministratorsSid, windows.WinLocalSystemSid} {
		if sid, err := windows.CreateWellKnownSid(kind); err == nil && owner.Equals(sid) {
			return true, ""
		}
	}
	return true, "it does not belong to the administrators"
}
