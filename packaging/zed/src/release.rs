//! Downloads a release of Redline into the extension's folder, and removes older ones.

use std::fs;
use std::path::Path;
use zed_extension_api::{
    Architecture, DownloadedFileType, GithubReleaseOptions, LanguageServerId,
    LanguageServerInstallationStatus as Status, Os, current_platform, download_file,
    latest_github_release, make_file_executable, set_language_server_installation_status,
};

use crate::manifest;

/// A release for one platform.
struct Release {
    version: String,
    url: String, // of its archive
}

/// Returns the path of the program in the extension's folder, relative to it. It downloads the
/// newest release unless that is there; if that fails, an older one will do.
pub fn program(server: &LanguageServerId) -> Result<String, String> {
    set_language_server_installation_status(server, &Status::CheckingForUpdate);
    let (os, architecture) = current_platform();
    let result = newest(os, architecture)
        .and_then(|release| install(server, os, &release))
        .or_else(|why| older(Path::new("."), os).ok_or(why));
    let status = match &result {
        Ok(_) => Status::None,
        Err(why) => Status::Failed(why.clone()),
    };
    set_language_server_installation_status(server, &status);
    result
}

/// Finds the newest release: GitHub says which that is, and elsewhere it is the one that this
/// extension belongs to.
fn newest(os: Os, architecture: Architecture) -> Result<Release, String> {
    let repository = manifest::repository();
    let Some(name) = manifest::on_github(repository) else {
        let version = manifest::version();
        let file = archive(version, os, architecture)?;
        return Ok(Release {
            version: version.to_string(),
            url: format!("{repository}/releases/download/v{version}/{file}"),
        });
    };
    let options = GithubReleaseOptions {
        require_assets: true,
        pre_release: false,
    };
    let found = latest_github_release(name, options)?;
    let version = found.version.trim_start_matches('v').to_string();
    let file = archive(&version, os, architecture)?;
    let asset = found.assets.into_iter().find(|asset| asset.name == file);
    let url = asset
        .ok_or_else(|| format!("release {version} has no {file}"))?
        .download_url;
    Ok(Release { version, url })
}

/// Returns the name of a platform's archive.
fn archive(version: &str, os: Os, architecture: Architecture) -> Result<String, String> {
    let (os, ending) = match os {
        Os::Linux => ("linux", "tar.gz"),
        Os::Mac => ("darwin", "tar.gz"),
        Os::Windows => ("windows", "zip"),
    };
    let processor = match architecture {
        Architecture::X8664 => "amd64",
        Architecture::Aarch64 => "arm64",
        Architecture::X86 => return Err("there is no release for 32-bit x86".to_string()),
    };
    Ok(format!("redline_{version}_{os}_{processor}.{ending}"))
}

/// Downloads a release unless it is there. An interrupted download leaves no program behind.
fn install(server: &LanguageServerId, os: Os, release: &Release) -> Result<String, String> {
    let dir = format!("{FOLDER}{}", release.version);
    let program = format!("{dir}/{}", file_name(os));
    if Path::new(&program).is_file() {
        return Ok(program);
    }
    set_language_server_installation_status(server, &Status::Downloading);
    let kind = match os {
        Os::Windows => DownloadedFileType::Zip,
        _ => DownloadedFileType::GzipTar,
    };
    let unfinished = "unfinished";
    fs::remove_dir_all(unfinished).ok();
    download_file(&release.url, unfinished, kind)?;
    make_file_executable(&format!("{unfinished}/{}", file_name(os)))?;
    fs::remove_dir_all(&dir).ok();
    fs::rename(unfinished, &dir).map_err(|e| format!("{dir}: {e}"))?;
    remove_others(Path::new("."), &dir);
    Ok(program)
}

/// The start of the names of folders that hold a release.
const FOLDER: &str = "redline-";

fn file_name(os: Os) -> &'static str {
    match os {
        Os::Windows => "redline.exe",
        _ => "redline",
    }
}

/// Returns the names of the folders in a folder that hold a release, in order.
fn releases(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut found: Vec<String> = names.filter(|name| name.starts_with(FOLDER)).collect();
    found.sort();
    found
}

/// Returns the program of a release that was downloaded before.
fn older(folder: &Path, os: Os) -> Option<String> {
    let mut programs = releases(folder)
        .into_iter()
        .map(|name| format!("{name}/{}", file_name(os)));
    programs.rfind(|program| folder.join(program).is_file())
}

/// Removes releases other than the one in the folder `kept`. One that is in use stays, on
/// systems that do not remove running programs.
fn remove_others(folder: &Path, kept: &str) {
    for name in releases(folder).iter().filter(|name| *name != kept) {
        fs::remove_dir_all(folder.join(name)).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_archives_as_a_release_does() {
        let named = |os, architecture| archive("1.2.3", os, architecture);
        assert_eq!(
            named(Os::Linux, Architecture::X8664).unwrap(),
            "redline_1.2.3_linux_amd64.tar.gz"
        );
        assert_eq!(
            named(Os::Mac, Architecture::Aarch64).unwrap(),
            "redline_1.2.3_darwin_arm64.tar.gz"
        );
        assert_eq!(
            named(Os::Windows, Architecture::X8664).unwrap(),
            "redline_1.2.3_windows_amd64.zip"
        );
        assert!(named(Os::Linux, Architecture::X86).is_err());
    }

    #[test]
    fn keeps_one_release() {
        let folder = std::env::temp_dir().join(format!("redline-lsp-{}", std::process::id()));
        for dir in ["redline-1.0.0", "redline-1.1.0", "redline-1.2.0", "other"] {
            fs::create_dir_all(folder.join(dir)).unwrap();
        }
        assert_eq!(older(&folder, Os::Linux), None);
        fs::write(folder.join("redline-1.1.0/redline"), "").unwrap();
        assert_eq!(older(&folder, Os::Linux).unwrap(), "redline-1.1.0/redline");
        assert_eq!(older(&folder, Os::Windows), None);

        remove_others(&folder, "redline-1.1.0");
        assert_eq!(releases(&folder), ["redline-1.1.0"]);
        assert!(folder.join("other").is_dir());
        fs::remove_dir_all(&folder).unwrap();
    }
}
