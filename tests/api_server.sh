# Shell functions of the tests that send requests to a whole server. Source this file from the root
# of the repository. `work` is a temporary folder, removed at the end.
# A script may leave a list of its failed tests in `$work/failures`.
# settings: KIBITZER=target/debug/kibitzer, the program; PYTHON=python3

root=$PWD
mkdir -p "${CARGO_TARGET_DIR:-target}"
target=$(realpath "${CARGO_TARGET_DIR:-target}")
work=$(mktemp -d)
server=

finish() {
  local status=$?
  if [ -n "$server" ]; then
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
  fi
  if [ "$status" != 0 ] && [ -f "$work/log" ]; then
    echo "the last lines of the server log:"
    tail -n 20 "$work/log"
  fi
  if [ -s "$work/failures" ]; then
    echo "the failed tests:"
    cat "$work/failures"
  fi
  rm -rf "$work"
}
trap finish EXIT

# Creates the Python environment $1 from the list of packages $2, again if the list has changed.
python_environment() {
  # pip would count packages in PYTHONPATH as installed, and they would be missing without it.
  unset PYTHONPATH
  if ! cmp --silent "$2" "$1/installed.txt"; then
    rm -rf "$1"
    "${PYTHON:-python3}" -m venv "$1"
    "$1/bin/python" -m pip install --quiet --require-hashes --requirement "$2"
    cp "$2" "$1/installed.txt"
  fi
}

# Sets `KIBITZER`, unless the user has: the tests' build, which `make test` has already made. Without
# `--workspace` the dependencies would have other features, and everything would be built again.
find_program() {
  if [ -z "${KIBITZER:-}" ]; then
    (cd "$root" && cargo test --locked --workspace --no-run --test architecture)
    KIBITZER=$target/debug/kibitzer
  fi
}

# Sets and exports `CHROMIUM`, unless the user has. The shell without windows needs two thirds of the
# time of the whole browser.
find_chromium() {
  local name
  for name in chromium-headless-shell chromium chromium-browser; do
    CHROMIUM=${CHROMIUM:-$(command -v "$name" || true)}
  done
  if [ -z "$CHROMIUM" ] || [ ! -x "$CHROMIUM" ]; then
    echo "Chromium is missing; set CHROMIUM, or on Debian: apt-get install chromium-headless-shell" >&2
    exit 1
  fi
  export CHROMIUM
}

# Starts a server with the configuration file $1 and sets `address`.
start_server() {
  find_program
  : >"$work/log" # The loop below may read it before the server's shell creates it.
  "$KIBITZER" serve --config "$1" --listen 127.0.0.1:0 >"$work/log" &
  server=$!
  address=
  for _ in $(seq 100); do
    address=$(sed -n '/"message":"listening"/s/.*"address":"\([^"]*\)".*/\1/p' "$work/log")
    if [ -n "$address" ]; then
      return
    fi
    sleep 0.1
  done
  echo "the server did not start" >&2
  exit 1
}
