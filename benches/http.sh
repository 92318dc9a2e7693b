#!/usr/bin/env bash
# Speed of the service over loopback:
#   1. Legal moves and cached best moves, measured by wrk. The reference is a minimal axum handler
#      (benches/axum_baseline) that answers with bodies of the same shape and size.
#   2. Repeated best-move requests, measured by `kibitzer-loadtest`.
#   3. A thousand concurrent best-move requests on two workers (benches/load).
# usage: benches/http.sh FENS        a file with at least 1,000 FENs, one per line
# settings: SECONDS_EACH=20 RUNS=3 FLOOD_SECONDS=60 PORT=18080 PROFILE=release
#           PARTS="legal-moves hits best-move"
set -euo pipefail
cd "$(dirname "$0")/.."

fens=${1:?usage: benches/http.sh FENS}
seconds=${SECONDS_EACH:-20} runs=${RUNS:-3} flood=${FLOOD_SECONDS:-60} port=${PORT:-18080}
url=http://127.0.0.1:$port
work=$(mktemp -d)
server=
stop() {
  if [ -n "$server" ]; then
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
    server=
  fi
}
trap 'stop; rm -rf "$work"' EXIT
ulimit -n 8192 2>/dev/null || ulimit -n "$(ulimit -Hn)"

# The profile of `cargo bench`. Use another one only to try the script.
profile=${PROFILE:-release}
cargo build --profile "$profile" --locked --package kibitzer --package kibitzer-loadtest \
  --bin kibitzer --bin kibitzer-loadtest
kibitzer=${CARGO_TARGET_DIR:-target}/$profile/kibitzer
loadtest=$kibitzer-loadtest
executable() { # builds a benchmark and prints the path of its executable
  cargo bench --profile "$profile" --locked --no-run --bench "$1" 2>&1 | tee /dev/stderr \
    | sed -n 's/^ *Executable .*(\(.*\))$/\1/p'
}
baseline=$(executable axum_baseline)
load=$(executable load)

wait_until_up() { # waits until the path answers with a status below 500
  for _ in $(seq 100); do
    case $(curl --silent --output /dev/null --write-out '%{http_code}' "$url$1") in
      000 | 5*) sleep 0.1 ;;
      *) return ;;
    esac
  done
  echo "no answer from $url$1 within 10 s" >&2
  exit 1
}
start_kibitzer() { # arguments: settings as environment variables
  rm -rf "$work/store"
  env KIBITZER__STORE__PATH="$work/store" "$@" \
    "$kibitzer" serve --config config/production.toml --listen "127.0.0.1:$port" >"$work/log" &
  server=$!
  wait_until_up /readyz
}
start_baseline() { # arguments: size and kind of the answers
  "$baseline" --listen "127.0.0.1:$port" --bytes "$1" --answer "$2" &
  server=$!
  wait_until_up /
}

# Arguments: route, additional members. The script sends one request per FEN in turn. It prints
# requests per second, p99 in milliseconds, and failures.
write_script() {
  {
    echo "local route = \"$1\""
    echo 'local bodies = {'
    head -n 1000 "$fens" | sed "s/.*/  [[{\"fen\":\"&\"$2}]],/"
    cat <<'LUA'
}
local requests, n = {}, 0
function init(args)
  for i, body in ipairs(bodies) do
    requests[i] = wrk.format("POST", route, { ["Content-Type"] = "application/json" }, body)
  end
end
function request()
  n = n % #requests + 1
  return requests[n]
end
function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  local rate, p99 = summary.requests * 1e6 / summary.duration, latency:percentile(99) / 1000
  print(string.format("RESULT %.0f %.2f %d", rate, p99, failed))
end
LUA
  } >"$work/script.lua"
}

measure() { # arguments: name, file of results
  local line
  line=$(wrk --threads 2 --connections 32 --duration "${seconds}s" \
    --script "$work/script.lua" "$url" \
    | sed -n 's/^RESULT //p')
  echo "$line" >>"$2"
  echo "$line" | awk -v name="$1" \
    '{ printf "%-10s %8d requests/s   p99 %6.2f ms   %d failed\n", name, $1, $2, $3 }'
}
median() { # arguments: file of results, number of the field
  cut -d ' ' -f "$2" "$1" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# Measures the server and the reference in turn. Arguments: name of the measurement; function that
# prepares the server and prints the size of its answers; kind of the answers.
compare_with_baseline() {
  local bytes
  rm -f "$work/kibitzer" "$work/baseline"
  for _ in $(seq "$runs"); do
    start_kibitzer
    bytes=$($2)
    measure kibitzer "$work/kibitzer"
    stop
    start_baseline "$bytes" "$3"
    measure baseline "$work/baseline"
    stop
  done
  awk -v name="$1" -v bytes="$bytes" \
    -v k="$(median "$work/kibitzer" 1)" -v b="$(median "$work/baseline" 1)" \
    -v kp="$(median "$work/kibitzer" 2)" -v bp="$(median "$work/baseline" 2)" \
    'BEGIN {
      printf "%s of %d bytes, medians: %d of %d requests/s, ratio %.3f; ", name, bytes, k, b, k / b
      printf "p99 %.2f ms, baseline %.2f ms\n", kp, bp
    }'
}
bytes_of() { # mean size of the answers; arguments of `kibitzer-loadtest`
  "$loadtest" "$url" --positions "$fens" --count 1000 --json "$@" \
    | sed -n 's/.*"mean_bytes":\([0-9]*\).*/\1/p'
}

legal_moves() {
  write_script /v1/legal-moves ''
  prepare() { bytes_of --kind legal-moves --seconds 1; }
  compare_with_baseline 'legal moves' prepare legal-moves
}

hits() { # searches every position before the measurement
  write_script /v1/best-move ',"depth":6'
  prepare() { bytes_of --kind hit --depth 6 --seconds 1; }
  compare_with_baseline 'evaluation cache hits' prepare best-move
}

best_move() {
  start_kibitzer KIBITZER__SEARCH__WORKERS=2
  "$loadtest" "$url" --kind hit --count 1 --depth 10 --connections 1 --seconds 5
  stop
  "$load" flood --seconds "$flood"
}

for part in ${PARTS:-legal-moves hits best-move}; do
  case $part in
    legal-moves) legal_moves ;;
    hits) hits ;;
    best-move) best_move ;;
    *) echo "unknown part $part in PARTS; it must be legal-moves, hits or best-move" >&2; exit 2 ;;
  esac
done
