#!/usr/bin/env bash
# The service's speed, over loopback:
#   1. legal moves beside a bare axum handler that answers with bodies of the same size (benches/bare), by wrk;
#   2. repeated best-move requests; a thousand best-move requests kept in flight on two workers (benches/load).
# usage: benches/http.sh FENS        a file with at least 1,000 FENs, one a line
# settings: SECONDS_EACH=20 RUNS=3 FLOOD_SECONDS=60 PORT=18080 PARTS="legal-moves best-move"
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

cargo build --release --locked --bin kibitzer
executable() { cargo bench --locked --no-run --bench "$1" 2>&1 | tee /dev/stderr | sed -n 's/.*(\(.*\))$/\1/p'; }
bare=$(executable bare)
load=$(executable load)

started() { # waits for an answer of the path that is no 5xx
  for _ in $(seq 100); do
    case $(curl --silent --output /dev/null --write-out '%{http_code}' "$url$1") in 000 | 5*) sleep 0.1 ;; *) return ;; esac
  done
  echo "no server at $url" >&2
  exit 1
}
start_kibitzer() { # the rest are settings of the environment
  env "$@" target/release/kibitzer serve --config config/production.toml --listen "127.0.0.1:$port" >"$work/log" &
  server=$!
  started /readyz
}
start_bare() {
  "$bare" --listen "127.0.0.1:$port" --bytes "$1" &
  server=$!
  started /
}

write_script() { # a request for each FEN, in turn; prints requests a second, p99 in milliseconds, and failures
  {
    echo 'local bodies = {'
    head -n 1000 "$fens" | sed 's/.*/  [[{"fen":"&"}]],/'
    cat <<'LUA'
}
local requests, n = {}, 0
function init(args)
  for i, body in ipairs(bodies) do
    requests[i] = wrk.format("POST", "/v1/legal-moves", { ["Content-Type"] = "application/json" }, body)
  end
end
function request()
  n = n % #requests + 1
  return requests[n]
end
function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  print(string.format("RESULT %.0f %.2f %d", summary.requests * 1e6 / summary.duration, latency:percentile(99) / 1000, failed))
end
LUA
  } >"$work/script.lua"
}

measure() { # name, file that gathers the results
  local line
  line=$(wrk --threads 2 --connections 32 --duration "${seconds}s" --script "$work/script.lua" "$url" | sed -n 's/^RESULT //p')
  echo "$line" >>"$2"
  echo "$line" | awk -v name="$1" '{ printf "%-10s %8d requests/s   p99 %6.2f ms   %d failed\n", name, $1, $2, $3 }'
}
median() { cut -d ' ' -f "$2" "$1" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

legal_moves() {
  write_script
  start_kibitzer
  local bytes
  bytes=$("$load" sizes --url "$url" --fens "$fens")
  stop
  echo "legal moves: answers of $bytes bytes on the average, 32 connections, $runs runs of $seconds s each in turn"
  for _ in $(seq "$runs"); do
    start_kibitzer
    measure kibitzer "$work/kibitzer"
    stop
    start_bare "$bytes"
    measure bare "$work/bare"
    stop
  done
  awk -v k="$(median "$work/kibitzer" 1)" -v b="$(median "$work/bare" 1)" -v kp="$(median "$work/kibitzer" 2)" -v bp="$(median "$work/bare" 2)" \
    'BEGIN { printf "medians: %d of %d requests/s, ratio %.3f; p99 %.2f ms, bare %.2f ms\n", k, b, k / b, kp, bp }'
}

best_move() {
  start_kibitzer KIBITZER__SEARCH__WORKERS=2
  "$load" repeat --url "$url"
  stop
  start_kibitzer KIBITZER__SEARCH__WORKERS=2
  "$load" flood --url "$url" --pid "$server" --seconds "$flood"
  stop
}

for part in ${PARTS:-legal-moves best-move}; do
  case $part in
    legal-moves) legal_moves ;;
    best-move) best_move ;;
    *) echo "no part $part" >&2; exit 2 ;;
  esac
done
