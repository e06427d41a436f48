# SPDX-License-Identifier: LGPL-2.1-or-later
# Sourced by ./run and ./check: install what is missing, configure, build.
# $root is the folder of the repository.

say() { printf -- '-- %s\n' "$*"; }

fail() {
  printf 'Error: %s\n' "$*" >&2
  exit 1
}

install_packages() {
  local wanted missing
  mapfile -t wanted < <(sed 's/#.*//' "$root/packages.txt" | grep -o '[^[:space:]]\+')
  command -v dpkg-query >/dev/null ||
    fail "this is not Debian. Install these yourself and build with cmake: ${wanted[*]}"
  missing=$(comm -23 <(printf '%s\n' "${wanted[@]}" | sort) \
    <(dpkg-query -W -f='${db:Status-Abbrev} ${Package}\n' "${wanted[@]}" 2>/dev/null |
      awk '$1 == "ii" {print $2}' | sort))
  [ -n "$missing" ] || return 0

  local sudo=
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null ||
      fail "these packages are missing, and there is neither root nor sudo to install them: $(echo $missing)"
    sudo true ||
      fail "sudo was refused. Ask for these packages to be installed: $(echo $missing)"
    sudo=sudo
  fi
  say "installing packages:" $missing
  $sudo apt-get -q update ||
    fail "apt-get update failed; check the network and /etc/apt/sources.list"
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends $missing ||
    fail "the packages could not be installed: $(echo $missing)"
}

# A compiler needs up to 1.5 GB for one file.
parallel_jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/MemAvailable/ {print int($2 / 1500000)}' /proc/meminfo)
  echo $((memory < 1 ? 1 : (memory < cores ? memory : cores)))
}

# build TARGET...
build() {
  install_packages
  local warnings=${TEMPERA_WARNINGS_AS_ERRORS:-}
  local log=$root/build/configure.log
  if [ ! -f "$root/build/Makefile" ] || { [ -n "$warnings" ] &&
    ! grep -q "^TEMPERA_WARNINGS_AS_ERRORS:BOOL=$warnings$" "$root/build/CMakeCache.txt"; }; then
    say "configuring a Release build in build/"
    mkdir -p "$root/build"
    cmake -S "$root" -B "$root/build" -DCMAKE_BUILD_TYPE=Release \
      ${warnings:+-DTEMPERA_WARNINGS_AS_ERRORS=$warnings} >"$log" 2>&1 || {
      cat "$log" >&2
      fail "cmake could not configure the build"
    }
  fi
  # Targets that are up to date are not worth a line.
  cmake --build "$root/build" -j "$(parallel_jobs)" --target "$@" |
    { grep -v -e 'Built target' -e 'Consolidate compiler generated' || true; }
}
