#!/bin/sh
# Removes the AppArmor profile that the package installed; one that the user has changed, at the
# purge. dpkg says remove, purge or upgrade; rpm says how many versions of the package are left.
set -e

profile=/etc/apparmor.d/redline
installed=/var/lib/redline/apparmor
case $1 in
remove | purge | 0) ;;
*) exit 0 ;;
esac

[ -e "$installed" ] || exit 0
if [ -e "$profile" ] && { [ "$1" = purge ] || cmp -s "$profile" "$installed"; }; then
	if command -v aa-enabled >/dev/null && aa-enabled --quiet; then
		apparmor_parser --remove "$profile" || true # it may not be loaded
	fi
	rm -f "$profile"
fi
# After a removal a changed profile is still known as ours, until the purge.
if [ "$1" != remove ] || [ ! -e "$profile" ]; then
	rm -f "$installed"
	rmdir "${installed%/*}" 2>/dev/null || true
fi
