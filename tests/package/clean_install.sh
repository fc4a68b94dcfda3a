#!/bin/bash
# Installs a Debian package of upfirdn in a fresh Debian 12 (debootstrap) and shows that it works there.
# As root, with a network, some minutes: tests/package/clean_install.sh build/release/upfirdn_0.1.0_amd64.deb
set -euo pipefail
package=$(realpath "${1:?name the package}")
data=$(realpath "$(dirname "$0")/../../data")
root=$(mktemp -d)
chmod 755 "$root"
trap 'rm -rf --one-file-system "$root"' EXIT

# inside COMMAND: in the fresh system, with a /proc of its own.
inside() {
  printf '\n# %s\n' "$1"
  unshare --mount --pid --fork --mount-proc="$root/proc" chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive bash -o pipefail -c "cd /root && $1"
}

# quiet COMMAND: the same without its output.
quiet() { inside "$1" > "$root/log" 2>&1 || { cat "$root/log"; exit 1; }; echo "done: $1"; }

debootstrap --variant=minbase bookworm "$root" "${MIRROR:-http://deb.debian.org/debian}" > /dev/null
cp "$package" "$root/root/upfirdn.deb"
cp "$data/xray.png" "$root/root"

quiet 'apt-get update'
quiet 'apt-get install -y --no-install-recommends ./upfirdn.deb'
inside 'upfirdn --version'
inside 'upfirdn resize xray.png -o small.png --scale 1/4 && upfirdn info small.png'
inside '! upfirdn resize xray.png -o small.bmp --scale 1/4 --depth 8'  # one line names the package
quiet 'apt-get install -y --no-install-recommends libopencv-imgcodecs406 libgdcm3.0'
inside 'upfirdn resize xray.png -o small.bmp --scale 1/4 --depth 8 && upfirdn info small.bmp'
quiet 'apt-get install -y --no-install-recommends man-db bash-completion zsh fish'
inside 'man upfirdn | sed -n 1,20p; whatis upfirdn'
inside 'man --warnings upfirdn 2>&1 > /dev/null | wc -l'
inside "bash -ic '. /usr/share/bash-completion/bash_completion; _completion_loader upfirdn; COMP_WORDS=(upfirdn resize --border =); COMP_CWORD=3; _upfirdn; echo \${COMPREPLY[*]}' 2> /dev/null"
inside "zsh -fc 'autoload -U compinit; compinit -u; whence -v _upfirdn; echo \$_comps[upfirdn]'"
inside "fish -c \"complete -C 'upfirdn resize --bor'\""
quiet 'apt-get purge -y upfirdn'
inside '! find /usr /etc -name "*upfirdn*" | grep .'
echo "
all of it works"
